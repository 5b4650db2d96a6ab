"""Runs: experiments as matrices of runs, started, watched, stopped and resumed."""

import streamlit as st

from workbench.ui.parts import access, frame, permitted, safe_html
from workbench.ui.runs import actions, jobs_view
from workbench.ui.runs.jobs_view import SESSION

frame.enter()
with access.guarded():
    st.title("Runs")
    st.caption(
        "An experiment combines datasets, languages, modes, scopes, prompts and models. Steps that cells share are run "
        "once, in a process of its own: you can close this page."
    )
    linked = SESSION.restore().experiment
    names = jobs_view.experiment_names()
    if linked and not names:
        safe_html.message("The experiment that the link names is not in this workspace.", "error")
    jobs_view.report_edits()
    # Above the list, but drawn after a form that creates what the list is to show.
    place = st.container()
    actions.new_experiment(opened=not names)
    actions.import_run()
    if names := jobs_view.experiment_names():
        with place:
            jobs_view.experiment_list()
    elif reason := permitted.why_not("runs.start"):
        safe_html.message(f"There are no experiments yet, and you cannot start one. {reason}")
    SESSION.remember()
