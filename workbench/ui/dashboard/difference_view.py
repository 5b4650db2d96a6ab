"""Differences on the Dashboard: which run or value of a choice is better, over all languages and in each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import TYPE_CHECKING

import streamlit as st

from workbench.experiments import (
    COMPARISONS,
    Comparison,
    Delta,
    Filter,
    Pair,
    candidates as run_pairs_candidates,
    choice_name,
    choice_title,
    comparable,
    comparisons,
    difference_finding,
    language_deltas,
    run_deltas,
    run_names,
)
from workbench.metrics import metric_name
from workbench.ui.dashboard import result_frames
from workbench.ui.dashboard.charts.intervals import deltas
from workbench.ui.dashboard.dashboard_state import SESSION, DashboardState, mark
from workbench.ui.dashboard.result_frames import CACHED_FRAMES, LEADERBOARD_SIZE, ResultsState, numbers, result_view
from workbench.ui.dashboard.view_parts import choose_published, show_figure, show_findings
from workbench.ui.parts.chart_style import language_label, plain_text

if TYPE_CHECKING:
    from pandas import DataFrame


# ruff: noqa: ARG001 - `state` is part of the key under which Streamlit caches a frame


OPTIONAL_COLUMNS = ("mean", "low", "high", "p", "detectable", "needed")
"""The columns of differences that may be missing."""


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def candidates(state: ResultsState, filter_: Filter, metric: str, what: Comparison) -> dict[str, str]:
    """The titles of the best runs or values of a choice, best first; runs by their stored ids as text."""
    names = run_pairs_candidates(result_view(filter_), metric, what)[:LEADERBOARD_SIZE]
    if what != "run":
        return {name: choice_name(what, name) for name in names}
    titles = run_names(result_view(Filter(runs=tuple(map(int, names)))).runs()) if names else {}
    return {name: titles[int(name)] for name in names}


def _comparable(
    state: ResultsState, filter_: Filter, metric: str, what: Comparison, first: str
) -> dict[str, list[Pair]]:
    return comparable(result_view(filter_), what, first, list(candidates(state, filter_, metric, what)))


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def differences(
    state: ResultsState, filter_: Filter, metric: str, what: Comparison, first: str
) -> tuple[DataFrame, str]:
    """One row for each of the others, with its difference from `first`; and which of them differ, in a sentence."""
    titles, others = candidates(state, filter_, metric, what), _comparable(state, filter_, metric, what, first)
    # Runs over another dataset are no part of the family: nothing of theirs is compared.
    among = len(others) + 1 if what == "run" else len(titles)
    deltas = run_deltas(result_view(filter_), metric, list(others.values()), among)
    rows = [
        {
            "name": titles[name],
            what: name,
            "pairs_of_runs": len(pairs),
            **asdict(delta),
            "mark": mark(**{what: name}),
        }
        for (name, pairs), delta in zip(others.items(), deltas, strict=True)
    ]
    named = {titles[name]: delta for name, delta in zip(others, deltas, strict=True)}
    return _frame(rows, ["name", what, "pairs_of_runs"]), difference_finding(titles[first], named, metric)


def is_best(first: str, titles: Mapping[str, str]) -> bool:
    """Whether the base is the best by score, as it is where nobody chose another."""
    return first == next(iter(titles), "")


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def by_languages(
    state: ResultsState, filter_: Filter, metric: str, what: Comparison, first: str, second: str
) -> DataFrame:
    """The difference of `second` from `first`, first over all languages together and then in each."""
    pairs = _comparable(state, filter_, metric, what, first)[second]
    items = language_deltas(result_view(filter_), metric, pairs)
    rows = [
        {
            "name": language_label(item.language) if item.language else "all languages",
            "language": item.language,
            **asdict(item.delta),
            "mark": mark(**{what: second}, language=item.language),
        }
        for item in items
    ]
    return _frame(rows, ["name", "language"])


def _frame(rows: list[dict[str, object]], first: list[str]) -> DataFrame:
    from pandas import DataFrame

    columns = [*first, *(field.name for field in fields(Delta)), "mark"]
    return numbers(DataFrame(rows, columns=columns), OPTIONAL_COLUMNS)


TITLE_LIMIT = 60
"""Characters of a run's title in the title of a figure."""


def draw(dashboard: DashboardState, state: ResultsState) -> None:
    """The controls and the figures."""
    dashboard = _choose_comparison(dashboard, state)
    titles = candidates(state, dashboard.filter_, dashboard.metric, dashboard.what)
    first = _select("Compare with", "against", titles, "All others are compared with this one, per question.")
    dashboard, published = choose_published(dashboard, dashboard.metric, state)
    with st.spinner("Comparing question by question"):
        frame, finding = differences(state, dashboard.filter_, dashboard.metric, dashboard.what, first)
    note = " (the best)" if is_best(first, titles) else ""
    show_findings(finding)
    title = f"Difference from “{plain_text(titles[first], TITLE_LIMIT)}”{note}: {metric_name(dashboard.metric)}"
    show_figure(deltas(frame, title, dashboard.metric, published), frame, "differences", dashboard, state)
    if dashboard.what != "run":
        st.caption(
            "Runs are paired if they differ in nothing else. Modes that share no scope are paired in the scopes that "
            "their papers define."
        )
    others = {name: titles[name] for name in frame[dashboard.what]}
    _by_language(dashboard, state, others, first, titles[first])


def _choose_comparison(dashboard: DashboardState, state: ResultsState) -> DashboardState:
    """The control for what is compared, where runs differ in some choice."""
    runs = result_frames.runs(state, dashboard.filter_)
    options = [
        name
        for name in comparisons(runs)
        if name == "run" or name not in COMPARISONS or len({getattr(run, name) for run in runs}) > 1
    ]
    what = dashboard.what if dashboard.what in options else options[0]
    if len(options) == 1:
        return dashboard.with_(what=what)
    help_ = (
        "Single runs, or all runs with one mode (scope, prompt …) and those with another that differ in nothing else."
    )
    SESSION.switch("what", "Compare", {name: choice_title(name) for name in options}, what, help=help_)
    return dashboard.with_(what=what)


def _by_language(
    dashboard: DashboardState, state: ResultsState, others: Mapping[str, str], first: str, title: str
) -> None:
    """One of the others in each language."""
    languages = dashboard.filter_.languages or result_frames.languages(state, dashboard.filter_)
    if not others or len(languages) < 2:
        return
    second = _select(
        "Show by language", "closer", others, "Its difference in each language, corrected over the languages."
    )
    with st.spinner("Comparing in each language"):
        frame = by_languages(state, dashboard.filter_, dashboard.metric, dashboard.what, first, second)
    pair = f"“{plain_text(others[second], TITLE_LIMIT)}” minus “{plain_text(title, TITLE_LIMIT)}”"
    figure = deltas(frame, f"{pair}, by language: {metric_name(dashboard.metric)}", dashboard.metric)
    show_figure(figure, frame, "differences-by-language", dashboard, state)


def _select(label: str, field: str, titles: Mapping[str, str], help_text: str) -> str:
    """The box of a field whose default is the first of `titles`."""
    value: str = SESSION.current.at(field)
    name = value if value in titles else next(iter(titles))
    SESSION.box(field, label, titles, name, help=help_text)
    return name
