"""What of a screen the person at work may use: the one way that a control comes to be disabled, or a form left out.

Hiding and disabling only spare people a refusal: the check itself is at the function that does the work
(`workspace.permissions.actor.verb`), and no screen can go past it. Without sign-in everything is permitted and drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypedDict, TypeVar

import streamlit as st

from workbench.ui.parts import signed_in
from workbench.workspace import actor, permits, verb_named

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Control(TypedDict):
    """The arguments of a control that a verb decides: whether it is disabled, and the help that says why."""

    disabled: bool
    help: str | None


def control(verb: str, *, disabled: bool = False, help: str | None = None) -> Control:
    """The arguments of a control that starts the verb: as given where the person may, else disabled with the reason.

    Raises KeyError for no verb.
    """
    reason = why_not(verb)
    return Control(disabled=True, help=reason) if reason else Control(disabled=disabled, help=help)


def form(verb: str) -> Callable[[Callable[Parameters, None]], Callable[Parameters, None]]:
    """Makes a function that draws a form draw nothing for those who may not do what the form is for.

    Raises KeyError for no verb.
    """
    verb_named(verb)

    def decorate(function: Callable[Parameters, None]) -> Callable[Parameters, None]:
        @wraps(function)
        def draw(*args: Parameters.args, **kwargs: Parameters.kwargs) -> None:
            if permits(verb):
                function(*args, **kwargs)

        return draw

    return decorate


def worker(typed: str, verb: str) -> str:
    """Under whose name work is kept: the one that was typed; with sign-in the account's, "" for who may not do it.

    Raises KeyError for no verb.
    """
    if not signed_in.is_on():
        return typed
    return actor().name if permits(verb) else ""


def name_field(*, key: str, limit: int, value: str = "", help: str | None = None) -> str:
    """The field for the name of who works, of at most `limit` characters; with sign-in it is settled."""
    if person := signed_in.name():
        st.text_input("Your name", person, key=f"{key}_signed_in", disabled=True, help="You are signed in.")
        return person
    return st.text_input("Your name", value or None, key=key, max_chars=limit, placeholder="Ada", help=help) or ""


def why_not(verb: str) -> str:
    """Why the person at work may not do the verb, in a sentence; "" where they may. Raises KeyError for no verb."""
    if permits(verb):
        return ""
    needed, person = verb_named(verb).role, actor()
    return f"Needs the role {needed} or a higher one; " + (
        f"yours is {person.role}. Ask an admin." if person.role else "nobody is signed in."
    )
