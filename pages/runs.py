"""Runs: experiments as matrices of runs, started, watched, stopped and resumed."""

import streamlit as st

from workbench.ui.dashboard import result_frames
from workbench.ui.runs import actions, exporting, jobs_view, matrix_form
from workbench.ui.shared import access, frame

frame.enter()
with access.guarded():
    st.title("Runs")
    st.markdown(
        "Cross datasets, languages, modes, scopes, prompts and models. Steps that cells share are run once. A job "
        "works in a process of its own: close this page, and it goes on."
    )
    rows = result_frames.store().experiment_names()
    with actions.form(opened=not rows), access.guarded():
        matrix_form.restore()
        made = matrix_form.draw()
        matrix_form.as_yaml(made)
        actions.plan_and_start(made)
    with actions.own_run_form(), access.guarded():
        actions.own_run()

    if rows:
        st.header("Experiments")
        shown = actions.chosen({row.id: row.name for row in rows})
        jobs_view.detail(shown)
        exporting.take_away(shown)
        jobs_view.listed()
