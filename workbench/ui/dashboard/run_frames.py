"""Runs as the tidy frames that charts draw: the leaderboard, and what they cost."""

# ruff: noqa: ARG001 - `state` is part of the key under which Streamlit caches a frame

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import streamlit as st

from workbench.experiments import Filter, Standing, run_names, standings
from workbench.ui.dashboard.dashboard_state import mark
from workbench.ui.dashboard.result_frames import CACHED_FRAMES, ResultsState, mean_frame, numbers, result_view

if TYPE_CHECKING:
    from pandas import DataFrame

LEADERBOARD_SIZE = 25
"""Runs in a leaderboard; the others are only counted."""


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def leaderboard(state: ResultsState, filter_: Filter, metric: str, common: bool = True) -> tuple[DataFrame, int]:
    """The best runs with their titles, ranks and coverage, and how many runs there are."""
    from pandas import DataFrame

    best, count = leaders(state, filter_, metric, common)
    titles = run_names(result_view(Filter(runs=tuple(item.run for item in best))).runs()) if best else {}
    rows = [
        {
            **asdict(item),
            "title": titles[item.run],
            "metric": metric,
            "partial": item.is_partial,
            "mark": mark(runs=item.run),
        }
        for item in best
    ]
    columns = [*Standing.__dataclass_fields__, "title", "metric", "partial", "mark"]
    frame = numbers(DataFrame(rows, columns=columns), ["rank", "mean", "low", "high"])
    return frame[["run", "rank", "title", *(name for name in columns if name not in ("run", "rank", "title"))]], count


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def leaders(state: ResultsState, filter_: Filter, metric: str, common: bool) -> tuple[list[Standing], int]:
    """The runs of the leaderboard in their order, and how many runs there are."""
    return standings(result_view(filter_), metric, LEADERBOARD_SIZE, common=common)


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def costs(state: ResultsState, filter_: Filter, metric: str) -> DataFrame:
    """Every run's mean of a metric with its seconds and tokens per question, NaN where unknown."""
    frame = mean_frame(result_view(filter_).means_with_intervals(metric, ("run",)), ("run",))
    runs_by_id = {run.id: run for run in result_view(filter_).runs()}
    titles = run_names(list(runs_by_id.values()))
    spent = {int(item.key[0]): item for item in result_view(filter_).effort()}
    frame["title"] = [titles[run] for run in frame["run"]]
    frame["mode"] = [runs_by_id[run].mode for run in frame["run"]]
    frame["seconds"] = [spent[run].seconds if run in spent else None for run in frame["run"]]
    frame["tokens"] = [
        (item.prompt_tokens + item.completion_tokens) / item.answers
        if (item := spent.get(run)) and item.answers and item.prompt_tokens + item.completion_tokens
        else None
        for run in frame["run"]
    ]
    return numbers(frame, ["seconds", "tokens"])
