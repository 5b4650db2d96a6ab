"""Results as the tidy frames that charts draw. Each is computed once per state of the results and filter."""

# ruff: noqa: ARG001 - `state` is part of the key under which Streamlit caches a frame

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench.languages import is_known, language
from workbench.metrics.ranking import MEASURES as RANKINGS
from workbench.results.filters import Dimension, Filter
from workbench.results.metric_agreement import metric_correlations
from workbench.results.queries.experiment_list import ExperimentName
from workbench.results.queries.mean_intervals import MeanWithInterval
from workbench.results.queries.run_list import StoredRun
from workbench.results.result_store import ResultStore, ResultView
from workbench.ui.dashboard.dashboard_state import URL_NAMES, mark
from workbench.ui.shared import access

if TYPE_CHECKING:
    from pandas import DataFrame

LEADERBOARD_SIZE = 25
"""Runs in a leaderboard; the others are only counted."""
CACHED_FRAMES = 256
"""Frames of each kind that a server caches."""
RUN_CHOICES = ("dataset", "mode", "scope", "prompt", "model", "k", "perturbation")
"""The choices that a run's title is composed of."""
RESOURCE_GROUPS = {"hr": "high", "lr": "low"}
"""The groups of languages in Ranaldi et al. (2025, CrossRAG), with the resources of their languages."""

ResultsState = tuple[float | str, ...]
"""A value that changes when the results do; it contains the database's URL."""


def store() -> ResultStore:
    """The results of the workspace."""
    return ResultStore.at(access.workbench().settings.database_url)


def result_view(filter_: Filter) -> ResultView:
    """The results that a filter lets through."""
    return store().where(filter_)


def current_state() -> ResultsState:
    """The state of the results now, with which every function below is called."""
    return (*store().state(), access.workbench().settings.database_url)


@st.cache_data(show_spinner=False, max_entries=4)
def experiments(state: ResultsState) -> list[ExperimentName]:
    """All experiments, the newest first."""
    return store().experiment_names()


@st.cache_data(show_spinner=False, max_entries=16)
def runs(state: ResultsState, filter_: Filter) -> list[StoredRun]:
    """The runs that a filter lets through."""
    return result_view(filter_).runs()


@st.cache_data(show_spinner=False, max_entries=64)
def metrics(state: ResultsState, filter_: Filter) -> list[str]:
    """The metrics that some of the runs that a filter lets through were scored by."""
    return result_view(filter_).metrics()


@st.cache_data(show_spinner=False, max_entries=64)
def languages(state: ResultsState, filter_: Filter) -> list[str]:
    """The codes of the question languages of those runs."""
    return result_view(filter_).languages()


def run_titles(rows: Sequence[StoredRun]) -> dict[int, str]:
    """A distinct title for each run by its id: the choices in which these runs differ, four where they do not.

    An imported run has few choices.
    """
    varied = [name for name in RUN_CHOICES if len({getattr(run, name) for run in rows}) > 1] or list(RUN_CHOICES[1:5])
    parts = {run.id: [f"k={run.k}" if name == "k" else getattr(run, name) for name in varied] for run in rows}
    titles = {run: " · ".join(filter(None, words)) or f"#{run}" for run, words in parts.items()}
    counts = Counter(titles.values())
    return {run: f"{title} · #{run}" if counts[title] > 1 else title for run, title in titles.items()}


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def leaderboard(state: ResultsState, filter_: Filter, metric: str) -> tuple[DataFrame, int]:
    """The best runs with their titles, and how many runs there are."""
    best, count = result_view(filter_).best_runs(metric, LEADERBOARD_SIZE)
    titles = run_titles(result_view(Filter(runs=tuple(int(item.key[0]) for item in best))).runs()) if best else {}
    frame = _frame(best, ("run",))
    frame["title"] = [titles[run] for run in frame["run"]]
    return frame, count


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def by_scope(state: ResultsState, filter_: Filter, metric: str, by: tuple[Dimension, ...]) -> DataFrame:
    """A metric by dimensions, one of them the scope; answers without retrieval have the scope `none`."""
    from pandas import concat

    modes = {run.mode for run in result_view(filter_).runs()}
    frames = []
    if "baseline" in modes:
        rest = [name for name in by if name != "scope"]
        without = result_view(replace(filter_, modes=("baseline",))).means_with_intervals(metric, rest)
        frame = _frame(without, rest, modes="baseline")
        frames.append(frame.assign(scope="none"))
    if others := tuple(sorted(modes - {"baseline"})):
        with_retrieval = replace(filter_, modes=others)
        # In the marks too: answers without retrieval have a stored scope, in which nothing is searched.
        also = {"modes": others} if "baseline" in modes else {}
        frames.append(_frame(result_view(with_retrieval).means_with_intervals(metric, by), by, **also))
    return concat(frames, ignore_index=True) if frames else _frame([], by)


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def by_mode(state: ResultsState, filter_: Filter, metric: str) -> DataFrame:
    """A metric by dataset and mode, over all languages and over those of high and low resource."""
    from pandas import concat

    codes = tuple(str(item.key[0]) for item in result_view(filter_).means([metric], ["language"]))
    averages = result_view(filter_).means_with_intervals(metric, ("dataset", "mode"))
    frames = [_frame(averages, ("dataset", "mode")).assign(group="avg")]
    for group, resource in RESOURCE_GROUPS.items():
        members = tuple(code for code in codes if is_known(code) and language(code).resource == resource)
        if members:
            means = result_view(replace(filter_, languages=members)).means_with_intervals(metric, ("dataset", "mode"))
            frames.append(_frame(means, ("dataset", "mode"), languages=members).assign(group=group))
    return concat(frames, ignore_index=True)


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def by_dimensions(state: ResultsState, filter_: Filter, metric: str, dimensions: tuple[Dimension, ...]) -> DataFrame:
    """A metric with intervals by any dimensions."""
    return _frame(result_view(filter_).means_with_intervals(metric, dimensions), dimensions)


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def flows(state: ResultsState, filter_: Filter) -> DataFrame:
    """Documents by question, document and answer language."""
    from pandas import DataFrame

    rows = [
        {
            "language": item.language,
            "document_language": item.document_language,
            "answer_language": item.answer_language,
            "documents": item.documents,
            "mark": mark(languages=item.language, document=item.document_language, answer=item.answer_language),
        }
        for item in result_view(filter_).flows()
    ]
    columns = ["language", "document_language", "answer_language", "documents", "mark"]
    return DataFrame(rows, columns=columns)


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def curves(state: ResultsState, filter_: Filter, family: str, series: Dimension) -> DataFrame:
    """Hit, recall or precision at every k that was measured, one series for each value of a dimension."""
    from pandas import concat

    measured = metrics(state, filter_)
    frames = []
    for name in RANKINGS:
        kind, _, depth = name.partition("@")
        if kind == family and depth and name in measured:
            frame = _frame(result_view(filter_).means_with_intervals(name, (series,)), (series,))
            frame = frame[frame["n"] > 0]
            frames.append(frame.assign(series=frame[series].astype(str), k=int(depth)))
    return concat(frames, ignore_index=True) if frames else _frame([], (series,)).assign(series=[], k=[])


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def costs(state: ResultsState, filter_: Filter, metric: str) -> DataFrame:
    """Every run's mean of a metric with its seconds and tokens per question, NaN where unknown."""
    frame = _frame(result_view(filter_).means_with_intervals(metric, ("run",)), ("run",))
    runs_by_id = {run.id: run for run in result_view(filter_).runs()}
    titles = run_titles(list(runs_by_id.values()))
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
    return _numbers(frame, ["seconds", "tokens"])


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def agreement(state: ResultsState, filter_: Filter) -> DataFrame:
    """The correlation of every two metrics, both ways round."""
    from pandas import DataFrame

    names = metrics(state, filter_)
    correlations = metric_correlations(result_view(filter_), names)
    rows = [(item.first, item.second, item.r, item.n) for item in correlations]
    rows += [(item.second, item.first, item.r, item.n) for item in correlations]
    rows.sort(key=lambda row: (names.index(row[0]), names.index(row[1])))
    frame = _numbers(DataFrame(rows, columns=["first", "second", "r", "n"]), ["r"])
    return frame.assign(mark=[mark(metrics=pair) for pair in zip(frame["first"], frame["second"], strict=True)])


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def unscored(state: ResultsState, filter_: Filter, metric: str) -> list[tuple[str, int]]:
    """Why answers were not scored, and how many for each reason, the most frequent first."""
    return result_view(filter_).unscored(metric)


def _frame(means: Sequence[MeanWithInterval], by: Sequence[Dimension], **also: str | tuple[str, ...]) -> DataFrame:
    """One row per group, with its mark; `also` is added to every mark."""
    from pandas import DataFrame

    rows = [
        {
            **dict(zip(by, item.key, strict=True)),
            "metric": item.metric,
            "mean": item.mean,
            "low": item.low,
            "high": item.high,
            "n": item.n,
            "unscored": item.unscored,
            "mark": _mark(dict(zip(by, item.key, strict=True)), also),
        }
        for item in means
    ]
    columns = [*by, "metric", "mean", "low", "high", "n", "unscored", "mark"]
    return _numbers(DataFrame(rows, columns=columns), ["mean", "low", "high"])


def _mark(key: dict[Dimension, Any], also: dict[str, str | tuple[str, ...]]) -> str:
    from urllib.parse import urlencode

    pairs = [(str(name), str(value)) for name, value in key.items()]
    for name, values in also.items():
        pairs += [(URL_NAMES[name], value) for value in ((values,) if isinstance(values, str) else values)]
    return urlencode(pairs)


def _numbers(frame: DataFrame, names: Sequence[str]) -> DataFrame:
    """The frame with these columns as floats, NaN where there is no value."""
    return frame.astype(dict.fromkeys(names, float))
