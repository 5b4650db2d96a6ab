"""What of a screen the person at work may use: the one way that a control comes to be disabled, or a form left out.

Hiding and disabling only spare people a refusal: the check itself is at the function that does the work
(`workspace.permissions.actor.verb`), and no screen can go past it. Without sign-in everything is permitted and drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import ParamSpec, TypedDict

import streamlit as st

from workbench.languages import language
from workbench.ui.parts import safe_html, signed_in
from workbench.ui.parts.badges import language_option
from workbench.ui.parts.safe_html import element, escaped, inline
from workbench.workspace import actor, permits, verb_named

Parameters = ParamSpec("Parameters")


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


def known_person(
    name: str,
    reads: Sequence[str],
    languages: Sequence[str],
    become: Callable[[str, tuple[str, ...]], None],
    *,
    key: str,
    limit: int,
    verb: str,
    work: str,
) -> bool:
    """Who works, and in which languages: a form where that is not known yet, else a line. True where it is known.

    `become` keeps the name, of at most `limit` characters, and what the person reads; the name is "" where somebody
    else is to work. `work` names what is stored under the name: “labels”. Raises KeyError for no verb.
    """
    if name:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"{key}_person"):
            languages = ", ".join(language(code).name for code in reads) or "all languages"
            line = (escaped("You are "), inline(name, css="wb-title"), escaped(f" and read {languages}."))
            safe_html.show(element("div", *line, css="wb-muted"))
            st.button("Change", key=f"{key}_other_person", type="tertiary", on_click=become, args=("", tuple(reads)))
        st.session_state[f"{key}_former"] = name
        return True
    with st.form(f"{key}_person_form"):
        new_name = name_field(key=f"{key}_name", limit=limit, value=st.session_state.get(f"{key}_former", ""))
        new_reads = st.pills(
            "Languages you read",
            languages,
            key=f"{key}_reads",
            default=[code for code in reads if code in languages] or list(languages),
            selection_mode="multi",
            format_func=language_option,
        )
        start = st.form_submit_button(
            "Start", key=f"{key}_start", type="primary", icon=":material/play_arrow:", **control(verb)
        )
    if start and not new_name.strip():
        safe_html.message(f"Type your name: your {work} are kept under it.", "error")
    elif start and not new_reads:
        safe_html.message("Choose at least one language that you read.", "error")
    elif start:
        become(" ".join(new_name.split()), tuple(new_reads))
        st.rerun()
    return False


def why_not(verb: str) -> str:
    """Why the person at work may not do the verb, in a sentence; "" where they may. Raises KeyError for no verb."""
    if permits(verb):
        return ""
    needed, person = verb_named(verb).role, actor()
    return f"Needs the role {needed} or a higher one; " + (
        f"yours is {person.role}. Ask an admin." if person.role else "nobody is signed in."
    )
