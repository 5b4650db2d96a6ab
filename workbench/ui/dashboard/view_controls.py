"""The Dashboard's controls: the experiments, the metric, the filters and the view."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from workbench.core import unknown_name
from workbench.experiments import ExperimentName, Filter, choice_name, choice_title, run_names, varied_fields
from workbench.metrics import metric_help, metric_name
from workbench.ui.dashboard import result_frames
from workbench.ui.dashboard.dashboard_state import SESSION, URL_NAMES, DashboardState, View
from workbench.ui.dashboard.result_frames import ResultsState
from workbench.ui.dashboard.view_parts import show_note
from workbench.ui.parts import figure
from workbench.ui.parts.badges import language_words

FIELDS = ("datasets", "modes", "scopes", "prompts", "models", "k", "perturbations", "languages", "choices", "runs")
QUESTIONS: Mapping[str, Mapping[View, str]] = {
    "Which is best?": {
        "leaderboard": "Leaderboard",
        "deltas": "Differences",
        "cost": "Cost",
        "published": "Published tables",
    },
    "Where does it work?": {"languages": "Languages", "modes": "Modes", "prompts": "Prompts"},
    "Why?": {"documents": "Documents", "retrieval": "Retrieval", "metrics": "Metrics"},
}
"""The views by the question that they answer."""
TITLES: Mapping[View, str] = {view: title for views in QUESTIONS.values() for view, title in views.items()}
DESCRIPTIONS: Mapping[View, str] = {
    "leaderboard": "Which runs answer best over all their questions. Where intervals overlap widely, the order may be "
    "due to chance.",
    "languages": "How searching more languages (rows) changes the answers to questions in each language (columns); "
    "the first row is without retrieval.",
    "prompts": "How the wording of the system prompt (rows) changes the answers in each scope (columns): whether they "
    "are better, and whether they are in the right language.",
    "modes": "Which mode of multilingual RAG answers best, and whether low-resource languages gain as much as "
    "high-resource ones.",
    "documents": "Which languages the documents are in, and which language the answer is in: if English crowds out "
    "the others, its column is dark.",
    "retrieval": "How often the gold passages are among the first k. If this is already high, answers are lost in a "
    "later step.",
    "deltas": "What a change of one choice gains or loses, question by question. Colour marks differences that are "
    "unlikely to be due to chance.",
    "cost": "What a better answer costs: no other run beats those on the dashed line at their cost.",
    "metrics": "Whether metrics agree: near 1 they agree on which answers are good (near -1 if lower is better in "
    "one of the two), near 0 they measure different things. Click a cell to see the answers on which they disagree "
    "most.",
    "published": "The papers' figures as printed, on their data and models, next to your results where the metric is "
    "the same.",
}
"""What each view is for, in a sentence or two."""
CHOICES = dict(zip(FIELDS, (URL_NAMES[name] for name in FIELDS), strict=True))
LABELS = {**{name: choice_title(choice) for name, choice in CHOICES.items()}, "choices": "Further choices"}
QUESTION, PHONE = "dash_question", "dash_view_box"
"""The session's keys for the question that is asked, and for the view in the box that a phone shows."""


def restore() -> None:
    """The state before any control is drawn: from the URL where it is new, else as it last was."""
    if mark := st.session_state.pop(figure.CLICKED_MARK, ""):
        SESSION.choose("mark", mark)
    SESSION.restore()


def draw(state: ResultsState) -> DashboardState | None:
    """The controls, top to bottom, and the state that they are in; None where there are no experiments yet."""
    experiments = result_frames.experiments(state)
    if not experiments:
        return None
    names = distinct_names(experiments)
    notes = st.container()
    dashboard = SESSION.current
    selected = tuple(_available("experiment", dashboard.filter_.experiments, names)) or (experiments[0].id,)
    runs = Filter(experiments=selected)
    metrics = result_frames.metrics(state, runs)
    metric = next(iter([*_available("metric", [dashboard.metric] if dashboard.metric else [], metrics), *metrics]), "")
    options = _options(runs, state)
    lists = {
        name: tuple(_available(LABELS[name].lower(), getattr(dashboard.filter_, name), options[name]))
        for name in FIELDS
    }
    SESSION.set(dashboard.with_(filter_=replace(runs, **lists), metric=metric))
    with notes:
        SESSION.show_problems()
    left, right = st.columns([3, 1.2], gap="medium", vertical_alignment="bottom")
    with left:
        st.multiselect(
            "Experiment",
            list(names),
            format_func=names.__getitem__,
            help="One or more; the newest if none is selected.",
            **SESSION.control("filter_.experiments"),
        )
    if metric:
        with right:
            st.selectbox(
                "Metric", metrics, format_func=metric_name, help=metric_help(metric), **SESSION.control("metric")
            )
        show_note(metric_help(metric))
    _filters(options, state, runs)
    _choose_view()
    return SESSION.current


def _choose_view() -> None:
    """The three questions and the views of the one that is asked; on a phone one box, as the style sheet decides."""
    view = SESSION.current.view
    st.session_state[QUESTION] = next(question for question, views in QUESTIONS.items() if view in views)
    st.session_state[PHONE] = view
    with st.container(key="dash_views", gap="small"):
        st.segmented_control(
            "Question",
            list(QUESTIONS),
            key=QUESTION,
            required=True,
            label_visibility="collapsed",
            on_change=lambda: SESSION.choose("view", next(iter(QUESTIONS[st.session_state[QUESTION]]))),
        )
        SESSION.choose_view(QUESTIONS[st.session_state[QUESTION]])
    with st.container(key="dash_phone"):
        st.selectbox(
            "View",
            list(TITLES),
            key=PHONE,
            format_func=lambda name: f"{next(q for q, views in QUESTIONS.items() if name in views)} {TITLES[name]}",
            on_change=lambda: SESSION.choose("view", st.session_state[PHONE]),
        )


def _available(kind: str, values: Iterable[Any], allowed: Iterable[Any]) -> list[Any]:
    """Those of a state's values that are available; of the others, where a new URL named them, a sentence each."""
    names = list(allowed)
    if SESSION.is_fresh:
        unknown = [str(unknown_name(kind, value, map(str, names))) for value in values if value not in names]
        SESSION.note_problems((*SESSION.problems, *unknown))
    return [value for value in values if value in names]


def distinct_names(experiments: Sequence[ExperimentName]) -> dict[str, str]:
    """Experiments' names by id, made distinct: the browser sends names back, not ids."""
    times = Counter(experiment.name for experiment in experiments)
    return {
        experiment.id: f"{experiment.name} ({experiment.id})" if times[experiment.name] > 1 else experiment.name
        for experiment in experiments
    }


def _options(all_results: Filter, state: ResultsState) -> dict[str, list[Any]]:
    """The values of each filter that occur in the selected experiments."""
    runs = result_frames.runs(state, all_results)
    return {
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


def _filters(options: Mapping[str, Sequence[Any]], state: ResultsState, all_results: Filter) -> None:
    """The filters; those with one value are not drawn."""
    titles = run_names(result_frames.runs(state, all_results))
    words: dict[str, Callable[[Any], str]] = {
        **{name: partial(_named, choice) for name, choice in CHOICES.items()},
        "languages": language_words,
        "choices": _choice_words,
        "runs": titles.__getitem__,
    }
    names = [name for name in FIELDS if len(options[name]) > 1]
    count = sum(bool(getattr(SESSION.current.filter_, name)) for name in names)
    label = f"Filters ({count} active)" if count else "Filters"
    fold = st.expander(label, icon=":material/filter_alt:", expanded=count > 0, key="dash_filters", on_change="rerun")
    # A closed one is not built: its boxes are as heavy as all that is above.
    if not fold.open:
        return
    with fold:
        columns = st.columns(3, gap="medium")
        for number, name in enumerate(names):
            with columns[number % 3]:
                st.multiselect(
                    LABELS[name],
                    options[name],
                    format_func=words[name],
                    placeholder="All",
                    **SESSION.control(f"filter_.{name}"),
                )
        figure.picture()


def _named(choice: str, value: object) -> str:
    return choice_name(choice, str(value))


def _choice_words(text: str) -> str:
    field, _, value = text.partition("=")
    return f"{choice_title(field)}: {choice_name(field, value)}"
