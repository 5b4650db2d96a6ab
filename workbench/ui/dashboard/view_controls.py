"""The Dashboard's controls and their state, which is kept between pages, read from the URL and written to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from workbench.experiments import ExperimentName, Filter, varied_fields
from workbench.metrics import metric_help
from workbench.ui.dashboard import dashboard_state, instances_view, result_frames, run_frames
from workbench.ui.dashboard.dashboard_state import DashboardState, View
from workbench.ui.dashboard.result_frames import ResultsState
from workbench.ui.dashboard.view_parts import FRESH, PROBLEMS, report_unknown, show_note
from workbench.ui.parts import figure, safe_html, widget_state
from workbench.ui.parts.badges import language_words

KEY = "dash_"
STATE_KEY, ADDRESS, SHOWN = "dash_look", "dash_address", "dash_shown"
"""The session's keys for the Dashboard's state, the URL as it was last seen, and the state that was shown last."""
METRIC_HELP = "The metrics that these runs are scored by."
REPLACE_ADDRESS = """(() => {
  if (window.wbReplaces) return;
  window.wbReplaces = true;
  const push = window.history.pushState.bind(window.history);
  window.history.pushState = (state, title, url) => {
    const here = new URL(url ?? window.location.href, window.location.href).pathname === window.location.pathname;
    if (here && /\\/dashboard$/.test(window.location.pathname)) window.history.replaceState(state, title, url);
    else push(state, title, url);
  };
})()"""
"""Streamlit adds an entry to the history for each change of the query; on the Dashboard these replace the last one."""
NOT_AVAILABLE = "The URL names something that is not available, so the default is used."
OF_VIEWS = (
    *("dash_family", "dash_series", "dash_table", "dash_scope", "dash_questions", "dash_listed", "dash_within"),
    *("dash_reference", "dash_what", "dash_against", "dash_closer"),
)
"""How the keys of the controls below the figures begin: each takes its value from a new state."""
EXPERIMENTS = "experiments"
FIELDS = ("datasets", "modes", "scopes", "prompts", "models", "k", "perturbations", "languages", "choices", "runs")
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
DESCRIPTIONS: Mapping[View, str] = {
    "leaderboard": "Which runs answer best over all their questions. Where intervals overlap widely, the order may be "
    "due to chance.",
    "languages": "How searching more languages (rows) changes the answers to questions in each language (columns); "
    "`none` is without retrieval.",
    "prompts": "How the wording of the system prompt (rows) changes the answers in each scope (columns): whether they "
    "are better, and whether they are in the right language.",
    "modes": "Which mode of multilingual RAG answers best, and whether low-resource languages gain as much as "
    "high-resource ones.",
    "documents": "Which languages the documents are in, and which language the answer is in: where English crowds out "
    "the others, its column is dark.",
    "retrieval": "How often the gold passages are among the first k. Where this is already high, answers are lost in a "
    "later step.",
    "deltas": "What a change of one choice gains or loses, question by question. Colour marks differences that are "
    "unlikely to be due to chance.",
    "cost": "What a better answer costs: no other run beats those on the dashed line at their cost.",
    "metrics": "Whether metrics agree: near 1 they agree on which answers are good (near -1 where lower is better in "
    "one of the two), near 0 they measure different things. Click a cell to see the answers on which they disagree "
    "most.",
    "published": "The papers' figures as printed, on their data and models, next to your results where the metric is "
    "the same.",
}
"""What each view is for, in a sentence or two."""
LABELS = {
    "datasets": "Dataset",
    "modes": "Mode",
    "scopes": "Scope",
    "prompts": "Prompt",
    "models": "Model",
    "k": "k",
    "perturbations": "Perturbation",
    "languages": "Question language",
    "choices": "Further choices",
    "runs": "Run",
}


def restore() -> DashboardState:
    """The state before any control is drawn: from the URL where it is new, else as it last was."""
    safe_html.run_script(REPLACE_ADDRESS)
    params = {key: st.query_params.get_all(key) for key in st.query_params}
    if params and params != st.session_state.get(ADDRESS):
        dashboard, problems = dashboard_state.from_params(params)
        st.session_state[PROBLEMS] = problems
        st.session_state[FRESH] = True
        put(dashboard)
        st.session_state[ADDRESS] = params
    dashboard = st.session_state.get(STATE_KEY, DashboardState())
    if f"{KEY}view" not in st.session_state:
        put(dashboard)
    widget_state.hold(CONTROLS)
    if mark := st.session_state.pop(figure.CLICKED_MARK, ""):
        dashboard = replace(dashboard, mark=mark, page=1)
    return instances_view.after_buttons(dashboard)


def draw(dashboard: DashboardState, state: ResultsState) -> DashboardState | None:
    """The controls, top to bottom, and the state that they are in now; None where there are no experiments yet."""
    notes = st.container()
    experiments = result_frames.experiments(state)
    if not experiments:
        return None
    names = distinct_names(experiments)
    linked = st.session_state.get(f"{KEY}{EXPERIMENTS}", [])
    report_unknown("experiment", linked, names)
    selected = [item for item in linked if item in names]
    st.session_state[f"{KEY}{EXPERIMENTS}"] = selected or [experiments[0].id]
    left, right = st.columns([3, 1.2], gap="medium", vertical_alignment="bottom")
    with left:
        experiment_ids = st.multiselect(
            "Experiment",
            list(names),
            key=f"{KEY}{EXPERIMENTS}",
            format_func=names.__getitem__,
            help="One or more; the newest if none is selected.",
        )
    all_results = Filter(experiments=tuple(experiment_ids) or (experiments[0].id,))
    metrics = result_frames.metrics(state, all_results)
    with right:
        metric = _metric(metrics, dashboard.metric)
    if metric:
        show_note(metric_help(metric))
    filter_ = _filters(all_results, state)
    view: View | None = st.segmented_control(
        "View",
        list(TITLES),
        key=f"{KEY}view",
        format_func=TITLES.__getitem__,
        required=True,
        wrap=True,
        label_visibility="collapsed",
    )
    widget_state.mark_drawn(CONTROLS)
    changed = replace(dashboard, filter_=filter_, metric=metric, view=view or dashboard.view)
    choices = (dashboard.filter_, dashboard.view, dashboard.metric)
    fresh = st.session_state.get(FRESH)
    if (changed.filter_, changed.view, changed.metric) != choices and dashboard.metric and not fresh:
        # A mark of another figure, or one that the filters exclude, would mislead.
        changed = replace(changed, mark="", page=1)
    if changed != st.session_state.get(SHOWN) and not fresh:
        st.session_state[PROBLEMS] = ()
    with notes:
        if problems := st.session_state.get(PROBLEMS, ()):
            safe_html.message("\n".join((NOT_AVAILABLE, *problems)), "error")
    return changed


def remember(dashboard: DashboardState) -> None:
    """Keeps the state for when the page is left, and writes it into the URL."""
    st.session_state[STATE_KEY] = dashboard
    # As it is when the controls are drawn: what is chosen below them is known only later.
    st.session_state[SHOWN] = replace(dashboard)
    st.session_state[FRESH] = False
    params = dashboard_state.to_params(dashboard)
    if params != st.session_state.get(ADDRESS):
        st.query_params.from_dict(params)
        st.session_state[ADDRESS] = params


def put(dashboard: DashboardState) -> None:
    """Sets the state and every control that shows it. Only before they are drawn."""
    st.session_state[STATE_KEY] = dashboard
    for key in [name for name in st.session_state if str(name).startswith(OF_VIEWS)]:
        del st.session_state[key]
    lists = {f"{KEY}{name}": list(getattr(dashboard.filter_, name)) for name in (EXPERIMENTS, *FIELDS)}
    widget_state.put({f"{KEY}view": dashboard.view, f"{KEY}metric": dashboard.metric, **lists})


def _metric(names: Sequence[str], wish: str) -> str:
    if not names:
        return ""
    if wish:
        report_unknown("metric", [wish], names)
    if st.session_state.get(f"{KEY}metric") not in names:
        st.session_state[f"{KEY}metric"] = wish if wish in names else names[0]
    metric: str = st.selectbox("Metric", names, key=f"{KEY}metric", help=metric_help(wish) or METRIC_HELP)
    return metric


def distinct_names(experiments: Sequence[ExperimentName]) -> dict[str, str]:
    """Experiments' names by id, made distinct: the browser sends names back, not ids."""
    times = Counter(item.name for item in experiments)
    return {item.id: f"{item.name} ({item.id})" if times[item.name] > 1 else item.name for item in experiments}


def _filters(all_results: Filter, state: ResultsState) -> Filter:
    """The filters, each with the values that occur in the selected experiments; those with one value are not drawn."""
    runs = result_frames.runs(state, all_results)
    values: dict[str, list[Any]] = {
        "datasets": sorted({run.dataset for run in runs}),
        "modes": list(dict.fromkeys(run.mode for run in runs)),
        "scopes": list(dict.fromkeys(run.scope for run in runs)),
        "prompts": list(dict.fromkeys(run.prompt for run in runs)),
        "models": sorted({run.model for run in runs}),
        "k": sorted({run.k for run in runs}),
        "perturbations": sorted({run.perturbation for run in runs}),
        "languages": list(result_frames.languages(state, all_results)),
        "choices": [f"{name}={value}" for name, each in varied_fields(runs).items() for value in each],
        "runs": [run.id for run in runs],
    }
    titles = run_frames.run_titles(runs)
    option_words: dict[str, Callable[[Any], str]] = {"languages": language_words, "runs": titles.__getitem__}
    names = [name for name in FIELDS if len(values[name]) > 1]
    for name in FIELDS:
        linked = st.session_state.get(f"{KEY}{name}", [])
        report_unknown(LABELS[name].lower(), linked, values[name])
        st.session_state[f"{KEY}{name}"] = [item for item in linked if item in values[name]]
    # As they are set now, not as they were in the last run.
    count = sum(bool(st.session_state[f"{KEY}{name}"]) for name in names)
    selection: dict[str, tuple[object, ...]] = {}
    label = f"Filters ({count} active)" if count else "Filters"
    with st.expander(label, icon=":material/filter_alt:", expanded=count > 0, key="dash_filters"):
        columns = st.columns(3, gap="medium")
        for place, name in enumerate(names):
            key = f"{KEY}{name}"
            with columns[place % 3]:
                selection[name] = tuple(
                    st.multiselect(
                        LABELS[name],
                        values[name],
                        key=key,
                        format_func=option_words.get(name, str),
                        placeholder="All",
                    )
                )
        figure.picture()
    return replace(all_results, **selection)  # type: ignore[arg-type]
