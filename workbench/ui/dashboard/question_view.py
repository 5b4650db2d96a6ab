"""One question in all runs of the selected experiments: their answers next to each other, the best score first."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import inf

import streamlit as st

from workbench.experiments import Filter, Instance, gold_documents, of_question
from workbench.metrics import scale_of
from workbench.ui.dashboard import result_frames
from workbench.ui.dashboard.dashboard_state import DashboardState, mark
from workbench.ui.dashboard.run_frames import run_titles
from workbench.ui.parts import access, figure, safe_html
from workbench.ui.parts.badges import chip, language_badge
from workbench.ui.parts.safe_html import Html, element, escaped, inline, joined, table, text_block

RUNS_LIMIT = 100
"""Runs whose answers are shown."""
SCORES = 4
"""Scores of each answer that are shown, the chosen metric first."""


def open_question(question_id: int) -> None:
    """Opens a question in all runs, as a click on a figure would."""
    st.session_state[figure.CLICKED_MARK] = mark(question=question_id)


def draw(dashboard: DashboardState, question_id: int) -> int:
    """The question, its golds and a table of its answers; returns how many answers there are."""
    # Whatever else is filtered: every run of the experiments that asked it.
    view = result_frames.result_view(Filter(experiments=dashboard.filter_.experiments))
    conditions = of_question(question_id)
    count = view.count(conditions=conditions)
    answers = view.instances(limit=RUNS_LIMIT, conditions=conditions)
    if not answers:
        safe_html.message("The selected experiments have no answer to this question.")
        return count
    first = answers[0]
    golds = [inline(gold, first.language, "wb-chip") for gold in first.golds] or [chip("none")]
    safe_html.show(
        joined(
            [
                element("div", chip(first.question), language_badge(first.language), css="wb-row"),
                text_block(first.text, first.language, "wb-ask"),
                element("div", element("span", escaped("gold"), css="wb-label"), *golds, css="wb-row"),
            ]
        )
    )
    safe_html.show(answers_table(answers, dashboard.metric, gold_documents(access.workbench(), answers)))
    if count > len(answers):
        safe_html.message(f"The first {len(answers):,} of {count:,} runs.")
    return count


def answers_table(answers: Sequence[Instance], metric: str, golds: Mapping[int, Collection[str]]) -> Html:
    """One row per run with its answer and scores, the best value of `metric` first and those without one last.

    `golds` are the gold ones among the documents, by the answer's number.
    """
    goodness = scale_of(metric).goodness
    titles = run_titles([item.run for item in answers])
    names = list(dict.fromkeys([metric, *(name for item in answers for name in item.scores)]))[:SCORES]

    def place(item: Instance) -> float:
        value = item.scores.get(metric)
        return inf if value is None else -goodness(value)

    rows = [
        [
            inline(titles[item.run.id], css="wb-title"),
            _answer(item),
            *(escaped(_score(item, name)) for name in names),
            _documents(item, golds.get(item.answer, ())),
        ]
        for item in sorted(answers, key=place)
    ]
    return table(["Run", "Answer", *names, "Documents"], rows, css="wb-stacked")


def _answer(item: Instance) -> Html:
    if item.error:
        return element("span", inline(f"Failed: {item.error}"), css="wb-missing")
    badge = language_badge(item.answer_language) if item.answer_language else chip("language not detected")
    return joined([text_block(item.output or "(empty)", item.answer_language), badge])


def _score(item: Instance, name: str) -> str:
    value = item.scores.get(name)
    return "–" if value is None else f"{value:.2f}"


def _documents(item: Instance, golds: Collection[str]) -> Html:
    """The languages of the documents in their order, the gold ones marked."""
    words = [f"{code}{' (gold)' if name in golds else ''}" for name, code, _ in item.passages]
    return escaped(", ".join(words) or "–")
