"""Runs: experiments as matrices of runs, started, watched, stopped and resumed."""

import streamlit as st

from workbench.studies import results
from workbench.ui import frame, jobs_view, matrix_form, result_frames, runs_actions, workspace

frame.required()
with workspace.guarded():
    st.title("Runs")
    st.markdown(
        "Cross datasets, languages, modes, scopes, prompts and models. Steps that cells share are run once. A job "
        "works in a process of its own: close this page, and it goes on."
    )
    rows = results.experiments(result_frames.engine())
    ids = [row.id for row in rows]
    new = st.expander("New experiment", icon=":material/add_circle:", expanded=not rows, key="new_experiment")
    with new, workspace.guarded():
        matrix_form.restore()
        made = matrix_form.draw()
        matrix_form.as_yaml(made)
        runs_actions.plan_and_start(made)
    with st.expander("Bring your own run", icon=":material/upload:", key="own_run"), workspace.guarded():
        runs_actions.own_run()

    if rows:
        st.subheader("Experiments")
        shown = runs_actions.chosen(ids, {row.id: row.name for row in rows})
        jobs_view.detail(shown)
        runs_actions.take_away(shown)
        jobs_view.listed()
