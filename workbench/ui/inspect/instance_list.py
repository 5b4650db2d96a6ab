"""The instances that the filters of Browse let through: a page of them as cards, and the neighbours of an open one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st
from sqlalchemy import ColumnElement

from workbench.experiments import (
    Filter,
    Instance,
    ResultView,
    before_answer,
    contains_text,
    newest_first,
    of_answer,
    run_names,
    scored_within,
    without_label,
    wrong_language,
)
from workbench.ui.dashboard import result_frames
from workbench.ui.dashboard.dashboard_state import bounds
from workbench.ui.dashboard.result_frames import ResultsState
from workbench.ui.diagnosis import proposal_batch_view
from workbench.ui.inspect.inspect_state import SESSION, InspectState
from workbench.ui.parts import safe_html
from workbench.ui.parts.badges import chip, hue, language_badge
from workbench.ui.parts.safe_html import Html, element, escaped, inline, text_block

PAGE = 20
EXCERPT = 280
"""Characters of an answer that a card shows."""
GOLDS = 4
"""Golds that a card shows."""


@dataclass(frozen=True, slots=True)
class InstanceListing:
    """The instances of a view that meet conditions, in the order in which they were stored."""

    view: ResultView
    conditions: tuple[ColumnElement[bool], ...]

    def count(self) -> int:
        """How many there are."""
        return self.view.count(conditions=self.conditions)

    def page(self, number: int) -> list[Instance]:
        """A page of them; `number` counts from 1."""
        return self.view.instances(start=(number - 1) * PAGE, limit=PAGE, conditions=self.conditions)

    def place(self, answer: int) -> int:
        """The place of an answer among them, from 1; 0 where it is not among them."""
        if not self.view.count(conditions=[*self.conditions, *of_answer(answer)]):
            return 0
        return 1 + self.view.count(conditions=[*self.conditions, *before_answer(answer)])

    def neighbours(self, answer: int) -> tuple[int, int]:
        """The stored ids of those before and after an answer, 0 where there is none."""
        # Each stops at the first that it meets, however many there are.
        before = [*self.conditions, *before_answer(answer)]
        earlier = self.view.instances(limit=1, conditions=before, order=newest_first())
        later = self.view.instances(limit=1, conditions=self.conditions, after=answer)
        return (earlier[0].answer if earlier else 0, later[0].answer if later else 0)


def listing(state: InspectState) -> InstanceListing:
    """What the state's filters let through."""
    conditions: list[ColumnElement[Any]] = contains_text(state.search)
    if state.metric and (within := bounds(state.within)):
        conditions += scored_within(state.metric, *within)
    if "wrong-language" in state.only:
        conditions += wrong_language()
    if "unlabelled" in state.only:
        conditions += without_label()
    return InstanceListing(result_frames.result_view(state.filter_), tuple(conditions))


@st.cache_data(show_spinner=False, max_entries=64)
def _cached_count(results: ResultsState, query: str, _state: InspectState, answer: int) -> int:  # noqa: ARG001
    rows = listing(_state)
    return rows.place(answer) if answer else rows.count()


def count_of(state: InspectState, answer: int = 0) -> int:
    """How many instances the filters let through, or an answer's place among them; counted once per state of results.

    What people have labelled is no part of that state, so it is counted each time.
    """
    if "unlabelled" in state.only:
        return listing(state).place(answer) if answer else listing(state).count()
    return _cached_count(result_frames.current_state(), state.query, state, answer)


def draw(state: InspectState, rows: InstanceListing) -> None:
    """A page of cards with the way to each, and to the other pages."""
    count = count_of(state)
    pages = max(1, -(-count // PAGE))
    st.header(f"Answers ({count:,})")
    proposal_batch_view.draw(rows.view, rows.conditions, count)
    instances = rows.page(min(state.page, pages))
    if not instances:
        safe_html.message("No answer meets these filters: remove one of them, or search for another word.")
    titles = run_names([instance.run for instance in instances])
    for item in instances:
        with st.container(border=True, gap="small", key=f"instance_{item.answer}"):
            safe_html.show(card(item, titles[item.run.id], state.metric))
            st.button(
                "Open answer",
                key=f"inspect_open_{item.answer}",
                icon=":material/open_in_full:",
                type="tertiary",
                on_click=SESSION.change,
                kwargs={"instance": item.answer},
            )
    if pages > 1:
        _pages(min(state.page, pages), pages)


def card(instance: Instance, title: str, metric: str) -> Html:
    """An instance in a few lines: question, answer, golds and the score by `metric`, "" for none."""
    head = [language_badge(instance.language), inline(title, css="wb-muted")]
    if metric:
        value = instance.scores.get(metric)
        head.append(chip(metric, "unscored" if value is None else f"{value:.3f}"))
    if instance.error:
        answer = text_block(f"Failed: {instance.error}", "en", "wb-missing")
    else:
        output = instance.output if len(instance.output) <= EXCERPT else instance.output[:EXCERPT] + "…"
        answer = text_block(output or "(empty)", instance.answer_language, "wb-long")
    golds = [inline(gold, instance.language, "wb-chip") for gold in instance.golds[:GOLDS]] or [chip("none")]
    return element(
        "article",
        element("header", *head),
        text_block(instance.text, instance.language, "wb-ask"),
        answer,
        element("div", element("span", escaped("Gold answers"), css="wb-label"), *golds, css="wb-row"),
        css="wb-doc wb-instance",
        hue=hue(instance.language),
    )


def _pages(page: int, pages: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="inspect_pages"):
        _turn("Previous page", page - 1, pages, "inspect_earlier")
        st.markdown(f"Page {page:,} of {pages:,}")
        _turn("Next page", page + 1, pages, "inspect_later")


def _turn(label: str, page: int, pages: int, key: str) -> None:
    beyond = not 1 <= page <= pages
    st.button(label, key=key, disabled=beyond, on_click=SESSION.change, kwargs={"page": page})


def instance_with(answer: int) -> Instance | None:
    """The instance with a stored id, whatever the filters; None where it is gone."""
    rows = result_frames.result_view(Filter()).instances(limit=1, conditions=of_answer(answer))
    return rows[0] if rows else None
