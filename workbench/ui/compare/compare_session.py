"""The Compare screen's state between runs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import streamlit as st

from workbench.ui.compare import compare_url
from workbench.ui.compare.compare_url import CompareState, CompareView
from workbench.ui.parts import permitted
from workbench.ui.parts.page_session import PageSession

KEY = "compare_"
QUESTION = "compare_question"
SESSION = PageSession("compare", CompareState(), compare_url.to_params)
TITLES: Mapping[CompareView, str] = {"recipes": "Recipes", "languages": "Languages", "votes": "Blind votes"}


def restore(corpora: Collection[str]) -> CompareState:
    """The state before any control is drawn: from the URL where it is new, else as it last was."""
    before = SESSION.current
    if params := SESSION.arrival():
        state, problems = compare_url.from_params(params, corpora)
        # Who votes is kept where a link does not say.
        state = replace(state, voter=state.voter or before.voter, reads=state.reads or before.reads)
        SESSION.arrive(state, params, problems)
        st.session_state[QUESTION] = state.question
    elif QUESTION not in st.session_state:
        st.session_state[QUESTION] = before.question
    if (name := SESSION.current.voter) and (worker := permitted.worker(name, "votes.cast")) != name:
        SESSION.set(replace(SESSION.current, voter=worker))
    SESSION.show_problems()
    return SESSION.current


def choose_view(state: CompareState) -> CompareState:
    """The switch between the views."""
    key = f"{KEY}view"
    st.session_state[key] = state.view
    st.segmented_control(
        "View",
        list(TITLES),
        key=key,
        format_func=TITLES.__getitem__,
        required=True,
        label_visibility="collapsed",
        on_change=lambda: SESSION.change(view=st.session_state[key] or state.view, instance=0),
    )
    return SESSION.current
