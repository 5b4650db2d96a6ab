"""The sentence above each figure and what the figure pools, computed once per state of the results and filter."""

# ruff: noqa: ARG001 - `state` is part of the key under which Streamlit caches a sentence

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from workbench.experiments import (
    Comparison,
    Filter,
    agreement_finding,
    choice_finding,
    cost_finding,
    documents_finding,
    elsewhere_finding,
    extremes_finding,
    pooled_words,
    run_finding,
    run_names,
    same_stored_runs,
)
from workbench.metrics import metric_name
from workbench.ui.dashboard import result_frames
from workbench.ui.dashboard.charts.curves import Cost, readable, undominated
from workbench.ui.dashboard.dashboard_state import Series
from workbench.ui.dashboard.result_frames import CACHED_FRAMES, ResultsState, result_view
from workbench.ui.parts.chart_style import language_label

if TYPE_CHECKING:
    from pandas import DataFrame

NO_RETRIEVAL = "baseline"


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def of_runs(state: ResultsState, filter_: Filter, metric: str, common: bool) -> list[str]:
    """The leaderboard's sentences, one for each dataset."""
    rows, _ = result_frames.leaders(state, filter_, metric, common)
    titles = run_names(result_view(Filter(runs=tuple(row.run for row in rows))).runs()) if rows else {}
    return run_finding(result_view(filter_), metric, rows, titles)


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def of_choice(state: ResultsState, filter_: Filter, metric: str, what: Comparison) -> str:
    """Which value of a choice is best; modes in their papers' scopes, scopes over the modes that retrieve."""
    if what == "scope":
        modes = tuple(sorted({run.mode for run in result_view(filter_).runs()} - {NO_RETRIEVAL}))
        filter_ = replace(filter_, modes=modes) if modes else filter_
    elif what == "mode":
        filter_ = result_frames.in_paper_scope(state, filter_)
    return choice_finding(result_view(filter_), metric, what)


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def of_languages(state: ResultsState, filter_: Filter, metric: str) -> str:
    """The language with the highest and the one with the lowest mean."""
    rows = result_view(filter_).means_with_intervals(metric, ("language",))
    return extremes_finding([(language_label(str(row.key[0])), row) for row in rows], "language")


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def elsewhere(state: ResultsState, filter_: Filter, metric: str) -> str:
    """How many answers with score 0 are in another language than the gold answers."""
    return elsewhere_finding(result_view(filter_), metric)


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def of_documents(state: ResultsState, filter_: Filter) -> str:
    """The shares of documents in English, the question's language and others."""
    every = " They are counted for all questions, wherever the answer lies." if filter_.evidence_in else ""
    return documents_finding(result_view(filter_).flows()) + every


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def of_retrieval(state: ResultsState, filter_: Filter, metric: str, series: Series) -> str:
    """What retrieves best at one depth."""
    if series != "language":
        return f"{metric_name(metric)}: {of_choice(state, filter_, metric, series)}"
    return f"{metric_name(metric)}: {of_languages(state, result_frames.in_paper_scope(state, filter_), metric)}"


def reached(frame: DataFrame) -> list[tuple[str, int, int]]:
    """Of each line of Retrieval: its name, how many answers have a gold passage in its languages, and how many all."""
    deepest = frame[frame["at"] == frame["at"].max()] if len(frame) else frame
    counts = zip(deepest["series"], deepest["n"], deepest["unscored"], strict=True)
    return [(str(name), int(n), int(n + unscored)) for name, n, unscored in counts]


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def of_costs(state: ResultsState, filter_: Filter, metric: str, cost: Cost) -> str:
    """Which runs are best for their cost."""
    from workbench.metrics import scale_of

    frame = result_frames.costs(state, filter_, metric)
    runs = frame[frame["mean"].notna() & (frame[cost] > 0)]
    if not len(runs):
        return ""
    spent, unit = readable(runs[cost], cost)
    best = undominated(runs.assign(**{cost: spent}), cost, scale_of(metric))
    points = zip(best["title"], best["mean"], best[cost], strict=True)
    rows = [(title, float(mean), f"{spent:,.3g} {unit}") for title, mean, spent in points]
    return cost_finding(rows, len(runs))


def of_metrics(state: ResultsState, filter_: Filter) -> str:
    """The metrics that agree most and least."""
    return agreement_finding(result_frames.correlations(state, filter_))


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def alike(state: ResultsState, filter_: Filter) -> tuple[str, ...]:
    """Which runs do the same under several names."""
    return same_stored_runs(result_frames.runs(state, filter_))


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def pooled(state: ResultsState, filter_: Filter, shown: Sequence[str]) -> str:
    """What the figures of the runs that a filter lets through average over, in a sentence."""
    return pooled_words(result_frames.runs(state, filter_), shown)
