"""Differences as the tidy frames that charts draw: runs against one run, or one value of a choice against another."""

# ruff: noqa: ARG001 - `state` is part of what Streamlit keeps a frame under

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from workbench.results import run_pairs
from workbench.results.filters import Filter
from workbench.results.paired_comparison import Delta, language_deltas, run_deltas
from workbench.results.run_pairs import Comparison, Pair
from workbench.ui.dashboard.charts.chart_style import named
from workbench.ui.dashboard.dashboard_state import PLURAL, mark
from workbench.ui.dashboard.result_frames import KEPT, SHOWN, State, titles, view

if TYPE_CHECKING:
    from pandas import DataFrame

DELTA = ("mean", "low", "high", "p", "n", "questions", "left_out", "detectable")
TESTED = ("mean", "low", "high", "p", "detectable")
"""Columns of differences, and those of them that may be missing."""


@st.cache_data(show_spinner=False, max_entries=KEPT)
def candidates(state: State, chosen: Filter, metric: str, what: Comparison) -> dict[str, str]:
    """The best of what can be compared, with its title; runs by their stored ids."""
    found = run_pairs.candidates(view(chosen), metric, what)[:SHOWN]
    if what != "run":
        return {name: name for name in found}
    called = titles(view(Filter(runs=tuple(map(int, found)))).runs()) if found else {}
    return {name: called[int(name)] for name in found}


def _comparable(state: State, chosen: Filter, metric: str, what: Comparison, first: str) -> dict[str, list[Pair]]:
    return run_pairs.comparable(view(chosen), what, first, list(candidates(state, chosen, metric, what)))


@st.cache_data(show_spinner=False, max_entries=KEPT)
def differences(state: State, chosen: Filter, metric: str, what: Comparison, first: str) -> DataFrame:
    """Every other against `first`."""
    called, others = candidates(state, chosen, metric, what), _comparable(state, chosen, metric, what, first)
    found = run_deltas(view(chosen), metric, list(others.values()))
    rows = [
        {
            "name": called[name],
            what: name,
            "pairs_of_runs": len(pairs),
            **_told(item),
            "corrected": True,
            "mark": _mark(what, name),
        }
        for (name, pairs), item in zip(others.items(), found, strict=True)
    ]
    return _frame(rows, ["name", what, "pairs_of_runs"])


@st.cache_data(show_spinner=False, max_entries=KEPT)
def by_languages(state: State, chosen: Filter, metric: str, what: Comparison, first: str, second: str) -> DataFrame:
    """The second against `first`, over all languages together and in each."""
    pairs = _comparable(state, chosen, metric, what, first)[second]
    rows = [
        {
            "name": named(item.language) if item.language else "all languages together",
            "language": item.language,
            **_told(item.delta),
            "corrected": bool(item.language),
            "mark": _mark(what, second, item.language),
        }
        for item in language_deltas(view(chosen), metric, pairs)
    ]
    return _frame(rows, ["name", "language"])


def _mark(what: Comparison, name: str, language: str = "") -> str:
    values: dict[str, object] = {PLURAL[what]: name, "languages": language}
    return mark(**values)  # type: ignore[arg-type]


def _told(item: Delta) -> dict[str, object]:
    return {name: getattr(item, name) for name in DELTA}


def _frame(rows: list[dict[str, object]], first: list[str]) -> DataFrame:
    from pandas import DataFrame

    frame = DataFrame(rows, columns=[*first, *DELTA, "corrected", "mark"])
    # NaN where there is nothing.
    return frame.astype(dict.fromkeys(TESTED, float))
