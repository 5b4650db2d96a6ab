"""Runs: experiments as matrices of runs, started, watched, stopped and resumed."""

import streamlit as st

from workbench.ui.runs import actions, editing_view, exporting, jobs_view, matrix_form
from workbench.ui.shared import access, frame

frame.enter()
with access.guarded():
    st.title("Runs")
    st.markdown(
        "An experiment combines datasets, languages, modes, scopes, prompts and models. Steps that cells share are run "
        "once. A job works in a process of its own, so you can close this page."
    )
    names = jobs_view.experiment_names()
    with actions.new_experiment_expander(opened=not names), access.guarded():
        matrix_form.restore()
        experiment = matrix_form.draw()
        matrix_form.as_yaml(experiment)
        actions.plan_and_start(experiment)
    with actions.import_expander(), access.guarded():
        actions.import_form()

    editing_view.report()
    if names:
        st.header("Experiments")
        experiment_id = actions.select_experiment(names)
        jobs_view.detail(experiment_id)
        exporting.export_form(experiment_id)
        jobs_view.experiment_list()
