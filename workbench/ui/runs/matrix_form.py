"""The form that defines an experiment: its matrix, its YAML, its numbers of cells and steps, and an estimate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench.components import choices
from workbench.core import UsageError
from workbench.experiments import (
    ALL,
    MODE_SCOPE,
    PERTURBATIONS,
    RERANKED,
    SEMSCORE,
    Experiment,
    experiment_from_yaml,
    experiment_to_yaml,
    make_experiment,
)
from workbench.metrics import MEASURES, NAMES as JUDGED, RANKING_MEASURES as RANKINGS
from workbench.pipeline import BUILTIN, recipe_field as field
from workbench.ui.parts import access, safe_html
from workbench.ui.parts.badges import language_option
from workbench.ui.runs import judge_controls, model_select, vary_controls
from workbench.workspace import PASSAGES_LIMIT, duration_words

if TYPE_CHECKING:
    from workbench.data import DatasetInfo
    from workbench.experiments import Estimate, ExperimentPlan

KEY = "matrix_"
CURRENT = "matrix_held"
"""In the session: the experiment as the form last had it, for when the page is left."""
FILE_PROBLEM = "matrix_problem"
LISTS = ("datasets", "languages", "modes", "scopes", "prompts", "models", "k", "perturbations", "metrics")
NOUNS = {
    "datasets": "dataset",
    "languages": "question language",
    "modes": "mode",
    "scopes": "scope",
    "prompts": "prompt variant",
    "models": "model",
    "k": "number of passages",
    "perturbations": "perturbation",
}
"""One of each list that must not be empty."""
MODELS_OF_METRICS = ("judge", "judge_language", "semscore_encoder")
SINGLES = ("name", "seed", "corpus", *MODELS_OF_METRICS)
DEFAULTS = {
    "name": "My experiment",
    "languages": ["en", "fi", "zh"],
    "modes": ["multirag", "crossrag"],
    "questions": 10,
}
"""What the form begins with: small enough to finish in seconds."""
NO_CORPUS = ""
NO_JUDGE = ""
ALL_METRICS = (*MEASURES, *RANKINGS, *RERANKED, *JUDGED)


def restore() -> None:
    """Sets the controls to what the form last had. Only before they are drawn."""
    if f"{KEY}name" not in st.session_state:
        put(st.session_state.get(CURRENT) or make_experiment(DEFAULTS))


def put(experiment: Experiment) -> None:
    """Sets every control to an experiment. Only before the controls are drawn, or in a callback."""
    fields = experiment.model_dump()
    values: dict[str, object] = {
        # Metrics without the judge's name, which has a box of its own.
        **{name: list(fields[name]) for name in LISTS},
        **{name: getattr(experiment, name) for name in SINGLES},
        "all_questions": experiment.questions is None,
        "questions": experiment.questions or 10,
    }
    values = {f"{KEY}{name}": value for name, value in values.items()}
    for key, value in {**values, **vary_controls.values_of(experiment)}.items():
        st.session_state[key] = value
    st.session_state[CURRENT] = experiment


def draw() -> Experiment:
    """The controls; returns the experiment that they define. Raises UsageError for one that is not valid."""
    datasets = {item.name: item for item in access.datasets()}
    st.text_input("Name", key=f"{KEY}name", max_chars=200, persist_state="session")
    left, middle, right = st.columns(3, gap="medium")
    with left:
        _several("datasets", "Datasets", list(datasets), help_="Sets of questions with their gold answers.")
        selected = [datasets[name] for name in st.session_state[f"{KEY}datasets"] if name in datasets]
        codes = dict.fromkeys(code for item in selected for code in item.languages)
        _several("languages", "Question languages", [ALL, *codes], _language)
        for words in _absent_languages(selected, st.session_state[f"{KEY}languages"]):
            safe_html.show(safe_html.text_block(words, "en", "wb-muted"))
        question_columns = st.columns([1.3, 1], vertical_alignment="bottom")
        with question_columns[1]:
            every = st.toggle(
                "All", key=f"{KEY}all_questions", persist_state="session", help="All questions of every dataset."
            )
        with question_columns[0]:
            st.number_input(
                "Questions per language",
                1,
                1_000_000,
                key=f"{KEY}questions",
                persist_state="session",
                disabled=every,
                help="A random sample; the same question ids in every language if the dataset is parallel.",
            )
        st.number_input(
            "Seed",
            0,
            2**31 - 1,
            key=f"{KEY}seed",
            persist_state="session",
            help="Determines which questions are sampled.",
        )
    with middle:
        _several("modes", "Modes", field("mode").values, field("mode").shown)
        _several("scopes", "Scopes", [MODE_SCOPE, *field("scope").values], _scope)
        _several("prompts", "Prompt variants", field("prompt").values)
        _several(
            "models",
            "Models",
            list(choices("generator")),
            model_select.label("generator"),
            new=True,
            help_="Select models, or type one as `adapter:MODEL`.",
        )
    with right:
        _several("k", field("k").title, [1, 3, 5, 10, PASSAGES_LIMIT])
        _several(
            "perturbations",
            "Perturbations",
            list(PERTURBATIONS),
            help_="Changes to the documents that test robustness: Ranaldi et al. (2025, D-RAG), Ranaldi et al. (2025, "
            "CrossRAG); or oracle, gold passages in place of a search: Chirkova et al. (2024).",
        )
        _several("metrics", "Metrics", [*ALL_METRICS, SEMSCORE])
        if judge_controls.needs_judge(st.session_state[f"{KEY}metrics"]):
            judge_controls.judge_select(f"{KEY}judge")
            judge_controls.judge_language_select(f"{KEY}judge_language")
        if SEMSCORE in st.session_state[f"{KEY}metrics"]:
            model_select.draw(
                "Encoder for semscore",
                "encoder",
                f"{KEY}semscore_encoder",
                without=BUILTIN,
                help_="The model that compares the meaning of an answer with that of a gold answer; its name becomes "
                "part of the metric's.",
            )
        corpora = access.corpora()
        st.selectbox(
            "Corpus",
            [NO_CORPUS, *corpora],
            key=f"{KEY}corpus",
            persist_state="session",
            format_func=lambda name: name or "Each dataset's corpus",
            help="The documents to search.",
        )
        corpus = st.session_state[f"{KEY}corpus"]
        vary_controls.draw([corpus] if corpus else list(dict.fromkeys(item.corpus for item in selected)))
    experiment = _experiment()
    st.session_state[CURRENT] = experiment
    return experiment


def as_yaml(experiment: Experiment) -> None:
    """The experiment as a YAML file, and the upload of one."""
    with st.expander("Experiment as YAML", icon=":material/data_object:", key="matrix_yaml"):
        text = experiment_to_yaml(experiment)
        st.code(text, language="yaml")
        st.download_button(
            "Download YAML",
            text,
            "experiment.yaml",
            "application/yaml",
            on_click="ignore",
            icon=":material/download:",
        )
        st.file_uploader("Load a YAML file", ["yaml", "yml"], key=f"{KEY}file", on_change=_loaded)
        if problem := st.session_state.get(FILE_PROBLEM):
            safe_html.message(problem, "error")


def plan_figures(plan: ExperimentPlan) -> Mapping[str, int]:
    """The size of an experiment: each number under its name on the screen."""
    return {
        "runs": plan.runs,
        "cells, one answer each": plan.cells,
        "steps, each run once": sum(plan.steps.values()),
        "steps without sharing": sum(plan.unshared.values()),
    }


def estimate_words(estimate: Estimate) -> str:
    """The estimate in a few sentences."""
    tokens = estimate.prompt_tokens + estimate.completion_tokens
    spent = f" and {tokens:,} tokens" if tokens else ""
    failed = f" {estimate.failed:,} of its cells failed." if estimate.failed else ""
    slowest = max(estimate.each, key=lambda name: estimate.each[name], default="")
    where = f" The slowest stage is “{slowest}”, {estimate.each[slowest] * 1000:,.0f} ms per step." if slowest else ""
    unmet = f" Not included, as the pilot did not reach them: {', '.join(estimate.unmet)}." if estimate.unmet else ""
    return (
        f"Estimate for the complete experiment: about {duration_words(estimate.seconds)}{spent}, from a pilot of "
        f"{estimate.cells:,} cells.{failed}{where}{unmet}"
    )


def _several(
    name: str,
    label: str,
    options: Sequence[Any],
    shown: Callable[[Any], str] = str,
    *,
    new: bool = False,
    help_: str = "",
) -> None:
    current = st.session_state.get(f"{KEY}{name}", [])
    st.multiselect(
        label,
        # What a file named stays among the options, so that it is visible and can be reported.
        list(dict.fromkeys([*options, *current])),
        key=f"{KEY}{name}",
        persist_state="session",
        format_func=shown,
        accept_new_options=new,
        help=help_ or None,
    )


def _experiment() -> Experiment:
    state = st.session_state
    metrics = state[f"{KEY}metrics"]
    if missing := next((noun for name, noun in NOUNS.items() if not state[f"{KEY}{name}"]), ""):
        raise UsageError(f"Choose at least one {missing}.")
    if not str(state[f"{KEY}name"]).strip():
        raise UsageError("Type a name for the experiment.")
    return make_experiment(
        {
            **{name: state[f"{KEY}{name}"] for name in (*LISTS, "name", "seed", "corpus")},
            "judge": state.get(f"{KEY}judge", NO_JUDGE) if judge_controls.needs_judge(metrics) else NO_JUDGE,
            "judge_language": state.get(f"{KEY}judge_language", "") if judge_controls.needs_judge(metrics) else "",
            "semscore_encoder": state.get(f"{KEY}semscore_encoder", "") if SEMSCORE in metrics else "",
            "questions": None if state[f"{KEY}all_questions"] else state[f"{KEY}questions"],
            "recipe": state[CURRENT].recipe,
            **vary_controls.experiment_choices(),
        }
    )


def _absent_languages(datasets: Sequence[DatasetInfo], languages: Sequence[str]) -> list[str]:
    """A sentence for each dataset that has no questions in some of the languages."""
    absent = {item.name: [code for code in languages if code not in (ALL, *item.languages)] for item in datasets}
    return [
        f"{name} has no questions in {', '.join(language_option(code) for code in codes)}."
        for name, codes in absent.items()
        if codes
    ]


def _language(code: str) -> str:
    if code == ALL:
        return "All languages of the dataset"
    return language_option(code)


def _scope(name: str) -> str:
    return "Each mode's default" if name == MODE_SCOPE else field("scope").shown(name)


def _loaded() -> None:
    file = st.session_state[f"{KEY}file"]
    st.session_state[FILE_PROBLEM] = ""
    if file is None:
        return
    with access.caught(lambda sentence: st.session_state.update({FILE_PROBLEM: sentence})):
        put(experiment_from_yaml(file.getvalue().decode("utf-8", errors="replace"), file.name))
