"""Dashboard: what came of the experiments, from the leaderboard down to single answers."""

import streamlit as st

from workbench.ui.dashboard import instances_view, result_frames, view_controls, view_figures
from workbench.ui.shared import access, figure, frame, safe_html

frame.enter()
with access.guarded():
    st.title("Dashboard")
    ahead = figure.fetch_ahead()
    state = result_frames.state()
    before = view_controls.restore()
    look = view_controls.draw(before, state)
    if look is None:
        ahead.empty()
        st.markdown("There are no results yet. An experiment asks whole datasets in many ways and scores the answers.")
        st.page_link("pages/runs.py", label="Run an experiment", icon=":material/play_circle:")
        st.stop()
    if not look.metric:
        ahead.empty()
        safe_html.message(
            "Nothing of this experiment is scored yet: its first answers come when its last stage begins."
        )
        st.page_link("pages/runs.py", label="See how it stands", icon=":material/play_circle:")
        view_controls.remember(look)
        st.stop()

    look = view_figures.draw(look, state)
    ahead.empty()
    view_controls.remember(look)
    if look.mark:
        instances_view.draw(look)
    else:
        safe_html.show(instances_view.none_open())
