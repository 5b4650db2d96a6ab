"""How far the answers agree: the mean of each measure with its definition, and a matrix of all pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from workbench.app import ConsistencyMatrix, SideAnswer, consistency, matrix_csv
from workbench.metrics import CONSISTENCY, Score
from workbench.pipeline import BUILTIN
from workbench.ui.parts import access, safe_html
from workbench.ui.parts.safe_html import Html, element, escaped, inline, joined, table

LEVELS = 5
"""Shades of a cell between 0 and 1."""
MATRIX, SHOWN = "compare_matrix", "compare_measure"
"""The session's keys for the matrix that was computed last, with its answers, and for the measure that is shown."""


def draw(sides: Sequence[SideAnswer], what: str) -> None:
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
        help="Each cell is a pair. A dash is a pair that the measure says nothing about, which is not 0.",
    )
    name = measure or _first_scored(matrix)
    safe_html.show(matrix_table(matrix, name))
    if reasons := reasons_of(matrix, name):
        with st.expander("Why pairs are unscored", key="compare_reasons"):
            st.dataframe(
                [{"Pairs": count, "Reason": reason} for reason, count in reasons],
                hide_index=True,
                key="compare_reasons_table",
            )
    st.download_button(
        "Matrix (CSV)",
        "\ufeff" + matrix_csv(matrix),
        "consistency.csv",
        "text/csv",
        key="compare_matrix_csv",
        on_click="ignore",
        icon=":material/download:",
    )


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
