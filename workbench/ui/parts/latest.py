"""The latest value of something slow, kept in the session for as long as it is of the same thing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

Value = TypeVar("Value")


def latest(name: str, of: object, make: Callable[[], Value]) -> Value:
    """The value that is kept under a name where it is `of` the same; else a new one, which replaces it."""
    kept: tuple[object, Value] | None = st.session_state.get(name)
    if kept is None or kept[0] != of:
        kept = st.session_state[name] = (of, make())
    return kept[1]
