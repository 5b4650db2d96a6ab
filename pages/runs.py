"""Runs: experiments as matrices of runs, started, watched, stopped and resumed."""

import streamlit as st

from workbench.studies import results
from workbench.ui import frame, workspace
from workbench.ui.dashboard import result_frames
from workbench.ui.runs import actions, exporting, jobs_view, matrix_form

frame.required()
with workspace.guarded():
    st.title("Runs")
    st.markdown(
        "Cross datasets, languages, modes, scopes, prompts and models. Steps that cells share are run once. A job "
        "works in a process of its own: close this page, and it goes on."
    )
    rows = results.experiments(result_frames.engine())
    with actions.form(opened=not rows), workspace.guarded():
        matrix_form.restore()
        made = matrix_form.draw()
        matrix_form.as_yaml(made)
        actions.plan_and_start(made)
    with actions.own_run_form(), workspace.guarded():
        actions.own_run()

    if rows:
        st.header("Experiments")
        shown = actions.chosen({row.id: row.name for row in rows})
        jobs_view.detail(shown)
        exporting.take_away(shown)
        jobs_view.listed()
