"""An empty Dashboard: one click starts a small experiment over the sample, which opens here when it is done."""

from __future__ import annotations

from functools import partial

import streamlit as st

from workbench.data import SAMPLE
from workbench.experiments import (
    LANGUAGES,
    MODES,
    QUESTIONS,
    ExperimentJobs,
    Filter,
    start_demonstration,
)
from workbench.ui.dashboard.dashboard_state import SESSION, DashboardState
from workbench.ui.parts import access, job_card, permitted, safe_html
from workbench.ui.parts.job_card import JobWords

RUNNING = "dash_demonstration"
"""In the session: the id of the demonstration that this user started and that has not been opened yet."""


def offer() -> None:
    """What is shown where there are no results: what the Dashboard is for, a demonstration, and the way to Runs."""
    st.markdown(
        "There are no results yet. An experiment runs complete datasets with many recipes and scores the answers."
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        started = st.button(
            "Run a demonstration",
            key="dash_demonstrate",
            type="primary",
            icon=":material/play_circle:",
            **permitted.control("runs.start"),
        )
        st.page_link("pages/runs.py", label="Run an experiment", icon=":material/tune:")
    st.caption(
        f"The demonstration asks {QUESTIONS} questions of the sample in {len(LANGUAGES)} languages in each of "
        f"{len(MODES)} modes, with the built-in models: nothing is downloaded and nothing is sent. It takes about a "
        "minute and stays in your list of experiments."
    )
    if started:
        access.prepare(SAMPLE)
        with st.spinner("Starting"):
            st.session_state[RUNNING] = start_demonstration(access.workbench())
        st.rerun()


def watch() -> bool:
    """Shows the progress of the demonstration that was started here; False where none is under way."""
    experiment_id = st.session_state.get(RUNNING)
    if experiment_id is None:
        return False
    jobs = ExperimentJobs(access.workbench().settings)
    if jobs.is_active(experiment_id):
        st.markdown("**The demonstration is running.** Its results open here when it is done.")
        words = JobWords("dash_demonstration")
        job_card.live(partial(jobs.is_active, experiment_id), partial(job_card.progress, jobs, experiment_id, words))
        st.page_link("pages/runs.py", label="See its stages", icon=":material/play_circle:")
        return True
    del st.session_state[RUNNING]
    job = jobs.status(experiment_id)
    if job is None or job.state != "done":
        safe_html.message(
            (job and job.error) or "The demonstration was stopped before its end. Runs can resume it.", "error"
        )
    SESSION.set(DashboardState(filter_=Filter(experiments=(experiment_id,))))
    return False
