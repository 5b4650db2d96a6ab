"""Answers side by side as cards, the documents they share, and how far they agree: means, and a matrix of all pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from workbench.app import (
    ConsistencyMatrix,
    SideAnswer,
    SideDocument,
    consistency,
    document_places,
    matrix_csv,
    shared_count,
    sides_csv,
)
from workbench.languages import language
from workbench.metrics import CONSISTENCY, Score
from workbench.pipeline import BUILTIN
from workbench.ui.ask.answer_view import time_words
from workbench.ui.parts import access, downloads, safe_html
from workbench.ui.parts.badges import chip, language_badge, language_option
from workbench.ui.parts.data_table import data_table
from workbench.ui.parts.safe_html import NOTHING, Html, element, escaped, inline, joined, table, text_block

LONG = 160
"""Number of characters above which an answer is set in a smaller size."""
SHARED, ALONE = "●", "○"
"""Marks of a document that another answer has too, and of one that none has."""


def draw_sides(sides: Sequence[SideAnswer], *, with_questions: bool) -> None:
    """The cards, then the documents of all, then the answers as a file; the questions are shown where they differ."""
    safe_html.show(element("div", *(card(side, sides, with_question=with_questions) for side in sides), css="wb-sides"))
    rows = document_places(sides)
    if rows and len(sides) > 1:
        everywhere = sum(row.uses == len(sides) for row in rows)
        st.header(f"Documents ({len(rows)}, {everywhere} in all answers)")
        data_table(document_records(sides), hide_index=True, key="compare_documents")
    downloads.button("Answers (CSV)", sides_csv(sides), "answers.csv", "compare_answers_csv")


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
        return [chip("no gold answer is known")]
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


LEVELS = 5
"""Shades of a cell between 0 and 1."""
MATRIX, SHOWN = "compare_matrix", "compare_measure"
"""The session's keys for the matrix that was computed last, with its answers, and for the measure that is shown."""


def draw_consistency(sides: Sequence[SideAnswer], what: str) -> None:
    """The section for answers of several recipes or languages (`what`)."""
    if len(sides) < 2:
        return
    matrix = _matrix(tuple(sides))
    pairs = len(sides) * (len(sides) - 1) // 2
    st.header(f"Consistency of the {len(sides)} {what} ({pairs} pair{'' if pairs == 1 else 's'})")
    safe_html.show(means_table(matrix))
    measure = st.segmented_control(
        "Matrix of",
        list(CONSISTENCY),
        key=SHOWN,
        format_func=lambda name: CONSISTENCY[name].title,
        default=_first_scored(matrix),
        required=True,
        wrap=True,
        help="Each cell is a pair. A dash marks a pair that the measure cannot score; it does not mean 0.",
    )
    name = measure or _first_scored(matrix)
    safe_html.show(matrix_table(matrix, name))
    if reasons := reasons_of(matrix, name):
        with st.expander("Why pairs are unscored", key="compare_reasons"):
            data_table(
                [{"Pairs": count, "Reason": reason} for reason, count in reasons],
                hide_index=True,
                key="compare_reasons_table",
            )
    downloads.button("Matrix (CSV)", matrix_csv(matrix), "consistency.csv", "compare_matrix_csv")


def means_table(matrix: ConsistencyMatrix) -> Html:
    """One row per measure: its mean over the scored pairs, how many those are, and its definition."""
    rows = []
    for name, measure in CONSISTENCY.items():
        mean, scored, unscored = matrix.mean(name)
        rows.append(
            [
                inline(measure.title, css="wb-title"),
                element("b", escaped("unscored" if mean is None else f"{mean:.2f}"), css="wb-once"),
                element("span", escaped(f"{scored} scored, {unscored} not"), css="wb-once"),
                inline(f"{measure.definition} {measure.source}.", css="wb-muted"),
            ]
        )
    return table(["Measure", "Mean", "Pairs", "Definition"], rows, "wb-stacked")


def matrix_table(matrix: ConsistencyMatrix, measure: str) -> Html:
    """The pairs as a square: the same above and below the diagonal, which is empty."""
    places = range(len(matrix.names))
    rows = [
        [inline(matrix.names[row], css="wb-title"), *(_cell(matrix.score(measure, row, column)) for column in places)]
        for row in places
    ]
    return element("div", table(["", *matrix.names], rows, "wb-matrix"))


def reasons_of(matrix: ConsistencyMatrix, measure: str) -> list[tuple[str, int]]:
    """Why pairs are unscored, the most frequent reason first."""
    return Counter(score.reason for score in matrix.scores[measure].values() if score.value is None).most_common()


def _first_scored(matrix: ConsistencyMatrix) -> str:
    """The first measure that says something about these answers; the first of all where none does."""
    return next((name for name in CONSISTENCY if matrix.mean(name)[1]), next(iter(CONSISTENCY)))


def _cell(score: Score | None) -> Html:
    if score is None:
        return joined([])
    if score.value is None:
        return element("span", escaped("–"), css="wb-level")
    return element("span", escaped(f"{score.value:.2f}"), css=f"wb-level wb-level-{round(score.value * LEVELS)}")


def _matrix(sides: tuple[SideAnswer, ...]) -> ConsistencyMatrix:
    """The matrix of these answers; computed once while they are shown."""
    cached = st.session_state.get(MATRIX)
    if cached is not None and cached[0] == sides:
        matrix: ConsistencyMatrix = cached[1]
        return matrix
    matrix = consistency(sides, access.workbench().registry.translator(BUILTIN))
    st.session_state[MATRIX] = (sides, matrix)
    return matrix
