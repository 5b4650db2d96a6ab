"""The answers that the filters of Browse let through, by question: a page of them, and the neighbours of an open one.

Questions are in the order of the mean of their answers' scores, the worst first, and so are the answers to each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st
from sqlalchemy import ColumnElement

from workbench.experiments import (
    Filter,
    Instance,
    ResultView,
    contains_text,
    of_answer,
    of_questions,
    scored_within,
    without_label,
    wrong_language,
)
from workbench.ui.dashboard import result_frames
from workbench.ui.dashboard.dashboard_state import bounds
from workbench.ui.dashboard.result_frames import ResultsState
from workbench.ui.diagnosis import proposal_batch_view
from workbench.ui.inspect.inspect_state import SESSION, InspectState
from workbench.ui.parts import answer_rows, safe_html
from workbench.ui.parts.safe_html import plain_label

PAGE = 10
"""Questions of a page."""
ANSWERS_LIMIT = 500
"""Answers to the questions of a page that are read."""
EVERY = 1_000_000
"""More questions than a workspace has."""


@dataclass(frozen=True, slots=True)
class InstanceListing:
    """The `count` answers of a view that meet conditions, by question; `questions` are stored ids, in order."""

    count: int
    view: ResultView
    conditions: tuple[ColumnElement[bool], ...]
    metric: str
    questions: Sequence[int]
    best_first: bool

    def answers(self, questions: Sequence[int]) -> list[Instance]:
        """The answers to some of the questions, in order; those without a score last."""
        conditions = [*self.conditions, *of_questions(*questions)]
        rows = self.view.instances(limit=ANSWERS_LIMIT, conditions=conditions) if questions else []
        return answer_rows.in_order(rows, questions, self.metric, best_first=self.best_first)

    def around(self, instance: Instance) -> tuple[int, int, int]:
        """The place of an answer's question, from 1, and the stored ids of the answers before and after it; 0 for none.

        All are 0 where the filters hide the answer.
        """
        if instance.question_id not in self.questions:
            return 0, 0, 0
        place = self.questions.index(instance.question_id)
        ids = [row.answer for row in self.answers(self.questions[max(0, place - 1) : place + 2])]
        if instance.answer not in ids:
            return 0, 0, 0
        at = ids.index(instance.answer)
        return place + 1, ids[at - 1] if at else 0, ids[at + 1] if at + 1 < len(ids) else 0


def listing(state: InspectState, metric: str) -> InstanceListing:
    """What the state's filters let through, in the order of a metric's values."""
    conditions = tuple(_conditions(state, metric))
    # What people have labelled is no part of the state of results, so it is looked up each time.
    read = _questions if "unlabelled" in state.only else _cached_questions
    count, questions = read(result_frames.current_state(), state.query, metric, state)
    view = result_frames.result_view(state.filter_)
    return InstanceListing(count, view, conditions, metric, questions, state.order == "best")


def _conditions(state: InspectState, metric: str) -> list[ColumnElement[Any]]:
    conditions: list[ColumnElement[Any]] = contains_text(state.search)
    if metric and (within := bounds(state.within)):
        conditions += scored_within(metric, *within)
    if "wrong-language" in state.only:
        conditions += wrong_language()
    if "unlabelled" in state.only:
        conditions += without_label()
    return conditions


def _questions(results: ResultsState, query: str, metric: str, _state: InspectState) -> tuple[int, list[int]]:  # noqa: ARG001
    view, conditions, best_first = (
        result_frames.result_view(_state.filter_),
        _conditions(_state, metric),
        _state.order == "best",
    )
    questions = view.questions_by_score(metric, limit=EVERY, conditions=conditions, best_first=best_first)[1]
    return view.count(conditions=conditions), questions


_cached_questions = st.cache_data(show_spinner=False, max_entries=64)(_questions)


def draw(rows: InstanceListing) -> None:
    """A page of questions with their answers, each with the way to it, and the ways to other pages."""
    pages = -(-len(rows.questions) // PAGE)
    page = SESSION.page_within(pages)
    st.header(f"Answers ({rows.count:,})")
    proposal_batch_view.draw(rows.view, rows.conditions, rows.count)
    instances = rows.answers(rows.questions[(page - 1) * PAGE : page * PAGE])
    if not instances:
        safe_html.message("No answer meets these filters: remove one of them, or search for another word.")
    answer_rows.draw_groups(instances, [rows.metric] if rows.metric else [], ways=_open)
    SESSION.turn_pages(pages, f" · {len(rows.questions):,} questions")


def _open(question: int, names: Mapping[int, str]) -> None:
    """What opens an answer to a question: a button for each run, by its name."""
    key = f"inspect_open_{question}"
    st.pills(
        "Open the answer of",
        list(names),
        key=key,
        format_func=lambda answer: f":material/open_in_full: {plain_label(names[answer])}",
        on_change=lambda: SESSION.change(instance=st.session_state[key] or 0),
    )


def instance_with(answer: int) -> Instance | None:
    """The instance with a stored id, whatever the filters; None where it is gone."""
    rows = result_frames.result_view(Filter()).instances(limit=1, conditions=of_answer(answer))
    return rows[0] if rows else None
