"""What a user starts on the Runs screen: an experiment, its pilot, and the import of a run of another system.

Pilots are read from the database, so they are the same in every tab and after leaving the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.elements.lib.mutable_expander_container import ExpanderContainer

from workbench.components import checked_judge
from workbench.experiments import (
    DEFAULT_METRICS,
    Experiment,
    ExperimentJobs,
    Pilots,
    estimate,
    hosts_of,
    judge_hosts,
    unready_components,
)
from workbench.ui.home import home_view
from workbench.ui.parts import access, job_card, permitted, safe_html, uploads
from workbench.ui.parts.job_card import JobWords
from workbench.ui.parts.verb_button import verb_button
from workbench.ui.runs import jobs_view, matrix_form
from workbench.ui.runs.jobs_view import SESSION
from workbench.workspace import duration_words

if TYPE_CHECKING:
    from workbench.experiments import Estimate, ExperimentPlan, Pilot

FORM = "new_experiment"
IMPORT_FORM = "own_run"
SUBMITTED_FORM = "submitted_form"
"""The session's key for the form that has just created something."""
PILOT_QUESTIONS = 2
"""Questions per language that a pilot runs."""
PILOT_WORDS = JobWords(
    "pilot", lambda job: f"Pilot of “{job.title}”. {jobs_view.stage_words(job, with_end=False)}", stop="Stop pilot"
)
PILOT_ENDED = {
    "stopped": "The pilot was stopped. What it computed is cached, so the next pilot takes less time.",
    "interrupted": "The pilot's process was killed. What it computed is cached, so the next pilot takes less time.",
}


@permitted.form("runs.start")
def new_experiment(*, opened: bool) -> None:
    """The form of a matrix in an expander, with what it takes and its start; `opened`: whether it is open at first."""
    fold = folded("New experiment", FORM, ":material/add_circle:", opened)
    # A closed one is not built: it has forty controls.
    if not fold.open:
        return
    with fold, access.guarded():
        matrix_form.restore()
        experiment = matrix_form.draw()
        matrix_form.as_yaml(experiment)
        _plan_and_start(experiment)


@permitted.form("runs.import")
def import_run() -> None:
    """The form that imports a run, in an expander."""
    fold = folded("Import a run of another system", IMPORT_FORM, ":material/upload:", False)
    if fold.open:
        with fold, access.guarded():
            _import_form()


def folded(label: str, key: str, icon: str, opened: bool) -> ExpanderContainer:
    """The expander of a form, open at first where `opened`, folded again once it has created what is to be in view."""
    if st.session_state.get(SUBMITTED_FORM) == key:
        del st.session_state[SUBMITTED_FORM]
        st.session_state[key] = False
    return st.expander(label, expanded=opened, key=key, icon=icon, on_change="rerun")


@st.cache_data(show_spinner="Counting cells and steps", max_entries=64, ttl=60)
def _plan(fingerprint: str, database: str, _experiment: Experiment) -> ExperimentPlan:
    # The first two are the key under which Streamlit caches a plan.
    del fingerprint, database
    from workbench.experiments import plan

    return plan(access.workbench(), _experiment)


def _plan_and_start(experiment: Experiment) -> None:
    """What the experiment will take, then the buttons Start and pilot, and what a pilot measured."""
    plan = _plan(experiment.fingerprint, access.workbench().settings.database_url, experiment)
    figures = {
        "runs": plan.runs,
        "cells, one answer each": plan.cells,
        "steps, each run once": sum(plan.steps.values()),
        "steps without sharing": sum(plan.unshared.values()),
    }
    safe_html.show(home_view.figures(figures))
    for sentence in plan.idle:
        safe_html.show(safe_html.text_block(sentence, "en", "wb-muted"))
    for reason, count in plan.impossible.items():
        safe_html.message(f"{count:,} cells cannot run: {reason}", "error")
    matrix_form.unready_models(unready_components(experiment, access.workbench().settings.home))
    hosts = hosts_of(experiment, access.workbench().settings.home)
    judged = bool(experiment.judge or experiment.semscore_encoder)
    disabled = not (consent("runs", hosts, judged=judged) and plan.cells)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        start = verb_button(
            "Start", "runs.start", key="runs_start", icon="play_circle", kind="primary", disabled=disabled
        )
        _pilot_button(experiment, disabled)
    if start:
        with st.spinner("Starting"):
            jobs = ExperimentJobs(access.workbench().settings)
            experiment_id = jobs.create(access.workbench(), experiment)
            jobs.start(experiment_id)
        _show(experiment_id, FORM)
        st.rerun()
    _pilots(experiment, plan)


def _estimate_words(estimate: Estimate) -> str:
    """The estimate of a complete experiment in a few sentences."""
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


def _import_form() -> None:
    """The form that imports answers of another system as a run like any other."""
    st.markdown(
        "Answers that another system gave to the questions of a dataset: JSON lines, CSV, TSV or Excel with the "
        "columns `id` (of the question) and `answer`, and optionally `passages` and `language`."
    )
    datasets = {item.name: item for item in access.datasets()}
    left, right = st.columns(2, gap="medium")
    with left:
        file = st.file_uploader("File with answers", ["jsonl", "csv", "tsv", "xlsx"], key="own_file")
        title = st.text_input("Name of the run", key="own_title", placeholder="my-system")
    with right:
        dataset = st.selectbox("Dataset", list(datasets), key="own_dataset")
        language = st.selectbox(
            "Question language",
            ["", *datasets[dataset].languages],
            key="own_language",
            format_func=lambda item: item or "From the column “language”",
        )
        metrics = st.multiselect("Metrics", matrix_form.ALL_METRICS, default=list(DEFAULT_METRICS), key="own_metrics")
        judge, judge_language = matrix_form.judge_boxes("own_", metrics)
    hosts = judge_hosts(checked_judge(judge), access.workbench().settings.home)
    disabled = not consent("own", hosts, judged=True) or file is None
    pressed = verb_button("Import", "runs.import", key="own_take", icon="upload", disabled=disabled)
    if pressed and file is not None:
        from workbench.experiments import import_predictions

        with uploads.files_on_disk([file]) as paths, st.spinner("Importing and scoring"):
            predictions = import_predictions(
                access.workbench(),
                paths[0],
                dataset,
                title=title,
                language=language,
                metrics=tuple(metrics),
                judge=judge,
                judge_language=judge_language,
            )
        _show(predictions.experiment_id, IMPORT_FORM)
        st.rerun()


def _show(experiment_id: str, form: str) -> None:
    """Shows the experiment that a form has created. Only before the box of experiments is drawn."""
    st.session_state[SUBMITTED_FORM] = form
    SESSION.change(experiment=experiment_id)


def consent(form: str, hosts: Sequence[str], *, judged: bool) -> bool:
    """Whether texts may be sent to these hosts, which the user is asked if there are any; `form` is part of the key."""
    if not hosts:
        return True
    texts = "questions, documents, gold answers and answers" if judged else "questions and documents"
    safe_html.message(f"With these models, texts leave this machine: {texts} are sent to {' and '.join(hosts)}.")
    return st.checkbox("I agree to send them", key=f"{form}_agree_{'_'.join(hosts)}")


def _pilot_button(experiment: Experiment, disabled: bool) -> None:
    """The button that starts an experiment's pilot; also disabled while that pilot is at work."""
    pilot = _pilot_jobs().find(experiment, PILOT_QUESTIONS)
    pressed = verb_button(
        f"Run a pilot ({PILOT_QUESTIONS} questions per language)",
        "runs.start",
        key="runs_pilot",
        icon="timer",
        disabled=disabled or (pilot is not None and pilot.active),
        help="Runs a small part now and estimates the complete experiment. What it computes is cached.",
    )
    if pressed:
        _pilot_jobs().start(experiment, PILOT_QUESTIONS)
        st.rerun()


def _pilots(experiment: Experiment, plan: ExperimentPlan) -> None:
    """The pilots at work, and how the pilot of the experiment with this plan ended."""
    if working := _working():
        job_card.live(lambda: _working() == working, _draw_working)
    pilot = _pilot_jobs().find(experiment, PILOT_QUESTIONS)
    if pilot is not None and not pilot.active:
        _pilot_ended(pilot, plan)


def _working() -> tuple[str, ...]:
    return tuple(pilot.id for pilot in _pilot_jobs().at_work())


def _draw_working() -> None:
    for pilot in _pilot_jobs().at_work():
        job_card.progress(_pilot_jobs(), pilot.id, PILOT_WORDS)


def _pilot_ended(pilot: Pilot, plan: ExperimentPlan) -> None:
    if pilot.measured is not None:
        result = estimate(plan, pilot.measured)
        safe_html.message(_estimate_words(result))
        for reason, count in result.reasons.items():
            safe_html.message(f"{count:,} of the pilot's cells failed: {reason}", "error")
    elif pilot.status is not None:
        stopped = pilot.status.state == "stopped"
        safe_html.message(PILOT_ENDED.get(pilot.status.state) or pilot.status.error, "note" if stopped else "error")


def _pilot_jobs() -> Pilots:
    return Pilots(access.workbench().settings)
