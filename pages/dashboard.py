"""Dashboard: what came of the experiments, from the leaderboard down to single answers."""

import streamlit as st

from workbench.ui import figure, frame, safe, workspace
from workbench.ui.dashboard import instances_view, look_controls, look_views, result_frames

frame.required()
with workspace.guarded():
    st.title("Dashboard")
    ahead = figure.fetch_ahead()
    state = result_frames.state()
    before = look_controls.restore()
    look = look_controls.draw(before, state)
    if look is None:
        ahead.empty()
        st.markdown("There are no results yet. An experiment asks whole datasets in many ways and scores the answers.")
        st.page_link("pages/runs.py", label="Run an experiment", icon=":material/play_circle:")
        st.stop()
    if not look.metric:
        ahead.empty()
        safe.message("Nothing of this experiment is scored yet: its first answers come when its last stage begins.")
        st.page_link("pages/runs.py", label="See how it stands", icon=":material/play_circle:")
        look_controls.remember(look)
        st.stop()

    look = look_views.draw(look, state)
    ahead.empty()
    look_controls.remember(look)
    if look.mark:
        instances_view.draw(look)
    else:
        safe.show(instances_view.none_open())
