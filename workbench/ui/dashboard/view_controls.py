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
from workbench.ui.parts.badges import language_option
from workbench.ui.parts.page_state import PageSession

CHOICES = ("datasets", "modes", "scopes", "prompts", "models", "k", "perturbations")
FIELDS = (*CHOICES, "languages", "evidence_in", "choices", "runs")
QUESTIONS: Mapping[str, Mapping[View, str]] = {
    "Which is best?": {
        "leaderboard": "Leaderboard",
        "deltas": "Differences",
        "cost": "Cost",
        "published": "Published tables",
    },
    "Where does it work?": {
        "languages": "Languages",
        "modes": "Modes",
        "prompts": "Prompts",
        "territories": "Territories",
    },
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
    "territories": "Which claimant answers name for a disputed territory, whether that is the one that governs it, and "
    "whether the languages concur: each country's language may favour its own side.",
    "published": "The papers' figures as printed, on their data and models, next to your results where the metric is "
    "the same.",
}
"""What each view is for, in a sentence or two."""
LABELS = {name: choice_title(URL_NAMES[name]) for name in FIELDS} | {"choices": "Further choices"}
QUESTION = "dash_question"
"""The session's key for the question that is asked."""
RESULTS = "dash_results"
"""The key of the part of the page below the filters."""


def take_mark() -> None:
    """Opens what was clicked in a figure, a table or the leaderboard."""
    if mark := st.session_state.pop(figure.CLICKED_MARK, ""):
        SESSION.choose("mark", mark)


def draw(state: ResultsState) -> DashboardState | None:
    """The controls down to the filters, and the state that they are in; None where there are no experiments yet."""
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
    values = options(runs, state)
    lists = {
        name: tuple(_available(LABELS[name].lower(), getattr(dashboard.filter_, name), values[name])) for name in FIELDS
    }
    SESSION.complete(dashboard.with_(filter_=replace(runs, **lists), metric=metric))
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
            titles = {name: metric_name(name) for name in metrics}
            SESSION.box("metric", "Metric", titles, help=metric_help(metric))
        show_note(metric_help(metric))
    _filters(values, state, runs)
    return SESSION.current


def choose_view() -> DashboardState:
    """The three questions and the views of the one that is asked; the state with the one that is chosen."""
    view = SESSION.current.view
    st.session_state[QUESTION] = next(question for question, views in QUESTIONS.items() if view in views)
    st.segmented_control(
        "Question",
        list(QUESTIONS),
        key=QUESTION,
        required=True,
        label_visibility="collapsed",
        on_change=lambda: SESSION.choose("view", next(iter(QUESTIONS[st.session_state[QUESTION]]))),
    )
    return SESSION.choose_view(QUESTIONS[st.session_state[QUESTION]], wrap=True)


def _available(kind: str, values: Iterable[Any], allowed: Iterable[Any]) -> list[Any]:
    """Those of a state's values that are available; of the others, where a new URL named them, a sentence each."""
    names = list(allowed)
    if SESSION.is_fresh:
        unknown = [str(unknown_name(kind, value, map(str, names))) for value in values if value not in names]
        SESSION.note_problems((*SESSION.problems, *unknown))
    return [value for value in values if value in names]


def runs_of_one(key: str) -> tuple[str, dict[int, str]]:
    """The box of experiments; the one that is chosen, and its runs' names by their stored ids."""
    results = result_frames.current_state()
    names = distinct_names(result_frames.experiments(results))
    experiment = st.selectbox("Experiment", list(names), key=key, format_func=names.__getitem__)
    return experiment, run_names(result_frames.runs(results, Filter(experiments=(experiment,))))


def distinct_names(experiments: Sequence[ExperimentName]) -> dict[str, str]:
    """Experiments' names by id, made distinct: the browser sends names back, not ids."""
    times = Counter(experiment.name for experiment in experiments)
    return {
        experiment.id: f"{experiment.name} ({experiment.id})" if times[experiment.name] > 1 else experiment.name
        for experiment in experiments
    }


def options(all_results: Filter, state: ResultsState, fields: Sequence[str] = FIELDS) -> dict[str, list[Any]]:
    """The values of some fields of a filter that occur in the selected experiments."""
    runs = result_frames.runs(state, all_results)
    every: dict[str, list[Any]] = {
        **{name: list(dict.fromkeys(getattr(run, URL_NAMES[name]) for run in runs)) for name in CHOICES},
        "languages": list(result_frames.languages(state, all_results)),
        "evidence_in": result_frames.evidence(state, all_results),
        "choices": [f"{name}={value}" for name, each in varied_fields(runs).items() for value in each],
        "runs": [run.id for run in runs],
    }
    return {name: every[name] for name in fields}


def filter_boxes(
    session: PageSession[Any],
    values: Mapping[str, Sequence[Any]],
    state: ResultsState,
    all_results: Filter,
    part: str = "",
) -> None:
    """A box for each field of a filter that has several values; `part` is that of `PageSession.control`."""
    words: dict[str, Callable[[Any], str]] = {name: partial(filter_words, URL_NAMES[name]) for name in values}
    words["runs"] = run_names(result_frames.runs(state, all_results)).__getitem__
    columns = st.columns(3, gap="medium")
    for number, name in enumerate(name for name in values if len(values[name]) > 1):
        with columns[number % 3]:
            st.multiselect(
                LABELS[name],
                values[name],
                format_func=words[name],
                placeholder="All",
                **session.control(f"filter_.{name}", part=part),
            )


def _filters(values: Mapping[str, Sequence[Any]], state: ResultsState, all_results: Filter) -> None:
    """The filters, folded as long as none is active."""
    count = sum(bool(getattr(SESSION.current.filter_, name)) for name in FIELDS if len(values[name]) > 1)
    # An open one shows which are active, and has one label: a choice in it draws the results alone again.
    is_open = st.session_state.get("dash_filters", count > 0)
    label = f"Filters ({count} active)" if count and not is_open else "Filters"
    fold = st.expander(label, icon=":material/filter_alt:", expanded=count > 0, key="dash_filters", on_change="rerun")
    # A closed one is not built: its boxes are as heavy as all that is above.
    if fold.open:
        with fold:
            filter_boxes(SESSION, values, state, all_results, RESULTS)
            figure.picture()


def filter_words(choice: str, value: object) -> str:
    """A value of a filter in words; further choices are `field=value`.

    >>> filter_words("mode", "drag"), filter_words("choice", "reranker=pass")
    ('D-RAG', 'Reranker: No reranker')
    """
    if choice == "choice":
        field, _, text = str(value).partition("=")
        return f"{choice_title(field)}: {choice_name(field, text)}"
    return language_option(str(value)) if choice == "language" else choice_name(choice, str(value))
