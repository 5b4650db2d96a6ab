"""Results as the tidy frames that charts draw. Each is made once for each state of the results and each filter."""

# ruff: noqa: ARG001 - `state` is part of what Streamlit keeps a frame under

from __future__ import annotations

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
from workbench.ui.dashboard.dashboard_state import SINGULAR, mark
from workbench.ui.shared import access

if TYPE_CHECKING:
    from pandas import DataFrame

SHOWN = 25
"""Runs in a leaderboard; the rest are counted."""
KEPT = 256
"""Frames that a server keeps."""
DIFFER = ("dataset", "mode", "scope", "prompt", "model", "k", "perturbation")
S3_GROUPS = {"hr": "high", "lr": "low"}

State = tuple[float | str, ...]


def store() -> ResultStore:
    """The results of the workspace."""
    return ResultStore.at(access.workbench().settings.database_url)


def view(filter_: Filter) -> ResultView:
    """The results that a filter lets through."""
    return store().where(filter_)


def state() -> State:
    """The state of the results now, with the place they lie in; every function below is asked with it."""
    return (*store().state(), access.workbench().settings.database_url)


@st.cache_data(show_spinner=False, max_entries=4)
def experiments(state: State) -> list[ExperimentName]:
    """All experiments, the newest first."""
    return store().experiment_names()


@st.cache_data(show_spinner=False, max_entries=16)
def runs(state: State, chosen: Filter) -> list[StoredRun]:
    """The runs that a filter lets through."""
    return view(chosen).runs()


@st.cache_data(show_spinner=False, max_entries=64)
def metrics(state: State, chosen: Filter) -> list[str]:
    """The metrics that some of them were scored by."""
    return view(chosen).metrics()


@st.cache_data(show_spinner=False, max_entries=64)
def languages(state: State, chosen: Filter) -> list[str]:
    """The question languages of some runs."""
    return view(chosen).languages()


def titles(found: Sequence[StoredRun]) -> dict[int, str]:
    """A title for each run: its choices that differ among these, all of them where nothing does. A run from elsewhere
    has few.
    """
    varied = [name for name in DIFFER if len({getattr(run, name) for run in found}) > 1] or list(DIFFER[1:5])
    told = {run.id: [f"k={run.k}" if name == "k" else getattr(run, name) for name in varied] for run in found}
    called = {run: " · ".join(filter(None, parts)) or f"#{run}" for run, parts in told.items()}
    twice = {title for title in called.values() if list(called.values()).count(title) > 1}
    return {run.id: f"{called[run.id]} · #{run.id}" if called[run.id] in twice else called[run.id] for run in found}


@st.cache_data(show_spinner=False, max_entries=KEPT)
def leaderboard(state: State, chosen: Filter, metric: str) -> tuple[DataFrame, int]:
    """The best runs with their titles, and how many runs there are."""
    found, count = view(chosen).best_runs(metric, SHOWN)
    called = titles(view(Filter(runs=tuple(int(item.key[0]) for item in found))).runs()) if found else {}
    frame = _frame(found, ("run",))
    frame["title"] = [called[run] for run in frame["run"]]
    return frame, count


@st.cache_data(show_spinner=False, max_entries=KEPT)
def by_scope(state: State, chosen: Filter, metric: str, by: tuple[Dimension, ...]) -> DataFrame:
    """A metric by `by`, which has the scope; answers without retrieval stand under the scope `none`."""
    from pandas import concat

    modes = {run.mode for run in view(chosen).runs()}
    frames = []
    if "baseline" in modes:
        rest = [name for name in by if name != "scope"]
        without = view(replace(chosen, modes=("baseline",))).means_with_intervals(metric, rest)
        frame = _frame(without, rest, modes="baseline")
        frames.append(frame.assign(scope="none"))
    if others := tuple(sorted(modes - {"baseline"})):
        narrow = replace(chosen, modes=others)
        # Said by the marks too: answers without retrieval have a scope of their own, in which nothing is searched.
        also = {"modes": others} if "baseline" in modes else {}
        frames.append(_frame(view(narrow).means_with_intervals(metric, by), by, **also))
    return concat(frames, ignore_index=True) if frames else _frame([], by)


@st.cache_data(show_spinner=False, max_entries=KEPT)
def by_mode(state: State, chosen: Filter, metric: str) -> DataFrame:
    """A metric by dataset and mode, over all languages and over those of high and low resource."""
    from pandas import concat

    found = view(chosen).means([metric], ["language"])
    codes = tuple(str(item.key[0]) for item in found)
    frames = [
        _frame(view(chosen).means_with_intervals(metric, ("dataset", "mode")), ("dataset", "mode")).assign(group="avg")
    ]
    for group, resource in S3_GROUPS.items():
        some = tuple(code for code in codes if is_known(code) and language(code).resource == resource)
        if some:
            part = view(replace(chosen, languages=some)).means_with_intervals(metric, ("dataset", "mode"))
            frames.append(_frame(part, ("dataset", "mode"), languages=some).assign(group=group))
    return concat(frames, ignore_index=True)


@st.cache_data(show_spinner=False, max_entries=KEPT)
def by(state: State, chosen: Filter, metric: str, dimensions: tuple[Dimension, ...]) -> DataFrame:
    """A metric by any dimensions."""
    return _frame(view(chosen).means_with_intervals(metric, dimensions), dimensions)


@st.cache_data(show_spinner=False, max_entries=KEPT)
def flows(state: State, chosen: Filter) -> DataFrame:
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
        for item in view(chosen).flows()
    ]
    columns = ["language", "document_language", "answer_language", "documents", "mark"]
    return DataFrame(rows, columns=columns)


@st.cache_data(show_spinner=False, max_entries=KEPT)
def curves(state: State, chosen: Filter, family: str, series: Dimension) -> DataFrame:
    """Hit, recall or precision at every k that was measured."""
    from pandas import concat

    there = metrics(state, chosen)
    frames = []
    for name in RANKINGS:
        kind, _, depth = name.partition("@")
        if kind == family and depth and name in there:
            found = _frame(view(chosen).means_with_intervals(name, (series,)), (series,))
            found = found[found["n"] > 0]
            frames.append(found.assign(series=found[series].astype(str), k=int(depth)))
    return concat(frames, ignore_index=True) if frames else _frame([], (series,)).assign(series=[], k=[])


@st.cache_data(show_spinner=False, max_entries=KEPT)
def costs(state: State, chosen: Filter, metric: str) -> DataFrame:
    """Every run's mean of a metric with its seconds and tokens a question."""
    frame = _frame(view(chosen).means_with_intervals(metric, ("run",)), ("run",))
    there = {run.id: run for run in view(chosen).runs()}
    called = titles(list(there.values()))
    spent = {int(item.key[0]): item for item in view(chosen).effort()}
    frame["title"] = [called[run] for run in frame["run"]]
    frame["mode"] = [there[run].mode for run in frame["run"]]
    frame["seconds"] = [spent[run].seconds if run in spent else None for run in frame["run"]]
    frame["tokens"] = [
        (item.prompt_tokens + item.completion_tokens) / item.answers
        if (item := spent.get(run)) and item.answers and item.prompt_tokens + item.completion_tokens
        else None
        for run in frame["run"]
    ]
    return _numbers(frame, ["seconds", "tokens"])


@st.cache_data(show_spinner=False, max_entries=KEPT)
def agreement(state: State, chosen: Filter) -> DataFrame:
    """The correlation of every two metrics, both ways round."""
    from pandas import DataFrame

    names = metrics(state, chosen)
    found = metric_correlations(view(chosen), names)
    rows = [(item.first, item.second, item.r, item.n) for item in found]
    rows += [(item.second, item.first, item.r, item.n) for item in found]
    rows.sort(key=lambda row: (names.index(row[0]), names.index(row[1])))
    frame = _numbers(DataFrame(rows, columns=["first", "second", "r", "n"]), ["r"])
    return frame.assign(mark=[mark(apart=pair) for pair in zip(frame["first"], frame["second"], strict=True)])


@st.cache_data(show_spinner=False, max_entries=KEPT)
def unscored(state: State, chosen: Filter, metric: str) -> list[tuple[str, int]]:
    """Why answers were not scored, and how many."""
    return view(chosen).unscored(metric)


@st.cache_data(show_spinner=False, max_entries=KEPT)
def effort(state: State, chosen: Filter) -> tuple[int, int]:
    """How many cells under a filter have an answer, and how many failed."""
    found = view(chosen).effort(())
    return (found[0].answers or 0, found[0].failed or 0) if found else (0, 0)


def _frame(found: Sequence[MeanWithInterval], by: Sequence[Dimension], **also: str | tuple[str, ...]) -> DataFrame:
    """A row a group, with its mark; `also` is what every mark says besides."""
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
        for item in found
    ]
    columns = [*by, "metric", "mean", "low", "high", "n", "unscored", "mark"]
    return _numbers(DataFrame(rows, columns=columns), ["mean", "low", "high"])


def _mark(key: dict[Dimension, Any], also: dict[str, str | tuple[str, ...]]) -> str:
    from urllib.parse import urlencode

    pairs = [(str(name), str(value)) for name, value in key.items()]
    for name, values in also.items():
        pairs += [(SINGULAR[name], value) for value in ((values,) if isinstance(values, str) else values)]
    return urlencode(pairs)


def _numbers(frame: DataFrame, names: Sequence[str]) -> DataFrame:
    """The columns as floats, with NaN where there is nothing."""
    return frame.astype(dict.fromkeys(names, float))
