"""The choice of models, of what they write and of D-RAG's parts on the Ask screen, and the papers' recipes.

A model is selected by name or typed as `adapter:MODEL`. A typed name is checked when the question is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import get_args

import streamlit as st

from workbench.components import Entry, adapter_words, choices
from workbench.core import Role
from workbench.languages import known_languages
from workbench.pipeline import (
    EXTRACTIVE,
    CompressorName,
    PassageOrder,
    QueryExpansion,
    Recipe,
    ShippedRecipe,
    shipped_recipes,
)
from workbench.ui.parts import safe_html
from workbench.ui.parts.badges import language_words
from workbench.ui.parts.safe_html import element, escaped, inline, text_block

KEY = "ask_"
SHIPPED = "ask_shipped"

LABELS: dict[Role, tuple[str, str]] = {
    "encoder": ("Encoder", "Turns texts into vectors, for every retriever but the lexical one. Each corpus is indexed "
                "once with an encoder."),
    "reranker": ("Reranker", "Reorders the candidates for the question."),
    "translator": ("Translator", "Translates questions, documents or answers where the mode requires it."),
    "generator": ("Generator", "Writes the answer. A language model is called only when Ask is pressed."),
}  # fmt: skip
MARKS = "● can be used now, ○ needs a download, a package or a key."
EXAMPLES: dict[Role, str] = {
    "encoder": "sentence-transformers:FOLDER",
    "reranker": "cross-encoder:FOLDER",
    "translator": "llm:openai-like:MODEL@ENDPOINT",
    "generator": "openai-like:MODEL@ENDPOINT",
    "identifier": "fasttext:FILE",
}


EXPANSIONS: Mapping[QueryExpansion, str] = {
    "none": "None: the question itself",
    "decompose": "Decompose: simpler questions",
    "hyde": "HyDE: a passage that would answer it",
    "multi-query": "Multi-query: the question in other words",
}
COMPRESSORS: Mapping[CompressorName, str] = {
    "none": "None: the documents themselves",
    "tree-summarize": "Tree summarize: notes on all documents",
    "refine": "Refine: notes, document by document",
}
ORDERS: Mapping[PassageOrder, str] = {
    "ranked": "Ranked: best first",
    "reversed": "Reversed: best last",
    "best-repeated": "Best first and repeated at the end",
    "long-context": "Long context: the two best at the ends",
}
THE_GENERATOR = "The generator"
"""Stands for a name that is left out."""


def draw(recipe: Recipe, entries: Sequence[Entry]) -> None:
    """One box per role. `entries` have the state of every known component."""
    for column, (role, (label, text)) in zip(st.columns(len(LABELS), gap="medium"), LABELS.items(), strict=True):
        titles, ways = choices(role), " or ".join(f"`{way}`" for way in adapter_words(role))
        with column:
            st.selectbox(
                label,
                # A name that was typed stays among the options, else the box would lose it.
                list(dict.fromkeys([*titles, getattr(recipe, role)])),
                key=f"{KEY}{role}",
                format_func=title_with_state(titles, {item.name: item.ready for item in entries if item.role == role}),
                accept_new_options=True,
                help=f"{text} {MARKS} Select one, or type another as {ways}. For example: `{EXAMPLES[role]}`",
            )


def rewriting(recipe: Recipe) -> None:
    """Query expansion, compressor and passage order; the models that write them where there is something to write."""
    first, second, third = st.columns(3, gap="medium")
    without_search = st.session_state[f"{KEY}mode"] == "baseline"
    with first:
        st.selectbox(
            "Query expansion",
            get_args(QueryExpansion),
            key=f"{KEY}query_expansion",
            format_func=EXPANSIONS.__getitem__,
            help="What a language model writes to search with. Rankings of several queries are fused by rank.",
            disabled=without_search,
        )
        if st.session_state[f"{KEY}query_expansion"] != "none":
            _model("Written by", "expander", recipe, "The language model that writes what is searched with.")
    with second:
        st.selectbox(
            "Compressor",
            get_args(CompressorName),
            key=f"{KEY}compressor",
            format_func=COMPRESSORS.__getitem__,
            help="Notes that a language model takes on the documents; the generator reads them instead.",
            disabled=without_search,
        )
        if st.session_state[f"{KEY}compressor"] != "none":
            _model("Notes by", "compressor_model", recipe, "The language model that takes the notes.")
    with third:
        st.selectbox(
            "Passage order",
            get_args(PassageOrder),
            key=f"{KEY}passage_order",
            format_func=ORDERS.__getitem__,
            help="In which order the generator reads the passages. Each keeps its number. Notes have no order.",
            disabled=without_search or st.session_state[f"{KEY}compressor"] != "none",
        )


def _model(label: str, field: str, recipe: Recipe, text: str) -> None:
    titles = choices("generator")
    names = [name for name in titles if name != EXTRACTIVE]
    st.selectbox(
        label,
        list(dict.fromkeys(["", *names, getattr(recipe, field)])),
        key=f"{KEY}{field}",
        format_func=lambda name: titles.get(name, name) or THE_GENERATOR,
        accept_new_options=True,
        help=f"{text} Select one, or type another, for example: `openai-like:MODEL@ENDPOINT`",
    )


def dialectic() -> None:
    """The parts of a D-RAG answer, and how they are asked for."""
    first, second, third = st.columns(3, gap="medium")
    with first:
        st.toggle("Extraction", key=f"{KEY}extraction", help="D-RAG's first part: what matters in the documents.")
        st.toggle("Explanation", key=f"{KEY}explanation", help="D-RAG's second part: what each document says.")
        st.toggle("Argumentation", key=f"{KEY}argumentation", help="D-RAG's third part: the claims weighed.")
    with second:
        st.selectbox(
            "Language of the argument",
            [item.code for item in known_languages()],
            key=f"{KEY}argument_language",
            format_func=language_words,
            help="The language of explanation and argument: Ranaldi et al. (2025, D-RAG), Table 13.",
        )
        st.segmented_control(
            "Asked for in",
            ["all", "extraction"],
            key=f"{KEY}argument_language_in",
            format_func={"all": "Parts 1 to 3", "extraction": "Part 1"}.__getitem__,
            required=True,
            wrap=True,
            help="Whether each part names the language, or the first alone, as in the paper (Table 6).",
        )
    with third:
        st.segmented_control(
            "Prompts",
            ["one", "four"],
            key=f"{KEY}prompts",
            format_func={"one": "One for all parts", "four": "One per part"}.__getitem__,
            required=True,
            wrap=True,
            help="All parts from one prompt, or each from a separate one (Table 14).",
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


def missing(entries: Sequence[Entry]) -> None:
    """Everything that the recipe still needs, in one message, with the way to Settings, where it is set up."""
    needs = "\n".join(f"{LABELS[item.role][0]} {item.title}: {item.state}" for item in entries)
    count = "one component" if len(entries) == 1 else f"{len(entries)} components"
    safe_html.message(f"These settings need {count} that cannot be used yet:\n{needs}", "error")
    st.page_link("pages/settings.py", label="Open Settings to set them up", icon=":material/settings:")


def title_with_state(titles: Mapping[str, str], ready: Mapping[str, bool]) -> Callable[[str], str]:
    """Titles with a mark: ● can be used now, ○ needs a download, a package or a key first. Other names stay."""

    def label(name: str) -> str:
        if name not in titles:
            return str(name)
        return f"{'●' if ready.get(name) else '○'} {titles[name]} ({name})"

    return label
