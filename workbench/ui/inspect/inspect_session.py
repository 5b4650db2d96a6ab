"""The Inspect screen's state between runs: read from a new URL, changed by buttons, and written back into the URL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import Any

import streamlit as st

from workbench.ui.inspect import inspect_url
from workbench.ui.inspect.inspect_url import FILTERS, InspectState, InspectView
from workbench.ui.shared import access, safe_html, widget_state

KEY = "inspect_"
STATE_KEY, ADDRESS, PROBLEMS, SHOWN = "inspect_state", "inspect_address", "inspect_problems", "inspect_shown"
"""The session's keys for the state, the URL as it was last seen, what was wrong with it, and the choices shown last."""
CONTROLS = tuple(f"{KEY}{name}" for name in ("view", "search", "metric", "only", *FILTERS))
SCORES = "inspect_within"
"""How the keys of the sliders begin, one for each metric."""
NOTICE = "inspect_notice"
"""The session's key for what went wrong in a callback."""
TITLES: Mapping[InspectView, str] = {"browse": "Browse", "annotate": "Annotate"}
NOT_AVAILABLE = "The URL names something that is not available, so the default is used."


def restore() -> InspectState:
    """The state before any control is drawn: from the URL where it is new, else as it last was."""
    params = {key: st.query_params.get_all(key) for key in st.query_params}
    if params and params != st.session_state.get(ADDRESS):
        state, problems = inspect_url.from_params(params)
        # Who annotates is kept where a link does not say.
        before = current()
        state = replace(state, annotator=state.annotator or before.annotator, reads=state.reads or before.reads)
        st.session_state[PROBLEMS], st.session_state[ADDRESS] = problems, params
        st.session_state.pop(SHOWN, None)
        put(state)
    elif f"{KEY}view" not in st.session_state:
        put(current())
    widget_state.hold(CONTROLS)
    if problems := st.session_state.get(PROBLEMS, ()):
        safe_html.message("\n".join((NOT_AVAILABLE, *problems)), "error")
    return current()


def current() -> InspectState:
    """The state now."""
    state: InspectState = st.session_state.get(STATE_KEY, InspectState())
    return state


def change(**values: Any) -> None:
    """Changes parts of the state: for the callbacks of buttons."""
    st.session_state[STATE_KEY] = replace(current(), **values)
    st.session_state[PROBLEMS] = ()
    if "view" in values:
        st.session_state[f"{KEY}view"] = values["view"]


def choose_view(state: InspectState) -> InspectState:
    """The switch between the two views."""
    view: InspectView | None = st.segmented_control(
        "View",
        list(TITLES),
        key=f"{KEY}view",
        format_func=TITLES.__getitem__,
        required=True,
        label_visibility="collapsed",
    )
    st.session_state[STATE_KEY] = replace(state, view=view or state.view)
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


def keep(state: InspectState) -> InspectState:
    """Keeps the state that the controls are in; a page or an instance that was open under others is closed."""
    choices = _choices(state)
    if choices != st.session_state.get(SHOWN, choices):
        state = replace(state, page=1, instance=0)
        st.session_state[PROBLEMS] = ()
    st.session_state[SHOWN], st.session_state[STATE_KEY] = choices, state
    return state


def remember() -> None:
    """Writes the state into the URL."""
    params = inspect_url.to_params(current())
    if params != st.session_state.get(ADDRESS):
        st.query_params.from_dict(params)
        st.session_state[ADDRESS] = params


def put(state: InspectState) -> None:
    """Sets the state and every control that shows it. Only before they are drawn, or in a callback."""
    st.session_state[STATE_KEY] = state
    for key in [name for name in st.session_state if str(name).startswith(SCORES)]:
        del st.session_state[key]
    lists = {f"{KEY}{name}": list(getattr(state.filter_, name)) for name in FILTERS}
    texts = {f"{KEY}{name}": getattr(state, name) for name in ("view", "search", "metric")}
    widget_state.put({**texts, f"{KEY}only": list(state.only), **lists})


def _choices(state: InspectState) -> tuple[object, ...]:
    """What the controls of Browse choose."""
    return tuple(
        getattr(state, item.name)
        for item in fields(state)
        if item.name in ("filter_", "search", "metric", "within", "only")
    )
