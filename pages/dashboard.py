"""Dashboard: the results of the experiments, from the leaderboard down to single answers."""

import streamlit as st

from workbench.ui.dashboard import demonstration_view, instances_view, result_frames, view_controls, view_figures
from workbench.ui.dashboard.dashboard_state import SESSION
from workbench.ui.dashboard.result_frames import ResultsState
from workbench.ui.parts import access, frame, safe_html, signed_in
from workbench.ui.runs import jobs_view


def draw_results(state: ResultsState, problems: tuple[str, ...]) -> None:
    """What is below the filters: another filter, view or mark draws it alone again, unless all else is out of date."""
    with access.guarded():
        view_controls.take_mark()
        if (result_frames.current_state(), SESSION.problems) != (state, problems):
            st.rerun()
        dashboard = view_controls.choose_view()
        view_figures.draw(dashboard, state)
        if len(dashboard.filter_.experiments) == 1:
            jobs_view.report_buttons(dashboard.filter_.experiments[0], dashboard.metric)
        if dashboard.mark:
            instances_view.draw(dashboard)
        else:
            safe_html.show(instances_view.hint())
        SESSION.remember()


frame.enter()
with access.guarded():
    st.title("Dashboard")
    if demonstration_view.watch():
        st.stop()
    state = result_frames.current_state()
    view_controls.take_mark()
    SESSION.restore()
    dashboard = view_controls.draw(state)
    if dashboard is None:
        demonstration_view.offer()
        st.stop()
    if not dashboard.metric:
        safe_html.message("This experiment has no scores yet: its first answers come when its last stage begins.")
        st.page_link("pages/runs.py", label="See its progress", icon=":material/play_circle:")
        SESSION.remember()
        st.stop()

    signed_in.part(draw_results, view_controls.RESULTS)(state, SESSION.problems)
