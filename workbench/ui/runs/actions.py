"""What a user does on the Runs screen: count, estimate and start an experiment, import a run, select an experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import streamlit as st

from workbench.core import shorten
from workbench.experiments import (
    DEFAULT_METRICS,
    Experiment,
    ExperimentJobs,
    checked_judge,
    hosts_of,
    judge_hosts,
    unready_components,
)
from workbench.ui.home import home_view
from workbench.ui.parts import access, permitted, safe_html, uploads
from workbench.ui.runs import judge_controls, matrix_form, model_select, pilot_view
from workbench.ui.runs.runs_state import SESSION

if TYPE_CHECKING:
    from workbench.experiments import ExperimentPlan

FORM = "new_experiment"
IMPORT_FORM = "own_run"
SUBMITTED_FORM = "runs_made_by"
"""In the session: the form that has just created an experiment."""


@permitted.form("runs.start")
def new_experiment(*, opened: bool) -> None:
    """The form of a matrix in an expander, with what it takes and its start; `opened`: whether it is open at first."""
    with _folded("New experiment", FORM, ":material/add_circle:", opened), access.guarded():
        matrix_form.restore()
        experiment = matrix_form.draw()
        matrix_form.as_yaml(experiment)
        plan_and_start(experiment)


@permitted.form("runs.import")
def import_run() -> None:
    """The form that imports a run, in an expander."""
    with _folded("Import a run of another system", IMPORT_FORM, ":material/upload:", False), access.guarded():
        import_form()


def _folded(label: str, key: str, icon: str, opened: bool) -> AbstractContextManager[object]:
    # Folded again once it has created an experiment, so that the experiment is in view.
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


def plan_and_start(experiment: Experiment) -> None:
    """What the experiment will take, then the buttons Start and pilot, and what a pilot measured."""
    plan = _plan(experiment.fingerprint, access.workbench().settings.database_url, experiment)
    safe_html.show(home_view.figures(matrix_form.plan_figures(plan)))
    for sentence in plan.idle:
        safe_html.show(safe_html.text_block(sentence, "en", "wb-muted"))
    for reason, count in plan.impossible.items():
        safe_html.message(f"{count:,} cells cannot run: {reason}", "error")
    model_select.unready(unready_components(experiment, access.workbench().settings.home))
    hosts = hosts_of(experiment, access.workbench().settings.home)
    judged = bool(experiment.judge or experiment.semscore_encoder)
    disabled = not (_consent("runs", hosts, judged=judged) and plan.cells)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        start = st.button(
            "Start",
            key="runs_start",
            type="primary",
            icon=":material/play_circle:",
            **permitted.control("runs.start", disabled=disabled),
        )
        pilot_view.button(experiment, disabled)
    if start:
        with st.spinner("Starting"):
            jobs = ExperimentJobs(access.workbench().settings)
            experiment_id = jobs.create(access.workbench(), experiment)
            jobs.start(experiment_id)
        _show(experiment_id, FORM)
        st.rerun()
    pilot_view.draw(experiment, plan)


def import_form() -> None:
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
        is_judged = judge_controls.needs_judge(metrics)
        judge = judge_controls.judge_select("own_judge") if is_judged else ""
        judge_language = judge_controls.judge_language_select("own_judge_language") if is_judged else "answer"
    hosts = judge_hosts(checked_judge(judge), access.workbench().settings.home)
    consent = _consent("own", hosts, judged=True)
    disabled = file is None or not consent
    if (
        st.button(
            "Import", key="own_take", icon=":material/upload:", **permitted.control("runs.import", disabled=disabled)
        )
        and file is not None
    ):
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


def select_experiment(titles: Mapping[str, str]) -> str:
    """The box for the experiment that is shown; `titles` are names by id, the newest first."""
    linked, newest = SESSION.current.experiment, next(iter(titles))
    if linked and linked not in titles:
        safe_html.message(
            f"The link names the experiment “{shorten(linked)}”, which is not in this workspace; another one is shown.",
            "error",
        )
    shown = linked if linked in titles else newest
    st.selectbox(
        "Experiment",
        list(titles),
        format_func=lambda item: f"{titles[item]} ({item})",
        **SESSION.control("experiment", shown=shown),
    )
    return shown


def _show(experiment_id: str, form: str) -> None:
    """Shows the experiment that a form has created. Only before the box of experiments is drawn."""
    st.session_state[SUBMITTED_FORM] = form
    SESSION.change(experiment=experiment_id)


def _consent(form: str, hosts: Sequence[str], *, judged: bool) -> bool:
    """Whether texts may be sent to these hosts, which the user is asked if there are any; `form` is part of the key."""
    if not hosts:
        return True
    texts = "questions, documents, gold answers and answers" if judged else "questions and documents"
    safe_html.message(f"With these models, texts leave this machine: {texts} are sent to {' and '.join(hosts)}.")
    return st.checkbox("I agree to send them", key=f"{form}_agree_{'_'.join(hosts)}")
