"""Controls that are set before they are drawn keep what they were set to.

Streamlit tells the browser a control's value only in the run that sets it. If another run follows before the browser
has put the control on screen, because somebody types or presses while the page is still being put together, the browser
draws it empty, and sends it back so. Therefore every run sets it again until the browser has had time to draw it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

import streamlit as st

PENDING = "set_and_perhaps_not_drawn"
"""In the session: by key, when a run last drew the control that was set; infinity where none has yet."""
TIME_TO_DRAW = 3.0
"""Seconds after which the browser has drawn what a run has."""


def put(values: Mapping[str, object]) -> None:
    """Sets controls by key. Only before they are drawn, or in a callback."""
    for key, value in values.items():
        st.session_state[key] = value
    _pending().update(dict.fromkeys(values, float("inf")))


def hold(keys: Iterable[str]) -> None:
    """Before the controls with these keys are drawn: sets those again that may not be on screen yet."""
    pending = _pending()
    for key in [name for name in keys if name in pending]:
        if time.monotonic() - pending[key] > TIME_TO_DRAW:
            del pending[key]
        elif key in st.session_state:
            st.session_state[key] = st.session_state[key]


def drawn(keys: Iterable[str]) -> None:
    """A run has drawn the controls with these keys."""
    pending = _pending()
    pending.update({key: min(pending[key], time.monotonic()) for key in keys if key in pending})


def _pending() -> dict[str, float]:
    held: dict[str, float] = st.session_state.setdefault(PENDING, {})
    return held
