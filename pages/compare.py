"""Compare: one question under several recipes or in several languages, and blind votes on two runs."""

import streamlit as st

from workbench.ui.compare import compare_state, languages_view, recipes_view, stored_view, votes_view
from workbench.ui.parts import access, frame

frame.enter(keeps_answer=True)
with access.guarded():
    corpora = access.corpora()
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="compare_top"):
        st.title("Compare", width="content")
        compare_state.restore(corpora)
        state = compare_state.SESSION.choose_view(compare_state.TITLES)
    compare_state.SESSION.show_notice()
    with access.guarded():
        if state.view == "votes":
            votes_view.draw(state)
        elif state.instance:
            stored_view.draw(state)
        elif state.view == "languages":
            languages_view.draw(state, corpora)
        else:
            recipes_view.draw(state, corpora)
    compare_state.SESSION.remember()
