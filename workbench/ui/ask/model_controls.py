"""The choice of models on the Ask screen, and the papers' configurations to start from.

A model is selected by name or typed as `adapter:MODEL`. A typed name is checked when the question is asked.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from workbench.components.inventory import adapter_words, choices
from workbench.protocols import Role
from workbench.recipes.recipe import Recipe
from workbench.recipes.shipped import ShippedRecipe, shipped_recipes
from workbench.ui.shared import safe_html
from workbench.ui.shared.safe_html import element, escaped, inline, text_block

KEY = "ask_"
SHIPPED = "ask_shipped"

LABELS: dict[Role, tuple[str, str]] = {
    "encoder": ("Encoder", "Turns texts into vectors, for every retriever but the lexical one. Each corpus is indexed "
                "once with an encoder."),
    "reranker": ("Reranker", "Reorders the candidates for the question."),
    "translator": ("Translator", "Translates questions, documents or answers where the mode requires it."),
    "generator": ("Generator", "Writes the answer. A language model is called only when Ask is pressed."),
}  # fmt: skip
EXAMPLES: dict[Role, str] = {
    "encoder": "sentence-transformers:FOLDER",
    "reranker": "cross-encoder:FOLDER",
    "translator": "llm:openai-like:MODEL@ENDPOINT",
    "generator": "openai-like:MODEL@ENDPOINT",
    "identifier": "fasttext:FILE",
}


def draw(recipe: Recipe) -> None:
    """One box per role."""
    for column, (role, (label, text)) in zip(st.columns(len(LABELS), gap="medium"), LABELS.items(), strict=True):
        titles, ways = choices(role), " or ".join(f"`{way}`" for way in adapter_words(role))
        with column:
            st.selectbox(
                label,
                # A name that was typed stays among the options, else the box would lose it.
                list(dict.fromkeys([*titles, getattr(recipe, role)])),
                key=f"{KEY}{role}",
                format_func=_title(titles),
                accept_new_options=True,
                help=f"{text} Select one, or type another as {ways}. For example: `{EXAMPLES[role]}`",
            )


def start_from(recipe: Recipe, choose: Callable[[Recipe], None]) -> None:
    """The papers' configurations; selecting one passes it to `choose`.

    The one that matches the controls is shown with its source and its departures from the paper.
    """
    same = matching(recipe)
    # Before the box is drawn: it always shows which recipe the controls describe.
    previous = st.session_state.get(SHIPPED)
    st.session_state[SHIPPED] = same.name if same else None
    if same is None and previous is not None:
        safe_html.show(text_block("The settings now differ from the published recipe.", "en", "wb-muted"))
    titles = {item.name: f"{item.title} · {item.paper}" for item in shipped_recipes()}

    def select() -> None:
        name = st.session_state[SHIPPED]
        shipped = next((item for item in shipped_recipes() if item.name == name), None)
        if shipped is not None:
            choose(shipped.recipe.with_(corpus=recipe.corpus))

    st.selectbox(
        "Start from a published recipe",
        list(titles),
        index=None,
        key=SHIPPED,
        format_func=titles.__getitem__,
        placeholder="Select a paper's configuration",
        on_change=select,
        help="Applies all settings of a paper's experiment. Your corpus stays.",
    )
    if same is not None:
        _describe(same)


def matching(recipe: Recipe) -> ShippedRecipe | None:
    """The shipped recipe with the same settings, whatever the corpus; None where there is none."""
    for item in shipped_recipes():
        if item.recipe.with_(corpus=recipe.corpus) == recipe:
            return item
    return None


def _describe(item: ShippedRecipe) -> None:
    lines = [element("div", inline(f"{item.title}: {item.source}"), css="wb-muted")]
    lines += [element("div", escaped("Departure: "), inline(line), css="wb-muted") for line in item.departs]
    safe_html.show(element("div", *lines))


def _title(titles: dict[str, str]) -> Callable[[str], str]:
    def label(name: str) -> str:
        return f"{titles[name]} ({name})" if name in titles else str(name)

    return label
