"""The filters of Browse: which instances are listed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import streamlit as st

from workbench.experiments import Filter
from workbench.metrics import scale_of
from workbench.ui.dashboard import result_frames, run_frames, view_controls
from workbench.ui.dashboard.dashboard_state import WITHIN, bounds
from workbench.ui.dashboard.result_frames import ResultsState
from workbench.ui.inspect import inspect_session, saved_filters_view
from workbench.ui.inspect.inspect_session import KEY, SCORES
from workbench.ui.inspect.inspect_url import ONLY, WITHOUT_LABEL, WRONG_LANGUAGE, InspectState
from workbench.ui.parts import widget_state
from workbench.ui.parts.badges import language_option

FIELDS = ("runs", "languages", "modes", "scopes", "prompts")
ONLY_WORDS: Mapping[str, str] = {
    WRONG_LANGUAGE: "Answers in another language than the question",
    WITHOUT_LABEL: "Answers without a label",
}
ANY_METRIC = "Any score"


def draw(state: InspectState, results: ResultsState) -> InspectState:
    """The controls, top to bottom, and the state that they are in now. There is at least one experiment."""
    names = view_controls.distinct_names(result_frames.experiments(results))
    key = f"{KEY}experiments"
    linked = st.session_state.get(key, [])
    st.session_state[key] = [item for item in linked if item in names] or [next(iter(names))]
    left, right = st.columns([1.4, 1], gap="medium")
    with left:
        experiments = st.multiselect("Experiment", list(names), key=key, format_func=names.__getitem__)
    with right:
        search = st.text_input(
            "Search", key=f"{KEY}search", placeholder="Question, gold or answer", icon=":material/search:"
        )
    every = Filter(experiments=tuple(experiments) or (next(iter(names)),))
    count = _active(state)
    label = f"Filters ({count} active)" if count else "Filters"
    with st.expander(label, icon=":material/filter_alt:", expanded=count > 0, key="inspect_filters"):
        filter_ = _lists(every, results)
        metric, within = _scores(result_frames.metrics(results, every), state)
        only = st.pills(
            "Only", list(ONLY), key=f"{KEY}only", selection_mode="multi", format_func=ONLY_WORDS.__getitem__
        )
    widget_state.mark_drawn(inspect_session.CONTROLS)
    changed = replace(
        state, filter_=filter_, search=search.strip(), metric=metric, within=within, only=tuple(only or ())
    )
    kept = inspect_session.keep(changed)
    saved_filters_view.draw(kept)
    return kept


def _active(state: InspectState) -> int:
    """How many filters are set, but for the experiments and the text."""
    lists = sum(bool(st.session_state.get(f"{KEY}{name}")) for name in (*FIELDS, "only"))
    return lists + bool(state.metric and state.within)


def _lists(every: Filter, results: ResultsState) -> Filter:
    """The boxes of several options; those with one option are not drawn."""
    runs = result_frames.runs(results, every)
    values: dict[str, Sequence[Any]] = {
        "runs": [run.id for run in runs],
        "languages": result_frames.languages(results, every),
        **{name: list(dict.fromkeys(getattr(run, name[:-1]) for run in runs)) for name in FIELDS[2:]},
    }
    titles = run_frames.run_titles(runs)
    words: dict[str, Callable[[Any], str]] = {"languages": language_option, "runs": titles.__getitem__}
    selection: dict[str, tuple[object, ...]] = {}
    columns = st.columns(3, gap="medium")
    for place, name in enumerate(name for name in FIELDS if len(values[name]) > 1):
        key = f"{KEY}{name}"
        st.session_state[key] = [item for item in st.session_state.get(key, []) if item in values[name]]
        with columns[place % 3]:
            selection[name] = tuple(
                st.multiselect(
                    view_controls.LABELS[name],
                    values[name],
                    key=key,
                    format_func=words.get(name, str),
                    placeholder="All",
                )
            )
    return replace(every, **selection)  # type: ignore[arg-type]


def _scores(metrics: Sequence[str], state: InspectState) -> tuple[str, str]:
    """The metric and the bounds of its scores, both "" where any score will do."""
    key = f"{KEY}metric"
    if st.session_state.get(key) not in metrics:
        st.session_state[key] = ""
    left, right = st.columns([1, 2], gap="medium")
    with left:
        metric: str = st.selectbox("Metric", ["", *metrics], key=key, format_func=lambda name: name or ANY_METRIC)
    if not metric:
        return "", ""
    scale = scale_of(metric)
    slider = f"{SCORES}_{metric}"
    if slider not in st.session_state:
        low, high = bounds(state.within) or (scale.low, scale.high)
        st.session_state[slider] = (max(scale.low, min(low, scale.high)), max(scale.low, min(high, scale.high)))
    with right:
        low, high = cast(
            "tuple[float, float]",
            st.slider(f"{metric} from … to", scale.low, scale.high, key=slider, step=(scale.high - scale.low) / 20),
        )
    return metric, "" if (low, high) == (scale.low, scale.high) else f"{low:g}{WITHIN}{high:g}"
