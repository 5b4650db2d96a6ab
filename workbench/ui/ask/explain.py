"""'New here?': scope, mode and prompt variant for someone who has not read the papers."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import streamlit as st

from workbench.pipeline import EXPLAINED, MODES, PROMPTS, TITLES, Recipe, mode, variant
from workbench.ui.ask.documents import SCORES
from workbench.ui.parts import safe_html
from workbench.ui.parts.safe_html import Html, element, escaped

SEVERAL = ("en+ul", "all")
"""Scopes of more than one language."""
FUSIONS_BY_RANK_OR_SCORE = ("rrf", "cc", "dbsf")
RUINOUS = (
    "Retriever: this fusion compares words found in different languages. Where one language alone holds the answer, "
    "its passage is ranked low: mean reciprocal rank on the sample .62 (RRF), .73 (CC), .63 (DBSF), with Hybrid .93."
)
"""Measured over 1,079 questions in 13 languages, scope all: `python -m benchmarks.sample`."""

PAPERS = (
    ("Scopes and prompt variants", "Chirkova et al. (2024), Retrieval-augmented generation in multilingual settings"),
    (
        "tRAG, MultiRAG, CrossRAG",
        "Ranaldi et al. (2025, CrossRAG), Multilingual Retrieval-Augmented Generation for Knowledge-Intensive Task",
    ),
    (
        "D-RAG",
        "Ranaldi et al. (2025, D-RAG), Improving Multilingual Retrieval-Augmented Language Models through Dialectic "
        "Reasoning Argumentations",
    ),
    ("Pivot", "Singh et al. (n.d.), A Multilingual Intelligent Document Question-Answering System"),
)


def new_here() -> None:
    """The explanations, in a closed expander."""
    title = "New here? What scope, mode and prompt variant mean"
    opened = st.expander(title, key="new_here", icon=":material/school:", type="compact", on_change="rerun")
    if not opened.open:
        return
    with opened:
        safe_html.show(
            _lines(
                "Retrieval-augmented generation (RAG) retrieves passages that may contain the answer, gives them to a "
                "generator with the question, and lets it answer from them. With many languages, three choices "
                "determine the result."
            )
        )
        scope, mode, variant = st.tabs(["Scope: what is searched", "Mode: which method", "Prompt: which instructions"])
        with scope:
            safe_html.show(_terms([(TITLES[name], text) for name, text in EXPLAINED.items()]))
            safe_html.show(_lines("UL is the user's language: that of the question. Nothing outside a scope is used."))
        with mode:
            safe_html.show(_terms([(item.title, f"{item.explanation} {item.source}") for item in MODES]))
        with variant:
            safe_html.show(_terms([(item.title, item.explanation) for item in PROMPTS]))
        safe_html.show(element("div", _lines(SCORES), _terms(PAPERS), css="wb-muted"))


def settings(recipe: Recipe, languages: Collection[str]) -> None:
    """What is searched, what mode, scope and variant do, and how the recipe departs from the paper's definition.

    `languages` are those of the recipe's corpus.
    """
    method = mode(recipe.mode)
    number = f"{len(languages)} languages" if len(languages) != 1 else "1 language"
    lines = [f"Corpus: {recipe.corpus}, in {number}.", f"{method.title}: {method.explanation} {method.source}"]
    if recipe.mode != "baseline":
        lines.append(f"Scope: {EXPLAINED[recipe.scope]}")
    if recipe.mode == "pivot":
        lines.append("Prompt: in English, with English as the user's language, as the question was translated first.")
    elif recipe.mode != "drag":
        lines.append(f"Prompt: {variant(recipe.prompt).explanation}")
    if recipe.mode != "baseline" and recipe.retriever in FUSIONS_BY_RANK_OR_SCORE and recipe.scope in SEVERAL:
        lines.append(RUINOUS)
    safe_html.show(safe_html.text_block("\n".join(lines), "en", "wb-muted"))
    if recipe.departure:
        safe_html.message(recipe.departure)


def _lines(text: str) -> Html:
    return safe_html.text_block(text, "en")


def _terms(pairs: Iterable[tuple[str, str]]) -> Html:
    pieces = [piece for name, text in pairs for piece in (element("dt", escaped(name)), element("dd", escaped(text)))]
    return element("dl", *pieces, css="wb-terms")
