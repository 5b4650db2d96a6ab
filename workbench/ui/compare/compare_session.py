"""The Compare screen's state between runs: read from a new URL, changed by controls, and written back into the URL."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import streamlit as st

from workbench.ui.compare import compare_url
from workbench.ui.compare.compare_url import CompareState, CompareView
from workbench.ui.shared import access, safe_html

KEY = "compare_"
STATE_KEY, ADDRESS, PROBLEMS, NOTICE = "compare_state", "compare_address", "compare_problems", "compare_notice"
"""The session's keys for the state, the URL as it was last seen, what was wrong with it, and a callback's error."""
QUESTION = "compare_question"
TITLES: Mapping[CompareView, str] = {"recipes": "Recipes", "languages": "Languages", "votes": "Blind votes"}
NOT_AVAILABLE = "The URL names something that is not available, so the default is used."


def restore(corpora: Collection[str]) -> CompareState:
    """The state before any control is drawn: from the URL where it is new, else as it last was."""
    params = {key: st.query_params.get_all(key) for key in st.query_params}
    if params and params != st.session_state.get(ADDRESS):
        state, problems = compare_url.from_params(params, corpora)
        before = current()
        # Who votes is kept where a link does not say.
        state = replace(state, voter=state.voter or before.voter, reads=state.reads or before.reads)
        st.session_state[STATE_KEY], st.session_state[PROBLEMS] = state, problems
        st.session_state[ADDRESS] = params
        st.session_state[QUESTION] = state.question
    elif QUESTION not in st.session_state:
        st.session_state[QUESTION] = current().question
    if problems := st.session_state.get(PROBLEMS, ()):
        safe_html.message("\n".join((NOT_AVAILABLE, *problems)), "error")
    return current()


def current() -> CompareState:
    """The state now."""
    state: CompareState = st.session_state.get(STATE_KEY, CompareState())
    return state


def change(**values: Any) -> None:
    """Changes parts of the state: for the callbacks of controls."""
    st.session_state[STATE_KEY] = replace(current(), **values)
    st.session_state[PROBLEMS] = ()


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
        on_change=lambda: change(view=st.session_state[key] or state.view, instance=0),
    )
    return current()


@contextmanager
def noticed() -> Iterator[None]:
    """Keeps the sentence of an error that is raised inside, for the next run to show: for callbacks."""
    with access.caught(lambda sentence: st.session_state.__setitem__(NOTICE, sentence)):
        yield


def show_notice() -> None:
    """Shows what went wrong in a callback, once."""
    if sentence := st.session_state.pop(NOTICE, ""):
        safe_html.message(sentence, "error")


def remember() -> None:
    """Writes the state into the URL."""
    params = compare_url.to_params(current())
    if params != st.session_state.get(ADDRESS):
        st.query_params.from_dict(params)
        st.session_state[ADDRESS] = params
