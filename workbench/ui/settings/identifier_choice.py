"""The choice of the language identifier on the Settings screen: which one is in use, and a click that changes it."""

from __future__ import annotations

import streamlit as st

from workbench.components import IdentifierChoice, identifiers
from workbench.core import WorkbenchError
from workbench.pipeline import BUILTIN
from workbench.ui.ask import asking
from workbench.ui.parts import access, permitted, safe_html
from workbench.workspace import settings

PROBLEM = "identifier_problem"
HELP = "Identifies the language of questions and answers, also for metrics, from now on. Earlier results stay."


def draw() -> IdentifierChoice | None:
    """Shows which identifier is in use, or why none can be used; returns it, None where it cannot be read."""
    home = access.workbench().settings.home
    if problem := st.session_state.pop(PROBLEM, ""):
        safe_html.message(problem, "error")
    try:
        now = identifiers.identifier_choice(home)
        identifiers.identifier(home)
    except WorkbenchError as error:
        safe_html.message(str(error), "error")
        return None
    fixed = f" To choose here, restart without the variable: {now.reset_command}" if now.source == "environment" else ""
    safe_html.message(f"In use: {now.summary}.{fixed}")
    return now


def use(name: str, now: IdentifierChoice | None) -> None:
    """A button that makes the identifier `name` the workspace's; nothing where it is already in use."""
    if now is not None and now.name == name:
        return
    fixed = bool(settings.environment_identifier())
    pressed = st.button(
        "Use the built-in one" if name == BUILTIN else "Use this one",
        key=f"use_{name}",
        icon=":material/check:",
        **permitted.control(
            "settings.change",
            help=f"{settings.IDENTIFIER_VARIABLE} takes precedence while it is set." if fixed else HELP,
            disabled=fixed,
        ),
    )
    if not pressed:
        return
    with st.spinner("Loading"):
        try:
            identifiers.choose(access.workbench().settings.home, name)
        except WorkbenchError as error:
            st.session_state[PROBLEM] = str(error)
        else:
            # The language of the answer on the Ask screen was identified by the other one.
            st.session_state.pop(asking.ANSWER, None)
    st.rerun()
