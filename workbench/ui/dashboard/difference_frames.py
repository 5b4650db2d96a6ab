"""Differences as the tidy frames that charts draw: runs against one run, or one value of a choice against another."""

# ruff: noqa: ARG001 - `state` is part of the key under which Streamlit caches a frame

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from workbench.results import run_pairs
from workbench.results.filters import Filter
from workbench.results.paired_comparison import Delta, language_deltas, run_deltas
from workbench.results.run_pairs import Comparison, Pair
from workbench.ui.dashboard.charts.chart_style import language_label
from workbench.ui.dashboard.dashboard_state import FILTER_FIELDS, mark
from workbench.ui.dashboard.result_frames import CACHED_FRAMES, LEADERBOARD_SIZE, ResultsState, result_view, run_titles

if TYPE_CHECKING:
    from pandas import DataFrame

DELTA_COLUMNS = ("mean", "low", "high", "p", "n", "questions", "left_out", "detectable")
OPTIONAL_COLUMNS = ("mean", "low", "high", "p", "detectable")
"""The columns of differences, and those of them that may be missing."""


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def candidates(state: ResultsState, filter_: Filter, metric: str, what: Comparison) -> dict[str, str]:
    """The titles of the best runs or values of a choice, best first; runs by their stored ids as text."""
    names = run_pairs.candidates(result_view(filter_), metric, what)[:LEADERBOARD_SIZE]
    if what != "run":
        return {name: name for name in names}
    titles = run_titles(result_view(Filter(runs=tuple(map(int, names)))).runs()) if names else {}
    return {name: titles[int(name)] for name in names}


def _comparable(
    state: ResultsState, filter_: Filter, metric: str, what: Comparison, first: str
) -> dict[str, list[Pair]]:
    return run_pairs.comparable(result_view(filter_), what, first, list(candidates(state, filter_, metric, what)))


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def differences(state: ResultsState, filter_: Filter, metric: str, what: Comparison, first: str) -> DataFrame:
    """One row for each of the others, with its difference from `first`; p is corrected over all of them."""
    titles, others = candidates(state, filter_, metric, what), _comparable(state, filter_, metric, what, first)
    deltas = run_deltas(result_view(filter_), metric, list(others.values()))
    rows = [
        {
            "name": titles[name],
            what: name,
            "pairs_of_runs": len(pairs),
            **_delta_columns(item),
            "corrected": True,
            "mark": _mark(what, name),
        }
        for (name, pairs), item in zip(others.items(), deltas, strict=True)
    ]
    return _frame(rows, ["name", what, "pairs_of_runs"])


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def by_languages(
    state: ResultsState, filter_: Filter, metric: str, what: Comparison, first: str, second: str
) -> DataFrame:
    """The difference of `second` from `first`, first over all languages together and then in each."""
    pairs = _comparable(state, filter_, metric, what, first)[second]
    rows = [
        {
            "name": language_label(item.language) if item.language else "all languages",
            "language": item.language,
            **_delta_columns(item.delta),
            "corrected": bool(item.language),
            "mark": _mark(what, second, item.language),
        }
        for item in language_deltas(result_view(filter_), metric, pairs)
    ]
    return _frame(rows, ["name", "language"])


def _mark(what: Comparison, name: str, language: str = "") -> str:
    values: dict[str, object] = {FILTER_FIELDS[what]: name, "languages": language}
    return mark(**values)  # type: ignore[arg-type]


def _delta_columns(item: Delta) -> dict[str, object]:
    return {name: getattr(item, name) for name in DELTA_COLUMNS}


def _frame(rows: list[dict[str, object]], first: list[str]) -> DataFrame:
    from pandas import DataFrame

    frame = DataFrame(rows, columns=[*first, *DELTA_COLUMNS, "corrected", "mark"])
    # NaN where there is no value.
    return frame.astype(dict.fromkeys(OPTIONAL_COLUMNS, float))
