"""Controls whose value the session or the URL holds.

Streamlit sends the browser a control's value only in the run that sets it. If another run follows before the browser
has drawn the control, because somebody types or presses while the page is still loading, the browser draws it empty and
sends it back empty. Therefore every run sets the value again until the browser has had time to draw it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence

import streamlit as st

from workbench.core import shorten
from workbench.ui.parts import safe_html

PENDING = "set_and_perhaps_not_drawn"
"""The session's key for the controls that were set: when a run last drew each; infinity where none has yet."""
TIME_TO_DRAW = 3.0
"""Seconds after which the browser has drawn what a run has."""


def put(values: Mapping[str, object]) -> None:
    """Sets controls by key. Only before they are drawn, or in a callback."""
    for key, value in values.items():
        st.session_state[key] = value
    _pending().update(dict.fromkeys(values, float("inf")))


def hold(keys: Iterable[str]) -> None:
    """Sets those of the controls again that may not be on screen yet. Only before they are drawn."""
    pending = _pending()
    for key in [name for name in keys if name in pending]:
        if time.monotonic() - pending[key] > TIME_TO_DRAW:
            del pending[key]
        elif key in st.session_state:
            st.session_state[key] = st.session_state[key]


def mark_drawn(keys: Iterable[str]) -> None:
    """Records that a run has drawn the controls with these keys."""
    pending = _pending()
    pending.update({key: min(pending[key], time.monotonic()) for key in keys if key in pending})


def url_selectbox(
    label: str,
    options: Sequence[str],
    key: str,
    name: str,
    format_func: Callable[[str], str] = str,
    beside: Mapping[str, str] | None = None,
) -> str:
    """A box whose selection the URL holds under `name`, so that a link shows the same.

    Selected is what the URL names, else the last selection, else the first of `options`, of which there is at least
    one. A link that names none of them is reported. The URL is written only where it would show something else, since
    the browser's history grows by an entry each time; with it go the values `beside` it, on which its meaning depends.
    """
    linked, last_key = st.query_params.get(name, ""), f"{key}_address"
    selection = st.session_state.get(key)
    if selection not in options or (linked in options and linked != st.session_state.get(last_key)):
        selection = st.session_state[key] = linked if linked in options else options[0]
    unknown = bool(linked) and linked not in options
    if unknown and selection == options[0]:
        safe_html.message(
            f"The link names the {label.casefold()} “{shorten(linked)}”, which is not in this workspace; another one "
            "is shown.",
            "error",
        )
    selection = st.selectbox(label, options, key=key, format_func=format_func)
    if selection != (linked if linked in options else options[0]):
        st.query_params.from_dict({**st.query_params.to_dict(), **(beside or {}), name: selection})
    st.session_state[last_key] = selection
    return selection


def put_in_url(key: str, name: str, value: str) -> None:
    """Sets such a box, and the URL, to `value`. Only before the box is drawn."""
    st.session_state[key] = st.session_state[f"{key}_address"] = value
    st.query_params[name] = value


def forget(key: str, name: str) -> None:
    """Forgets such a box's selection, also in the URL. Only before the box is drawn, or in a callback."""
    for item in (key, f"{key}_address"):
        st.session_state.pop(item, None)
    if name in st.query_params:
        del st.query_params[name]


def _pending() -> dict[str, float]:
    pending: dict[str, float] = st.session_state.setdefault(PENDING, {})
    return pending
