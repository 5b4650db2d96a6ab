"""A choice that the address holds: a link opened elsewhere shows the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st


def selectbox(label: str, options: Sequence[str], key: str, name: str, format_func: Callable[[str], str] = str) -> str:
    """One of `options` (at least one), under `name` in the address: what that says, or else what was chosen last, or
    else the first.
    """
    wanted, told = st.query_params.get(name, ""), f"{key}_address"
    if st.session_state.get(key) not in options:
        st.session_state[key] = wanted if wanted in options else options[0]
    elif wanted in options and wanted != st.session_state.get(told):
        st.session_state[key] = wanted
    chosen: str = st.selectbox(label, options, key=key, format_func=format_func)
    if wanted != chosen:
        st.query_params[name] = chosen
    st.session_state[told] = chosen
    return chosen


def put(key: str, name: str, value: str) -> None:
    """Makes `value` the choice, before its box is drawn."""
    st.session_state[key] = st.session_state[f"{key}_address"] = value
    st.query_params[name] = value
