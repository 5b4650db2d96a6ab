"""Results as the tidy frames that charts draw. Each is computed once per state of the results and filter."""

# ruff: noqa: ARG001 - `state` is part of the key under which Streamlit caches a frame

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from workbench.experiments import (
    Dimension,
    ExperimentName,
    Filter,
    MeanWithInterval,
    MetricCorrelation,
    ResultStore,
    ResultView,
    Standing,
    StoredRun,
    choice_name,
    in_paper_scope as pooling_in_paper_scope,
    metric_correlations,
    mode_name,
    run_names,
    standings,
)
from workbench.languages import is_known, language
from workbench.metrics import RANKING_MEASURES as RANKINGS
from workbench.ui.dashboard.dashboard_state import NO_LANGUAGE, mark
from workbench.ui.parts import access
from workbench.ui.parts.badges import language_option as language_words

if TYPE_CHECKING:
    from pandas import DataFrame

CACHED_FRAMES = 256
"""Frames of each kind that a server caches."""
LEADERBOARD_SIZE = 25
"""Runs in a leaderboard; the others are only counted."""
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


@st.cache_data(show_spinner=False, max_entries=64)
def evidence(state: ResultsState, filter_: Filter) -> list[str]:
    """Where the answers to their questions lie."""
    return result_view(filter_).evidence()


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def in_paper_scope(state: ResultsState, filter_: Filter) -> Filter:
    """The filter, restricted to the runs in their mode's scope where it names none (see results.summaries.pooling)."""
    if filter_.scopes:
        return filter_
    every = result_view(filter_).runs()
    kept = pooling_in_paper_scope(every)
    return filter_ if len(kept) == len(every) else replace(filter_, runs=tuple(run.id for run in kept))


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def by_scope(state: ResultsState, filter_: Filter, metric: str, by: tuple[Dimension, ...]) -> DataFrame:
    """A metric by dimensions, one of them the scope; answers without retrieval have the scope `none`."""
    from pandas import concat

    modes = {run.mode for run in result_view(filter_).runs()}
    frames = []
    if "baseline" in modes:
        rest = [name for name in by if name != "scope"]
        # Once: an experiment of several scopes may have run it in each, with the same answers.
        once = in_paper_scope(state, replace(filter_, modes=("baseline",)))
        also: dict[str, object] = {"mode": "baseline"} | ({"run": once.runs} if once.runs != filter_.runs else {})
        frame = mean_frame(result_view(once).means_with_intervals(metric, rest), rest, also)
        frames.append(frame.assign(scope="none"))
    if others := tuple(sorted(modes - {"baseline"})):
        with_retrieval = replace(filter_, modes=others)
        # In the marks too: answers without retrieval have a stored scope, in which nothing is searched.
        also = {"mode": others} if "baseline" in modes else {}
        frames.append(mean_frame(result_view(with_retrieval).means_with_intervals(metric, by), by, also))
    return concat(frames, ignore_index=True) if frames else mean_frame([], by)


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def by_mode(state: ResultsState, filter_: Filter, metric: str) -> DataFrame:
    """A metric by dataset and mode, over all languages and over those of high and low resource.

    A mode is shown in its paper's scope, unless it has no run there or the filter names scopes: then in each of its
    scopes, as `label` states. Runs of different scopes are never pooled.
    """
    from pandas import concat

    filter_ = in_paper_scope(state, filter_)
    by: tuple[Dimension, ...] = ("dataset", "mode", "scope")

    codes = tuple(str(figure.key[0]) for figure in result_view(filter_).means([metric], ["language"]))
    frames = [mean_frame(result_view(filter_).means_with_intervals(metric, by), by).assign(group="avg")]
    for group, resource in RESOURCE_GROUPS.items():
        members = tuple(code for code in codes if is_known(code) and language(code).resource == resource)
        if members:
            means = result_view(replace(filter_, languages=members)).means_with_intervals(metric, by)
            frames.append(mean_frame(means, by, {"language": members}).assign(group=group))
    return labelled(concat(frames, ignore_index=True))


def series_name(series: Dimension, value: object) -> str:
    """What a line of Retrieval is called."""
    return language_words(str(value)) if series == "language" else choice_name(series, str(value))


def labelled(frame: DataFrame) -> DataFrame:
    """The frame with a `label` for each mode and scope: the scope is named where it is not the mode's."""
    labels = [mode_name(mode, scope) for mode, scope in zip(frame["mode"], frame["scope"], strict=True)]
    return frame.assign(label=labels)


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def by_dimensions(state: ResultsState, filter_: Filter, metric: str, dimensions: tuple[Dimension, ...]) -> DataFrame:
    """A metric with intervals by any dimensions."""
    return mean_frame(result_view(filter_).means_with_intervals(metric, dimensions), dimensions)


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def flows(state: ResultsState, filter_: Filter) -> DataFrame:
    """Documents by question, document and answer language; marks name the filter's scopes."""
    from pandas import DataFrame

    scope = filter_.scopes[0] if len(filter_.scopes) == 1 else ""

    rows = [
        {
            "language": flow.language,
            "document_language": flow.document_language,
            "answer_language": flow.answer_language,
            "documents": flow.documents,
            "mark": mark(
                scope=scope,
                language=flow.language,
                document=flow.document_language,
                answer=flow.answer_language or NO_LANGUAGE,
            ),
        }
        for flow in result_view(filter_).flows()
    ]
    columns = ["language", "document_language", "answer_language", "documents", "mark"]
    return DataFrame(rows, columns=columns)


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def curves(state: ResultsState, filter_: Filter, family: str, series: Dimension) -> DataFrame:
    """Hit, recall or precision at every k that was measured, one series for each value of a dimension.

    Unless the series are scopes, each mode is taken in its paper's scope (see `by_mode`).
    """
    from pandas import concat

    measured, every = metrics(state, filter_), filter_
    by: tuple[Dimension, ...] = ("mode", "scope") if series == "mode" else (series,)
    if series != "scope":
        filter_ = in_paper_scope(state, filter_)
    also = {"run": filter_.runs} if filter_.runs != every.runs and series != "mode" else {}
    frames = []
    for name in RANKINGS:
        kind, _, depth = name.partition("@")
        if kind == family and depth and name in measured:
            frame = mean_frame(result_view(filter_).means_with_intervals(name, by), by, also)
            frame = frame[frame["n"] > 0]
            names = labelled(frame)["label"] if series == "mode" else frame[series].map(partial(series_name, series))
            frames.append(frame.assign(series=names, at=int(depth)))
    return concat(frames, ignore_index=True) if frames else mean_frame([], by).assign(series=[], at=[])


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def correlations(state: ResultsState, filter_: Filter) -> list[MetricCorrelation]:
    """The correlation of every two metrics."""
    return metric_correlations(result_view(filter_), metrics(state, filter_))


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def agreement(state: ResultsState, filter_: Filter) -> DataFrame:
    """The correlation of every two metrics, both ways round."""
    from pandas import DataFrame

    names, pairs = metrics(state, filter_), correlations(state, filter_)
    rows = [(pair.first, pair.second, pair.r, pair.n) for pair in pairs]
    rows += [(pair.second, pair.first, pair.r, pair.n) for pair in pairs]
    rows.sort(key=lambda row: (names.index(row[0]), names.index(row[1])))
    frame = numbers(DataFrame(rows, columns=["first", "second", "r", "n"]), ["r"])
    return frame.assign(mark=[mark(apart=pair) for pair in zip(frame["first"], frame["second"], strict=True)])


@st.cache_data(show_spinner=False, max_entries=CACHED_FRAMES)
def unscored(state: ResultsState, filter_: Filter, metric: str) -> list[tuple[str, int]]:
    """Why answers were not scored, and how many for each reason, the most frequent first."""
    return result_view(filter_).unscored(metric)


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
            "mark": mark(run=item.run),
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
    """Every run's mean of a metric with its seconds and tokens per answer, NaN where unknown."""
    frame = mean_frame(result_view(filter_).means_with_intervals(metric, ("run",)), ("run",))
    runs_by_id = {run.id: run for run in result_view(filter_).runs()}
    titles = run_names(list(runs_by_id.values()))
    spent = {int(item.key[0]): item for item in result_view(filter_).effort()}
    frame["title"] = [titles[run] for run in frame["run"]]
    frame["group"] = [choice_name("mode", runs_by_id[run].mode) for run in frame["run"]]
    frame["seconds"] = [spent[run].seconds if run in spent else None for run in frame["run"]]
    frame["tokens"] = [
        (item.prompt_tokens + item.completion_tokens) / item.answers
        if (item := spent.get(run)) and item.answers and item.prompt_tokens + item.completion_tokens
        else None
        for run in frame["run"]
    ]
    return numbers(frame, ["seconds", "tokens"])


def mean_frame(
    means: Sequence[MeanWithInterval], by: Sequence[Dimension], also: Mapping[str, object] | None = None
) -> DataFrame:
    """One row per group, with its mark; `also` is added to every mark."""
    from pandas import DataFrame

    keys = [dict(zip(by, figure.key, strict=True)) for figure in means]
    rows = [
        {**key, **asdict(figure), "mark": mark(**key, **(also or {}))} for key, figure in zip(keys, means, strict=True)
    ]
    columns = [*by, *(field.name for field in fields(MeanWithInterval) if field.name != "key"), "mark"]
    return numbers(DataFrame(rows, columns=columns), ["mean", "low", "high"])


def numbers(frame: DataFrame, names: Sequence[str]) -> DataFrame:
    """The frame with these columns as floats, NaN where there is no value."""
    return frame.astype(dict.fromkeys(names, float))
