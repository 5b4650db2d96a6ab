"""The Dashboard's controls and their state: read from and written to the address, kept while one is elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from workbench.results.filters import Filter
from workbench.results.queries.experiment_list import ExperimentName
from workbench.ui.dashboard import dashboard_state, instances_view, result_frames
from workbench.ui.dashboard.dashboard_state import DashboardState, View
from workbench.ui.dashboard.result_frames import State
from workbench.ui.shared import figure, safe_html, widget_state
from workbench.ui.shared.badges import language_words

KEY = "dash_"
LOOK, ADDRESS, PROBLEMS = "dash_look", "dash_address", "dash_problems"
EXPERIMENTS = "experiments"
FIELDS = ("datasets", "modes", "scopes", "prompts", "models", "k", "perturbations", "languages", "runs")
CONTROLS = tuple(f"{KEY}{name}" for name in ("view", "metric", EXPERIMENTS, *FIELDS))
TITLES: Mapping[View, str] = {
    "leaderboard": "Leaderboard",
    "languages": "Scope × language",
    "prompts": "Prompt × scope",
    "modes": "Modes",
    "documents": "Documents",
    "retrieval": "Retrieval",
    "deltas": "Differences",
    "cost": "Cost",
    "metrics": "Metrics",
    "published": "Published tables",
}
EXPLAINED: Mapping[View, str] = {
    "leaderboard": "Which runs answer best, over all their questions. Where intervals overlap widely, the order may be "
    "chance.",
    "languages": "What searching more languages (down) brings to questions in each language (across); `none` is "
    "without retrieval.",
    "prompts": "What the wording of the system prompt brings (down), in each scope (across): a better answer, "
    "and one in the right language.",
    "modes": "Which way of multilingual RAG answers best, and whether languages of low resource gain as much as "
    "those of high.",
    "documents": "From which languages the evidence comes, and in which language the answer leaves: where English "
    "crowds the others out, its column is dark.",
    "retrieval": "How often what was looked for is among the first k passages. Where that is high already, the answers "
    "are lost later.",
    "deltas": "What a change brings, question by question: colour means that chance would hardly do as much.",
    "cost": "What a better answer costs: no other run beats those on the dashed line at their price.",
    "metrics": "Whether metrics tell the same: near 1 they agree on which answers are good, near 0 they measure "
    "different things. A cell leads to the answers that they disagree on most.",
    "published": "The papers' own figures, as printed, on their data and models; yours stand beside where the metric "
    "is the same.",
}
"""What each view is for, in a sentence."""
LABELS = {
    "datasets": "Dataset",
    "modes": "Mode",
    "scopes": "Scope",
    "prompts": "Prompt",
    "models": "Model",
    "k": "k",
    "perturbations": "Perturbation",
    "languages": "Question language",
    "runs": "Run",
}


def restore() -> DashboardState:
    """The look before any control is drawn: the address where it is new, else what was last looked at."""
    params = {key: st.query_params.get_all(key) for key in st.query_params}
    if params and params != st.session_state.get(ADDRESS):
        look, problems = dashboard_state.from_params(params)
        st.session_state[PROBLEMS] = problems
        _put(look)
        st.session_state[ADDRESS] = params
    look = st.session_state.get(LOOK, DashboardState())
    if f"{KEY}view" not in st.session_state:
        _put(look)
    widget_state.hold(CONTROLS)
    if mark := st.session_state.pop(figure.CLICKED_MARK, ""):
        look = replace(look, mark=mark, page=1)
    return instances_view.turned(look)


def draw(look: DashboardState, state: State) -> DashboardState | None:
    """The controls, top to bottom, and what they say now; None where there is nothing to look at yet."""
    for sentence in st.session_state.get(PROBLEMS, ()):
        safe_html.message(
            f"The address asked for something that cannot be had; the default stands in. {sentence}", "error"
        )
    experiments = result_frames.experiments(state)
    if not experiments:
        return None
    named = _names(experiments)
    kept = [item for item in st.session_state.get(f"{KEY}{EXPERIMENTS}", []) if item in named]
    st.session_state[f"{KEY}{EXPERIMENTS}"] = kept or [experiments[0].id]
    left, right = st.columns([3, 1.2], gap="medium", vertical_alignment="bottom")
    with left:
        chosen_ids = st.multiselect(
            "Experiment",
            list(named),
            key=f"{KEY}{EXPERIMENTS}",
            format_func=named.__getitem__,
            help="One or several; the newest where none is chosen.",
        )
    whole = Filter(experiments=tuple(chosen_ids) or (experiments[0].id,))
    names = result_frames.metrics(state, whole)
    with right:
        metric = _metric(names, look.metric)
    chosen = _filters(look, whole, state)
    view: View | None = st.segmented_control(
        "Figure",
        list(TITLES),
        key=f"{KEY}view",
        format_func=TITLES.__getitem__,
        required=True,
        wrap=True,
        label_visibility="collapsed",
    )
    widget_state.mark_drawn(CONTROLS)
    made = replace(look, chosen=chosen, metric=metric, view=view or look.view)
    if (made.chosen, made.view, made.metric) != (look.chosen, look.view, look.metric) and look.metric:
        # A mark of another figure, or beyond the filters, would mislead.
        made = replace(made, mark="", page=1)
    return made


def remember(look: DashboardState) -> None:
    """Keeps the look for when the page is left, and writes it into the address."""
    if look != st.session_state.get(LOOK):
        st.session_state[PROBLEMS] = ()
    st.session_state[LOOK] = look
    told = dashboard_state.to_params(look)
    if told != st.session_state.get(ADDRESS):
        st.query_params.from_dict(told)
        st.session_state[ADDRESS] = told


def _put(look: DashboardState) -> None:
    st.session_state[LOOK] = look
    lists = {f"{KEY}{name}": list(getattr(look.chosen, name)) for name in (EXPERIMENTS, *FIELDS)}
    widget_state.put({f"{KEY}view": look.view, f"{KEY}metric": look.metric, **lists})


def _metric(names: Sequence[str], wanted: str) -> str:
    if not names:
        return ""
    if st.session_state.get(f"{KEY}metric") not in names:
        st.session_state[f"{KEY}metric"] = wanted if wanted in names else names[0]
    metric: str = st.selectbox("Metric", names, key=f"{KEY}metric", help="Metrics that these runs were scored by.")
    return metric


def _names(experiments: Sequence[ExperimentName]) -> dict[str, str]:
    """Experiments' names by id, told apart: the browser sends names back, not ids."""
    times = Counter(item.name for item in experiments)
    return {item.id: f"{item.name} ({item.id})" if times[item.name] > 1 else item.name for item in experiments}


def _filters(look: DashboardState, whole: Filter, state: State) -> Filter:
    """The filters, each with the values that the chosen experiments have; those with one value are not drawn."""
    there = result_frames.runs(state, whole)
    values: dict[str, list[Any]] = {
        "datasets": sorted({run.dataset for run in there}),
        "modes": list(dict.fromkeys(run.mode for run in there)),
        "scopes": list(dict.fromkeys(run.scope for run in there)),
        "prompts": list(dict.fromkeys(run.prompt for run in there)),
        "models": sorted({run.model for run in there}),
        "k": sorted({run.k for run in there}),
        "perturbations": sorted({run.perturbation for run in there}),
        "languages": list(result_frames.languages(state, whole)),
        "runs": [run.id for run in there],
    }
    titles = result_frames.titles(there)
    shown: dict[str, Callable[[Any], str]] = {"languages": language_words, "runs": titles.__getitem__}
    drawn = [name for name in FIELDS if len(values[name]) > 1]
    count = sum(bool(getattr(look.chosen, name)) for name in drawn)
    picked: dict[str, tuple[object, ...]] = {}
    label = f"Filters ({count} set)" if count else "Filters"
    with st.expander(label, icon=":material/filter_alt:", expanded=count > 0, key="dash_filters"):
        columns = st.columns(3, gap="medium")
        for place, name in enumerate(drawn):
            key = f"{KEY}{name}"
            st.session_state[key] = [item for item in st.session_state.get(key, []) if item in values[name]]
            with columns[place % 3]:
                picked[name] = tuple(
                    st.multiselect(
                        LABELS[name],
                        values[name],
                        key=key,
                        format_func=shown.get(name, str),
                        placeholder="All",
                    )
                )
        figure.picture()
    return replace(whole, **picked)  # type: ignore[arg-type]
