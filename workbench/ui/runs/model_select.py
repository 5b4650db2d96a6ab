"""Models to select on the Runs screen: each marked as ready or not, and what the complete matrix still needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from workbench.components import Entry, choices
from workbench.core import Role
from workbench.ui.parts import access, safe_html
from workbench.ui.parts.safe_html import element, escaped, inline, table

NO_MODEL = ""


def label(role: Role) -> Callable[[str], str]:
    """How the models of a role are listed: by name, with whether each can be used now; typed names as they are."""
    states = {entry.name: entry.ready for entry in access.inventory(role)}

    def words(name: str) -> str:
        return f"{name} · {'ready' if states[name] else 'not ready'}" if name in states else name

    return words


def draw(title: str, role: Role, key: str, *, without: str, help_: str) -> str:
    """A box for one model of a role but the built-in one; returns "" where none is selected."""
    listed, words = choices(role), label(role)
    titles = {name: f"{text} ({words(name)})" for name, text in listed.items() if name != without}
    titles[NO_MODEL] = "Select a model"
    current = st.session_state.get(key) or NO_MODEL
    name: str | None = st.selectbox(
        title,
        # A name that was typed before stays among the options, else the box would lose it.
        list(dict.fromkeys([NO_MODEL, *titles, current])),
        key=key,
        persist_state="session",
        format_func=lambda name: titles.get(name, name),
        accept_new_options=True,
        help=help_,
    )
    return name or NO_MODEL


def unready(entries: Sequence[Entry]) -> None:
    """Everything that a matrix needs and that cannot be used now, with what provides it."""
    if not entries:
        return
    count = "1 model is" if len(entries) == 1 else f"{len(entries)} models are"
    safe_html.message(f"{count} not ready: cells that need one will fail. What is missing, and the command for it:")
    rows = [
        [
            inline(entry.name, css="wb-title"),
            element("span", escaped(entry.state), css="wb-missing"),
            inline(entry.remedy.replace("\n", " && "), css="wb-code"),
        ]
        for entry in entries
    ]
    safe_html.show(table(["Model", "Missing", "Command"], rows, css="wb-stacked"))
