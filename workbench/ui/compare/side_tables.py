"""Answers to one question as tables: what each says, which say the same, and the documents that they were given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import streamlit as st

from workbench.app import (
    SAME,
    ConsistencyMatrix,
    SideAnswer,
    consistency,
    document_places,
    matrix_csv,
    places_csv,
    sides_csv,
)
from workbench.languages import language
from workbench.metrics import CONSISTENCY, Score
from workbench.pipeline import BUILTIN
from workbench.ui.ask.answer_view import step_line, time_words
from workbench.ui.parts import access, downloads, folds, safe_html
from workbench.ui.parts.badges import chip, language_badge, language_bar
from workbench.ui.parts.latest import latest
from workbench.ui.parts.safe_html import NOTHING, Html, element, escaped, fragments, inline, joined, table, text_block

What = Literal["recipes", "languages"]
"""What the answers differ in."""
MATRIX = "compare_matrix"
"""The session's key for the matrix that was computed last, with its answers."""
LEVELS = 5
"""Shades of a cell between 0 and 1."""
OVERLAP, DOCUMENTS = "answer_overlap", "shared_documents"
HOW_TO_READ = (
    "Above the diagonal: how far two answers say the same. Below it: the share of documents that both were given. "
    "From 0 to 1; a dash marks a pair that cannot be scored, which is not 0."
)


def draw(sides: Sequence[SideAnswer], what: What) -> None:
    """The summary, the answers, their agreement and, on demand, their documents; each table as a file."""
    matrix = latest(MATRIX, tuple(sides), lambda: consistency(sides, access.workbench().registry.translator(BUILTIN)))
    safe_html.show(summary(sides))
    safe_html.show(answers_table(sides, what))
    if cached := sum(side.cached_steps for side in sides):
        st.caption(f"{cached} steps that several answers share were taken once; a time is that of the other steps.")
    downloads.button("Answers (CSV)", sides_csv(sides), "answers.csv", "compare_answers_csv")
    if len(sides) < 2:
        return
    pairs = len(sides) * (len(sides) - 1) // 2
    st.header(f"Agreement of the {len(sides)} {what} ({pairs} pair{'' if pairs == 1 else 's'})")
    safe_html.show(same_line(matrix))
    safe_html.show(agreement_table(matrix))
    st.caption(HOW_TO_READ)
    downloads.button("Agreement (CSV)", matrix_csv(matrix), "consistency.csv", "compare_matrix_csv")
    folds.draw("Means and definitions", "functions", "compare_means", lambda: safe_html.show(means_table(matrix)))
    _documents(sides)


def summary(sides: Sequence[SideAnswer]) -> Html:
    """How many are right, in another language, or without an answer, as large figures with their n."""
    known = [right for side in sides if (right := side.is_right) is not None]
    figures = {
        "right" if known else "right: no gold answer is known": f"{sum(known)} of {len(known)}" if known else "–",
        "of them name one view of several": f"{sum(bool(side.is_right and side.part) for side in sides)}",
        "give a part of the gold": f"{sum(bool(not side.is_right and side.part) for side in sides)}",
        "in another language than the question": f"{sum(side.is_elsewhere for side in sides)}",
        "say that there is no answer": f"{sum(side.is_silent for side in sides)}",
        "failed": f"{sum(bool(side.error) for side in sides)}",
    }
    shown = [
        element("div", element("b", escaped(value)), escaped(name), css="wb-figure")
        for name, value in (*figures.items(), ("answers", f"n = {len(sides)}"))
        if value != "0"
    ]
    return element("div", *shown, css="wb-figures", role="status")


def answers_table(sides: Sequence[SideAnswer], what: What, waiting: Mapping[str, str] | None = None) -> Html:
    """One row per answer; `waiting` are the steps of those that are not given yet, by name."""
    head = ["Mode" if what == "recipes" else "Language", "Answer", "Answered in", "Documents", "Right?", "Time"]
    rows = []
    for side in sides:
        name = [inline(side.name, css="wb-title")]
        if what == "languages":
            name.append(text_block(side.question, side.language, "wb-muted"))
        if step := (waiting or {}).get(side.name):
            rows.append([joined(name), step_line(step), *([NOTHING] * 4)])
        elif side.error:
            rows.append([joined(name), text_block(side.error, "en", "wb-muted"), *([NOTHING] * 2), _failed(), NOTHING])
        else:
            languages = [document.language for document in side.documents]
            rows.append(
                [
                    joined(name),
                    text_block(fragments(side.text), side.answer_language or side.language)
                    if side.text.strip()
                    else text_block("No answer", "en", "wb-none"),
                    _language(side),
                    language_bar(languages) if languages else element("span", escaped("none"), css="wb-muted"),
                    _verdict(side),
                    element("span", escaped(time_words(side.seconds)), css="wb-once"),
                ]
            )
    return table(head, rows, "wb-stacked wb-answers")


def _language(side: SideAnswer) -> Html:
    if not side.answer_language:
        return element("span", escaped("not detected"), css="wb-muted")
    elsewhere = f"not {language(side.language).name}"
    note = element("div", escaped(elsewhere), css="wb-missing") if side.is_elsewhere else NOTHING
    return joined([language_badge(side.answer_language), note])


def _verdict(side: SideAnswer) -> Html:
    part = side.part
    words, css = {
        None: ("no gold", "wb-muted"),
        True: (f"◐ right: {part}" if part else "✓ right", "wb-idle" if part else "wb-ready"),
        False: (f"◐ {part}" if part else "– no answer" if side.is_silent else "✗ wrong", "wb-missing"),
    }[side.is_right]
    return element("span", escaped(words), css=f"{css} wb-once")


def _failed() -> Html:
    return element("span", escaped("failed"), css="wb-missing wb-once")


def same_line(matrix: ConsistencyMatrix) -> Html:
    """Which answers say the same, in words."""
    groups = [[escaped(" = ") if place is None else inline(matrix.names[place], css="wb-title")
               for number in group for place in (None, number)][1:] for group in matrix.same()]  # fmt: skip
    words = [element("span", *group, css="wb-chip") for group in groups]
    lead = f"Say the same (overlap of {SAME} or more):" if groups else f"No two answers overlap by {SAME} or more."
    return element("div", escaped(lead), *words, css="wb-row")


def agreement_table(matrix: ConsistencyMatrix) -> Html:
    """The pairs as a square: the answers above the diagonal, the documents below it."""
    places = range(len(matrix.names))
    rows = [
        [
            inline(matrix.names[row], css="wb-title"),
            *(_cell(matrix.score(OVERLAP if row < column else DOCUMENTS, row, column), 205 if row < column else 38)
              for column in places),
        ]
        for row in places
    ]  # fmt: skip
    return table(["", *matrix.names], rows, "wb-matrix")


def _cell(score: Score | None, hue: int) -> Html:
    if score is None:
        return element("span", css="wb-level wb-diagonal")
    if score.value is None:
        return element("span", escaped("–"), css="wb-level")
    return element(
        "span", escaped(f"{score.value:.2f}"), css=f"wb-level wb-level-{round(score.value * LEVELS)}", hue=hue
    )


def means_table(matrix: ConsistencyMatrix) -> Html:
    """One row per measure: its mean over the scored pairs, how many those are, why others are not, its definition."""
    rows = []
    for name, measure in CONSISTENCY.items():
        mean, scored, unscored = matrix.mean(name)
        reasons = Counter(score.reason for score in matrix.scores[name].values() if score.value is None)
        why = [
            element("div", escaped(f"{count} unscored: {reason}"), css="wb-muted") for reason, count in reasons.items()
        ]
        rows.append(
            [
                inline(measure.title, css="wb-title"),
                element("b", escaped("unscored" if mean is None else f"{mean:.2f}"), css="wb-once"),
                element("span", escaped(f"{scored} of {scored + unscored}"), css="wb-once"),
                joined([inline(f"{measure.definition} {measure.source}.", css="wb-muted"), *why]),
            ]
        )
    return table(["Measure", "Mean", "Scored pairs", "Definition"], rows, "wb-stacked")


def _documents(sides: Sequence[SideAnswer]) -> None:
    rows = document_places(sides)
    searching = sum(bool(side.documents) for side in sides)
    everywhere = sum(row.uses == searching for row in rows)
    label = f"Documents ({len(rows)}, {everywhere} in each of the {searching} answers that have any)"

    def content() -> None:
        safe_html.show(documents_table(sides))
        downloads.button("Documents (CSV)", places_csv(sides), "documents.csv", "compare_documents_csv")

    folds.draw(label, "description", "compare_documents", content)


def documents_table(sides: Sequence[SideAnswer]) -> Html:
    """One row per document: its rank in each answer, with the language it was read in where that differs."""
    golds = {each.unit for side in sides for each in side.documents if each.id in side.gold_passages}
    rows = [
        [
            joined([inline(row.title, row.language, "wb-title"), *([chip("gold")] if row.unit in golds else [])]),
            language_badge(row.language),
            *(escaped("–" if place is None else place[0] if place[1] == row.language else f"{place[0]} ({place[1]})")
              for place in row.places),
        ]
        for row in document_places(sides)
    ]  # fmt: skip
    return table(["Document", "Language", *(side.name for side in sides)], rows)


def links(label: str, icon: str, page: str, targets: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    """Where each answer can be read with its documents and its steps, behind a button."""
    with st.popover(label, icon=f":material/{icon}:", key="compare_links", on_change="rerun") as opened:
        for name, params in targets if opened.open else ():
            st.page_link(page, label=safe_html.plain_label(name), query_params=params)
