"""The Inspect screen's state between runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import streamlit as st

from workbench.ui.inspect import inspect_url
from workbench.ui.inspect.inspect_url import FILTERS, InspectState, InspectView
from workbench.ui.parts import permitted, widget_state
from workbench.ui.parts.page_session import PageSession

KEY = "inspect_"
SHOWN = "inspect_shown"
"""The session's key for the choices shown last."""
CONTROLS = tuple(f"{KEY}{name}" for name in ("view", "search", "metric", "only", *FILTERS))
SCORES = "inspect_within"
"""How the keys of the sliders begin, one for each metric."""
SESSION = PageSession("inspect", InspectState(), inspect_url.to_params)
TITLES: Mapping[InspectView, str] = {"browse": "Browse", "annotate": "Annotate"}


def restore() -> InspectState:
    """The state before any control is drawn: from the URL where it is new, else as it last was."""
    before = SESSION.current
    if params := SESSION.arrival():
        state, problems = inspect_url.from_params(params)
        # Who annotates is kept where a link does not say.
        state = replace(state, annotator=state.annotator or before.annotator, reads=state.reads or before.reads)
        SESSION.arrive(state, params, problems)
        st.session_state.pop(SHOWN, None)
        put(state)
    elif f"{KEY}view" not in st.session_state:
        put(before)
    if (name := SESSION.current.annotator) and (worker := permitted.worker(name, "labels.save")) != name:
        SESSION.set(replace(SESSION.current, annotator=worker))
    widget_state.hold(CONTROLS)
    SESSION.show_problems()
    return SESSION.current


def change(**values: Any) -> None:
    """Changes parts of the state, and the switch between the views with it: for the callbacks of buttons."""
    SESSION.change(**values)
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
    SESSION.set(replace(state, view=view or state.view))
    return SESSION.current


def keep(state: InspectState) -> InspectState:
    """Keeps the state that the controls are in; a page or an instance that was open under others is closed."""
    choices = _choices(state)
    if choices != st.session_state.get(SHOWN, choices):
        state = replace(state, page=1, instance=0)
        SESSION.settle()
    st.session_state[SHOWN] = choices
    SESSION.set(state)
    return state


def put(state: InspectState) -> None:
    """Sets the state and every control that shows it. Only before they are drawn, or in a callback."""
    SESSION.set(state)
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
