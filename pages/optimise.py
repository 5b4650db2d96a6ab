"""Optimise: a space of recipes searched for the best one, and whether it is the best."""

import streamlit as st

from workbench.ui.optimise import report_view, search_start, search_view
from workbench.ui.optimise.search_view import SESSION
from workbench.ui.parts import access, frame, permitted, safe_html

frame.enter()
with access.guarded():
    st.title("Optimise")
    st.markdown(
        "A search measures recipes on your questions. Some questions are held out: they show whether the best recipe "
        "is better than the others or was only lucky."
    )
    SESSION.restore()
    SESSION.show_problems()
    search_start.new_search(opened=not search_view.ids())
    if search_view.ids():
        st.header("Searches")
        row = search_view.search_list()
        if not row.active:
            with access.guarded():
                report_view.draw(row)
    else:
        how = permitted.why_not("searches.start") or "Press Start above, or change first what is searched."
        safe_html.message(f"There are no searches yet. {how}")
    SESSION.remember()
