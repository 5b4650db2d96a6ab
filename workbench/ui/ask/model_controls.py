"""The choice of models on the Ask screen, and the papers' configurations to start from.

A model is chosen by name or typed as `adapter:MODEL`. What is typed is checked when it is asked, in one sentence.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from workbench.components.inventory import adapters, choices
from workbench.protocols import Role
from workbench.recipes.recipe import Recipe
from workbench.recipes.shipped import ShippedRecipe, shipped_recipes
from workbench.ui.shared import safe_html
from workbench.ui.shared.safe_html import element, escaped, inline, text_block

KEY = "ask_"
SHIPPED = "ask_shipped"

LABELS: dict[Role, tuple[str, str]] = {
    "encoder": ("Encoder", "Turns texts into vectors, for every retriever but the lexical one. Each corpus is indexed "
                "by an encoder once."),
    "reranker": ("Reranker", "Orders the candidates anew for the question."),
    "translator": ("Translator", "Translates questions, documents or answers where the mode wants it."),
    "generator": ("Generator", "Writes the answer. A language model is asked only when Ask is pressed."),
}  # fmt: skip
EXAMPLES: dict[Role, str] = {
    "encoder": "sentence-transformers:FOLDER",
    "reranker": "cross-encoder:FOLDER",
    "translator": "llm:openai-like:MODEL@ENDPOINT",
    "generator": "openai-like:MODEL@ENDPOINT",
    "identifier": "fasttext:FILE",
}


def draw(recipe: Recipe) -> None:
    """A box for each role."""
    for column, (role, (label, explained)) in zip(st.columns(len(LABELS), gap="medium"), LABELS.items(), strict=True):
        titles = choices(role)
        with column:
            st.selectbox(
                label,
                # What was typed before stays among the choices, else the box would lose it.
                list(dict.fromkeys([*titles, getattr(recipe, role)])),
                key=f"{KEY}{role}",
                format_func=_title(titles),
                accept_new_options=True,
                help=f"{explained} Choose one, or type another as {' or '.join(f'`{way}`' for way in adapters(role))}. "
                f"For example: `{EXAMPLES[role]}`",
            )


def start_from(recipe: Recipe, choose: Callable[[Recipe], None]) -> None:
    """The papers' configurations; choosing one hands it to `choose`. The one that is set is shown with its source and
    what it does otherwise than the paper.
    """
    same = matching(recipe)
    # Before the box is drawn: it always tells which recipe the controls amount to.
    held = st.session_state.get(SHIPPED)
    st.session_state[SHIPPED] = same.name if same else None
    if same is None and held is not None:
        safe_html.show(text_block("The choices differ from the published recipe now.", "en", "wb-muted"))
    titles = {item.name: f"{item.title} · {item.paper}" for item in shipped_recipes()}

    def chosen() -> None:
        name = st.session_state[SHIPPED]
        picked = next((item for item in shipped_recipes() if item.name == name), None)
        if picked is not None:
            choose(picked.recipe.with_(corpus=recipe.corpus))

    st.selectbox(
        "Start from a published recipe",
        list(titles),
        index=None,
        key=SHIPPED,
        format_func=titles.__getitem__,
        placeholder="Choose a paper's configuration",
        on_change=chosen,
        help="Sets every choice to what a paper ran. Your corpus stays.",
    )
    if same is not None:
        _tell(same)


def matching(recipe: Recipe) -> ShippedRecipe | None:
    """The shipped recipe that makes the same choices, whatever the corpus."""
    for item in shipped_recipes():
        if item.recipe.with_(corpus=recipe.corpus) == recipe:
            return item
    return None


def _tell(item: ShippedRecipe) -> None:
    lines = [element("div", inline(f"{item.title}: {item.source}"), css="wb-muted")]
    lines += [element("div", escaped("Departs: "), inline(line), css="wb-muted") for line in item.departs]
    safe_html.show(element("div", *lines))


def _title(titles: dict[str, str]) -> Callable[[str], str]:
    def told(name: str) -> str:
        return f"{titles[name]} ({name})" if name in titles else str(name)

    return told
