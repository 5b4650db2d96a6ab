"""Runs: experiments as matrices of runs, started, watched, stopped and resumed."""

import streamlit as st

from workbench.ui.parts import access, frame, permitted, safe_html
from workbench.ui.runs import actions, jobs_view
from workbench.ui.runs.jobs_view import SESSION

frame.enter()
with access.guarded():
    st.title("Runs")
    st.markdown(
        "An experiment combines datasets, languages, modes, scopes, prompts and models. Steps that cells share are run "
        "once. A job works in a process of its own, so you can close this page."
    )
    SESSION.restore()
    names = jobs_view.experiment_names()
    actions.new_experiment(opened=not names)
    actions.import_run()

    jobs_view.report_edits()
    if names:
        st.header("Experiments")
        experiment_id = jobs_view.record_box(
            SESSION, "experiment", names, "The experiment whose progress and results are shown below."
        )
        jobs_view.detail(experiment_id)
        jobs_view.export_form(experiment_id)
        jobs_view.experiment_list()
    elif reason := permitted.why_not("runs.start"):
        safe_html.message(f"There are no experiments yet, and you cannot start one. {reason}")
    SESSION.remember()
