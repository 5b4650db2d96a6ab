"""The form that writes an experiment: what is crossed with what, its YAML, its cells and steps, and an estimate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench.components.inventory import choices
from workbench.experiments.experiment import (
    ALL,
    MODE_SCOPE,
    PERTURBATIONS,
    Experiment,
    experiment_from_yaml,
    experiment_to_yaml,
    make_experiment,
)
from workbench.languages import known_languages
from workbench.metrics.catalogue import MEASURES
from workbench.metrics.judged.judge import NAMES as JUDGED
from workbench.metrics.ranking import MEASURES as RANKINGS
from workbench.prompts import VARIANTS
from workbench.recipes.mode import MODES, mode
from workbench.recipes.recipe import EXTRACTIVE
from workbench.recipes.scope import SCOPES
from workbench.settings import PASSAGES_LIMIT
from workbench.ui.ask.controls import SCOPE_TITLES
from workbench.ui.shared import access, safe_html, widget_state
from workbench.ui.shared.badges import language_words

if TYPE_CHECKING:
    from workbench.experiments.pilot import Estimate
    from workbench.experiments.plan import ExperimentPlan

KEY = "matrix_"
HELD = "matrix_held"
"""The experiment as last chosen, for when the page is left."""
FILE_PROBLEM = "matrix_problem"
LISTS = ("datasets", "languages", "modes", "scopes", "prompts", "models", "k", "perturbations", "metrics")
CONTROLS = tuple(f"{KEY}{name}" for name in (*LISTS, "name", "seed", "corpus", "judge", "all_questions", "questions"))
FIRST = {
    "name": "My experiment",
    "languages": ["en", "fi", "zh"],
    "modes": ["multirag", "crossrag"],
    "questions": 10,
}
"""What the form begins with: small enough to be done in seconds."""
NO_CORPUS = ""
NO_JUDGE = ""
ALL_METRICS = (*MEASURES, *RANKINGS, *JUDGED)


def restore() -> None:
    """Sets the controls to what was last chosen, before they are drawn."""
    if f"{KEY}name" not in st.session_state:
        put(st.session_state.get(HELD) or make_experiment(FIRST))
    widget_state.hold(CONTROLS)


def put(experiment: Experiment) -> None:
    """Sets every control. Only before the controls are drawn, or in a callback."""
    written = experiment.model_dump()
    values: dict[str, object] = {
        # Metrics as they are written: the judge's name is in a box of its own.
        **{name: list(written[name]) for name in LISTS},
        **{name: getattr(experiment, name) for name in ("name", "seed", "corpus", "judge")},
        "all_questions": experiment.questions is None,
        "questions": experiment.questions or 10,
    }
    widget_state.put({f"{KEY}{name}": value for name, value in values.items()})
    st.session_state[HELD] = experiment


def draw() -> Experiment:
    """The controls, and what they amount to. Raises UsageError."""
    datasets = {item.name: item for item in access.datasets()}
    st.text_input("Name", key=f"{KEY}name", max_chars=200)
    left, middle, right = st.columns(3, gap="medium")
    there = [code for item in datasets.values() for code in item.languages]
    with left:
        _several("datasets", "Datasets", list(datasets), help_="Whole sets of questions with their gold answers.")
        _several("languages", "Question languages", [ALL, *dict.fromkeys(there)], _language)
        held = st.columns([1.3, 1], vertical_alignment="bottom")
        with held[1]:
            whole = st.toggle("All", key=f"{KEY}all_questions", help="Every question of every dataset.")
        with held[0]:
            st.number_input(
                "Questions a language",
                1,
                1_000_000,
                key=f"{KEY}questions",
                disabled=whole,
                help="Drawn by the seed; the same ids in every language where the dataset is parallel.",
            )
        st.number_input("Seed", 0, 2**31 - 1, key=f"{KEY}seed", help="Which questions are drawn.")
    with middle:
        _several("modes", "Modes", [item.name for item in MODES], lambda name: mode(name).title)
        _several("scopes", "Scopes", [MODE_SCOPE, *SCOPES], lambda name: SCOPE_TITLES.get(name, "The mode's own"))
        _several("prompts", "Prompt variants", [item.name for item in VARIANTS])
        _several("models", "Models", list(choices("generator")), new=True, help_="Or type one as `adapter:MODEL`.")
    with right:
        _several("k", "Passages handed over (k)", [1, 3, 5, 10, PASSAGES_LIMIT])
        _several("perturbations", "Perturbations", list(PERTURBATIONS), help_="Of the documents: Ranaldi et al. 2025.")
        _several("metrics", "Metrics", ALL_METRICS)
        if wants_judge(st.session_state[f"{KEY}metrics"]):
            judge(f"{KEY}judge")
        corpora = access.corpora()
        st.selectbox(
            "Corpus",
            [NO_CORPUS, *corpora],
            key=f"{KEY}corpus",
            format_func=lambda name: name or "Each dataset's own",
            help="The documents that are searched.",
        )
    widget_state.mark_drawn(CONTROLS)
    made = _experiment()
    st.session_state[HELD] = made
    return made


def wants_judge(metrics: Sequence[str]) -> bool:
    """Whether some of the metrics are judged."""
    return any(name in JUDGED for name in metrics)


def judge(key: str) -> str:
    """The box for the model that judges; "" where none is chosen yet."""
    titles = {name: f"{title} ({name})" for name, title in choices("generator").items() if name != EXTRACTIVE}
    titles[NO_JUDGE] = "None yet"
    chosen = st.session_state.get(key) or NO_JUDGE
    name: str | None = st.selectbox(
        "Judge",
        # What was typed before stays among the choices, else the box would lose it.
        list(dict.fromkeys([NO_JUDGE, *titles, chosen])),
        key=key,
        format_func=lambda name: titles.get(name, name),
        accept_new_options=True,
        help="The model that gives the judged metrics, whose names will carry its own. Choose one, or type another as "
        "`openai-like:MODEL@ENDPOINT`. It is asked once for each distinct answer and aspect.",
    )
    return name or NO_JUDGE


def as_yaml(experiment: Experiment) -> None:
    """The experiment as a file, and a way back from one."""
    with st.expander("As YAML", icon=":material/data_object:", key="matrix_yaml"):
        text = experiment_to_yaml(experiment)
        st.code(text, language="yaml")
        st.download_button(
            "Experiment (YAML)",
            text,
            "experiment.yaml",
            "application/yaml",
            on_click="ignore",
            icon=":material/download:",
        )
        st.file_uploader("Start from a YAML file", ["yaml", "yml"], key=f"{KEY}file", on_change=_loaded)
        if problem := st.session_state.get(FILE_PROBLEM):
            safe_html.message(problem, "error")


def figures(plan: ExperimentPlan) -> Mapping[str, int]:
    """What the experiment will take, for people."""
    return {
        "runs": plan.runs,
        "cells, each an answer": plan.cells,
        "steps, each run once": sum(plan.steps.values()),
        "steps without sharing": sum(plan.unshared.values()),
    }


def estimated(estimate: Estimate) -> str:
    """The estimate in a sentence."""
    minutes = estimate.seconds / 60
    time = f"{estimate.seconds:.0f} seconds" if minutes < 2 else f"{minutes:,.0f} minutes"
    tokens = estimate.prompt_tokens + estimate.completion_tokens
    spent = f" and {tokens:,} tokens" if tokens else ""
    failed = f" {estimate.failed:,} of them failed." if estimate.failed else ""
    slowest = max(estimate.each, key=lambda name: estimate.each[name], default="")
    where = f" The slowest stage is “{slowest}”, {estimate.each[slowest] * 1000:,.0f} ms a step." if slowest else ""
    unmet = f" Not counted, since the pilot never got there: {', '.join(estimate.unmet)}." if estimate.unmet else ""
    return f"From a pilot of {estimate.cells:,} cells: about {time}{spent} for the whole.{failed}{where}{unmet}"


def _several(
    name: str,
    label: str,
    options: Sequence[Any],
    shown: Callable[[Any], str] = str,
    *,
    new: bool = False,
    help_: str = "",
) -> None:
    chosen = st.session_state.get(f"{KEY}{name}", [])
    st.multiselect(
        label,
        # What a file named stays among the choices, so that it is seen and told of.
        list(dict.fromkeys([*options, *chosen])),
        key=f"{KEY}{name}",
        format_func=shown,
        accept_new_options=new,
        help=help_ or None,
    )


def _experiment() -> Experiment:
    state = st.session_state
    return make_experiment(
        {
            **{name: state[f"{KEY}{name}"] for name in (*LISTS, "name", "seed", "corpus")},
            "judge": state.get(f"{KEY}judge", NO_JUDGE) if wants_judge(state[f"{KEY}metrics"]) else NO_JUDGE,
            "questions": None if state[f"{KEY}all_questions"] else state[f"{KEY}questions"],
            "recipe": state[HELD].recipe,
        }
    )


def _language(code: str) -> str:
    if code == ALL:
        return "All of the dataset"
    return language_words(code) if code in {item.code for item in known_languages()} else code


def _loaded() -> None:
    file = st.session_state[f"{KEY}file"]
    st.session_state[FILE_PROBLEM] = ""
    if file is None:
        return
    try:
        put(experiment_from_yaml(file.getvalue().decode("utf-8", errors="replace"), file.name))
    except Exception as error:
        st.session_state[FILE_PROBLEM] = access.error_message(error)
