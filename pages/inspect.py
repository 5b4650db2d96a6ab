"""Inspect: single instances of an experiment, to read and to label."""

import streamlit as st

from workbench.ui.annotate import annotate_view
from workbench.ui.dashboard import result_frames
from workbench.ui.inspect import browse_controls, first_steps, inspect_state, instance_list, instance_page
from workbench.ui.parts import access, frame, safe_html

frame.enter()
with access.guarded():
    top = st.container(horizontal=True, vertical_alignment="center", gap="medium", key="inspect_top")
    with top:
        st.title("Inspect", width="content")
    state = inspect_state.restore()
    results = result_frames.current_state()
    if not result_frames.experiments(results):
        inspect_state.SESSION.show_problems()
        if inspect_state.SESSION.is_fresh and (state.query or state.instance or state.queue):
            safe_html.message("What the link names is not in this workspace.", "error")
        first_steps.no_results()
        st.stop()
    with top:
        state = inspect_state.SESSION.choose_view(inspect_state.TITLES)
    if state.view == "annotate":
        inspect_state.SESSION.show_problems()
        annotate_view.draw(state, top)
    else:
        inspect_state.SESSION.show_notice()
        item = instance_list.instance_with(state.instance) if state.instance else None
        state, metric = browse_controls.draw(results, shown=item is None)
        rows = instance_list.listing(state, metric)
        if item is not None:
            instance_page.draw(item, rows)
        else:
            if state.instance:
                safe_html.message("The answer that the link names is not in this workspace.", "error")
            instance_list.draw(rows)
    inspect_state.SESSION.remember()
