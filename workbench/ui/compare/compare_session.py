"""The Compare screen's state between runs."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import streamlit as st

from workbench.ui.compare.compare_state import CompareState, CompareView
from workbench.ui.parts import permitted
from workbench.ui.parts.page_state import PageSession

QUESTION = "compare_question"
SHOWN = "compare_question_shown"
"""The session's key for the question that its control was last set to."""
SESSION = PageSession(CompareState)
TITLES: Mapping[CompareView, str] = {"recipes": "Recipes", "languages": "Languages", "votes": "Blind votes"}


def restore(corpora: Collection[str]) -> CompareState:
    """The state before any control is drawn: from the URL where it is new, else as it last was."""
    # Who votes is kept where a link does not say.
    state = SESSION.restore({"corpus": corpora}, keep=("voter", "reads"))
    # Only where it is another one: what somebody is typing stays.
    if QUESTION not in st.session_state or st.session_state.get(SHOWN) != state.question:
        st.session_state[QUESTION] = st.session_state[SHOWN] = state.question
    if state.voter and (worker := permitted.worker(state.voter, "votes.cast")) != state.voter:
        SESSION.set(state.with_(voter=worker))
    SESSION.show_problems()
    return SESSION.current


def choose_view() -> CompareState:
    """The switch between the views."""
    st.segmented_control(
        "View",
        list(TITLES),
        format_func=TITLES.__getitem__,
        required=True,
        label_visibility="collapsed",
        **SESSION.control("view"),
    )
    return SESSION.current
