"""Answers side by side as cards: text, detected language, scores, and which documents they share."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from workbench.app import SideAnswer, SideDocument, document_places, shared_count, sides_csv
from workbench.languages import language
from workbench.metrics import Score
from workbench.ui.ask.answer_view import time_words
from workbench.ui.parts import safe_html
from workbench.ui.parts.badges import chip, language_badge, language_option
from workbench.ui.parts.safe_html import NOTHING, Html, element, escaped, inline, text_block

LONG = 160
"""Number of characters above which an answer is set in a smaller size."""
SHARED, ALONE = "●", "○"
"""Marks of a document that another answer has too, and of one that none has."""


def draw(sides: Sequence[SideAnswer], *, with_questions: bool) -> None:
    """The cards, then the documents of all, then the answers as a file; the questions are shown where they differ."""
    safe_html.show(element("div", *(card(side, sides, with_question=with_questions) for side in sides), css="wb-sides"))
    rows = document_places(sides)
    if rows and len(sides) > 1:
        everywhere = sum(row.uses == len(sides) for row in rows)
        st.header(f"Documents ({len(rows)}, {everywhere} in all answers)")
        st.dataframe(document_records(sides), hide_index=True, key="compare_documents")
    st.download_button(
        "Answers (CSV)",
        "\ufeff" + sides_csv(sides),
        "answers.csv",
        "text/csv",
        key="compare_answers_csv",
        on_click="ignore",
        icon=":material/download:",
    )


def card(side: SideAnswer, sides: Sequence[SideAnswer], *, with_question: bool) -> Html:
    """One answer with its scores and documents; `sides` are all that it is compared with."""
    question = text_block(side.question, side.language, "wb-muted") if with_question else NOTHING
    head = element(
        "div",
        element("span", inline(side.name), css="wb-column"),
        *([language_badge(side.language)] if with_question else []),
        css="wb-row",
    )
    if side.error:
        return element("section", head, question, text_block(side.error, "en", "wb-message wb-error"), css="wb-answer")
    others = {unit for other in sides if other is not side for unit in other.units}
    shared = shared_count(side, sides)
    count = len(set(side.units))
    words = f"{count}, {shared} shared" if count and len(sides) > 1 else str(count)
    facts = element("div", *_scores(side), chip("documents", words), *_time(side), css="wb-row")
    documents = [_document(document, side, shared=document.unit in others) for document in side.documents]
    return element("section", head, question, *_answer(side), facts, *documents, css="wb-answer wb-side")


def document_records(sides: Sequence[SideAnswer]) -> list[dict[str, str]]:
    """One record per document: its rank in each answer, with the language it was read in where that differs."""
    return [
        {
            "Document": row.title,
            "Id": row.unit,
            "Language": language_option(row.language),
            **{side.name: _rank(place, row.language) for side, place in zip(sides, row.places, strict=True)},
        }
        for row in document_places(sides)
    ]


def _rank(place: tuple[int, str] | None, code: str) -> str:
    if place is None:
        return "–"
    rank, read_in = place
    return f"{rank}" if read_in == code else f"{rank} ({read_in})"


def _answer(side: SideAnswer) -> list[Html]:
    code = side.answer_language
    badge = language_badge(code) if code else chip("language not detected")
    line = element("div", element("span", escaped("Answer"), css="wb-label"), badge, css="wb-row")
    if not side.text.strip():
        return [line, text_block("No answer", "en", "wb-none")]
    size = "wb-said wb-long" if len(side.text) > LONG else "wb-said"
    text = text_block(side.text, code or side.language, size)
    if not code or code == side.language:
        return [line, text]
    words = f"In {language(code).name}; the question is in {language(side.language).name}."
    return [line, text, text_block(words, "en", "wb-message wb-note")]


def _scores(side: SideAnswer) -> list[Html]:
    if not side.golds:
        return [chip("no gold is known")]
    right = side.is_right
    verdict = [] if right is None else [element("span", escaped("right" if right else "wrong"),
                                                css="wb-ready" if right else "wb-missing")]  # fmt: skip
    return [*verdict, *(chip(name, _value(score)) for name, score in side.scores.items())]


def _value(score: Score) -> str:
    return "unscored" if score.value is None else f"{score.value:.2f}"


def _time(side: SideAnswer) -> list[Html]:
    return [chip("time", time_words(side.seconds))]


def _document(document: SideDocument, side: SideAnswer, *, shared: bool) -> Html:
    gold = [chip("gold")] if document.id in side.gold_passages else []
    return element(
        "div",
        element("span", escaped(f"{SHARED if shared else ALONE} {document.rank}"), css="wb-rank"),
        inline(document.title or document.id, document.language, "wb-title"),
        *gold,
        language_badge(document.language),
        css="wb-row wb-source",
    )
