"""Differences on the Dashboard: which run or value of a choice is better, over all languages and in each."""

from __future__ import annotations

from collections.abc import Mapping
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
from workbench.ui.dashboard.dashboard_state import SESSION, DashboardState, choice_filter, mark
from workbench.ui.dashboard.result_frames import CACHED_FRAMES, ResultsState, result_view
from workbench.ui.dashboard.run_frames import LEADERBOARD_SIZE
from workbench.ui.dashboard.view_parts import choose_published, show_figure, show_findings, show_note
from workbench.ui.parts.chart_style import language_label, plain_text

if TYPE_CHECKING:
    from pandas import DataFrame


# ruff: noqa: ARG001 - `state` is part of the key under which Streamlit caches a frame


DELTA_COLUMNS = ("mean", "low", "high", "p", "n", "questions", "left_out", "detectable", "differing")
OPTIONAL_COLUMNS = ("mean", "low", "high", "p", "detectable")
"""The columns of differences, and those of them that may be missing."""


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
def differences(state: ResultsState, filter_: Filter, metric: str, what: Comparison, first: str) -> DataFrame:
    """One row for each of the others, with its difference from `first`.

    p is corrected over all of them, and over all pairs of them where `first` is the best by score (`is_best`).
    """
    titles = candidates(state, filter_, metric, what)
    deltas = _deltas(state, filter_, metric, what, first)
    family = _family(len(deltas), first=first, titles=titles)
    rows = [
        {
            "name": titles[name],
            what: name,
            "pairs_of_runs": pairs,
            **_delta_columns(item),
            "family": family,
            "mark": _mark(what, name),
        }
        for name, (pairs, item) in deltas.items()
    ]
    return _frame(rows, ["name", what, "pairs_of_runs"])


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def finding(state: ResultsState, filter_: Filter, metric: str, what: Comparison, first: str) -> str:
    """Which of the others differ from `first`, in a sentence."""
    titles = candidates(state, filter_, metric, what)
    deltas = _deltas(state, filter_, metric, what, first)
    named = {titles[name]: item for name, (_, item) in deltas.items()}
    return difference_finding(titles[first], named, metric, base_by_score=is_best(first, titles))


def is_best(first: str, titles: Mapping[str, str]) -> bool:
    """Whether the base is the best by score, as it is where nobody chose another."""
    return first == next(iter(titles), "")


def _family(others: int, *, first: str, titles: Mapping[str, str]) -> int:
    """How many comparisons p is corrected for: all pairs where the base is the best by score."""
    return others * (others + 1) // 2 if is_best(first, titles) else others


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def _deltas(
    state: ResultsState, filter_: Filter, metric: str, what: Comparison, first: str
) -> dict[str, tuple[int, Delta]]:
    """By the name of each of the others: over how many pairs of runs it is compared, and its difference."""
    others = _comparable(state, filter_, metric, what, first)
    best = is_best(first, candidates(state, filter_, metric, what))
    deltas = run_deltas(result_view(filter_), metric, list(others.values()), base_by_score=best)
    return {name: (len(pairs), delta) for (name, pairs), delta in zip(others.items(), deltas, strict=True)}


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
            **_delta_columns(item.delta),
            # All languages together are one comparison.
            "family": len(items) - 1 if item.language else 1,
            "mark": _mark(what, second, item.language),
        }
        for item in items
    ]
    return _frame(rows, ["name", "language"])


def _mark(what: Comparison, name: str, language: str = "") -> str:
    values: dict[str, object] = {**choice_filter(what, name), "languages": language}
    return mark(**values)  # type: ignore[arg-type]


def _delta_columns(delta: Delta) -> dict[str, object]:
    return {name: getattr(delta, name) for name in DELTA_COLUMNS}


def _frame(rows: list[dict[str, object]], first: list[str]) -> DataFrame:
    from pandas import DataFrame

    frame = DataFrame(rows, columns=[*first, *DELTA_COLUMNS, "family", "mark"])
    # NaN where there is no value.
    return frame.astype(dict.fromkeys(OPTIONAL_COLUMNS, float))


TITLE_LIMIT = 60
"""Characters of a run's title in the title of a figure."""


def draw(dashboard: DashboardState, state: ResultsState) -> None:
    """The controls and the figures."""
    dashboard = _choose_comparison(dashboard, state)
    titles = candidates(state, dashboard.filter_, dashboard.metric, dashboard.what)
    first = _select("Compare with", "against", titles, "All others are compared with this one, per question.")
    dashboard, published = choose_published(dashboard, dashboard.metric, state)
    with st.spinner("Comparing question by question"):
        frame = differences(state, dashboard.filter_, dashboard.metric, dashboard.what, first)
    note = " (the best)" if is_best(first, titles) else ""
    show_findings(finding(state, dashboard.filter_, dashboard.metric, dashboard.what, first))
    title = f"Difference from “{plain_text(titles[first], TITLE_LIMIT)}”{note}: {metric_name(dashboard.metric)}"
    show_figure(deltas(frame, title, dashboard.metric, published), frame, "differences", dashboard, state)
    if is_best(first, titles) and len(frame) > 1:
        show_note(
            "The base is the best by its score, so all pairs have been looked at, and p is corrected for all of them "
            "(Holm). With another base, p is corrected for the pairs with it alone."
        )
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
    st.segmented_control(
        "Compare",
        options,
        required=True,
        format_func=choice_title,
        help="Single runs, or all runs with one mode (scope, prompt …) and those with another that differ in nothing "
        "else.",
        **SESSION.control("what", shown=what),
    )
    return dashboard.with_(what=what)


def _by_language(
    dashboard: DashboardState, state: ResultsState, others: Mapping[str, str], first: str, title: str
) -> None:
    """One of the others in each language."""
    languages = dashboard.filter_.languages or result_frames.languages(state, dashboard.filter_)
    if not others or len(languages) < 2:
        return
    second = _select(
        "Show by language", "closer", others, "Its difference in each language; p is corrected over the languages."
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
    st.selectbox(
        label, list(titles), format_func=titles.__getitem__, help=help_text, **SESSION.control(field, shown=name)
    )
    return name
