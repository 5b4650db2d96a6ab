"""Who is before the screen: the person of the session that this browser keeps, looked up anew in every run.

The session's token is in the run's state from the moment of signing in, and in a cookie that scripts cannot read, so
that a reload keeps it. Whether it still counts is read from the database each time: an ended session, a disabled
account and another role take effect with the next run, also of a part that redraws itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from workbench.ui.parts import access
from workbench.workspace import Actor, Sessions, acting_as, actor, has_sign_in, opened_store, screen_actor, set_resolver

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

TOKEN = "session_token"  # noqa: S105 (the key under which the session has it)
"""The session's key for the token of the person who signed in here."""


def install() -> None:
    """From now on the person at work, in this process, is who is before the screen."""
    set_resolver(_person)


def is_on() -> bool:
    """Whether the workspace has sign-in. Raises MissingError where that cannot be read."""
    return has_sign_in(_database())


def is_anybody() -> bool:
    """Whether somebody may see the screens: who signed in, or anybody where there is no sign-in.

    Raises MissingError where that cannot be read.
    """
    return actor().role is not None


def name() -> str:
    """The name of who signed in; "" where there is no sign-in, or nobody is signed in."""
    return actor().name if is_on() else ""


def account_number(present: str | None = None) -> int | None:
    """The number of the account that is signed in, by this browser's token or the one that is `present`; or None.

    No other account ever has it. Raises MissingError where the database cannot be read.
    """
    account = Sessions(opened_store(_database())).account(token() if present is None else present)
    return None if account is None else account.id


def token() -> str:
    """The token that this browser has, whether it still counts or not; "" for none."""
    if get_script_run_ctx() is None:
        return ""
    return str(st.session_state.get(TOKEN) or st.context.cookies.get(cookie_name()) or "")


def cookie_name() -> str:
    """The name of the session's cookie; browsers do not tell cookies of two ports of one host apart."""
    return f"mrag_session_{st.get_option('server.port')}"


def visitor_cookie_name() -> str:
    """The name of the cookie that tells browsers apart, and signs nobody in."""
    return f"mrag_visitor_{st.get_option('server.port')}"


def note_use() -> None:
    """Notes that the person uses their session, which keeps it from expiring."""
    if is_on() and (current := token()):
        Sessions(opened_store(_database())).touch(current)


def at_click(function: Callable[[], Result]) -> Callable[[], Result]:
    """`function` for a file that is written when its button is pressed, after the run that drew the button.

    Who presses it is looked up at that moment: an ended session and another role count.
    """
    url, present = _database(), token()

    @wraps(function)
    def run() -> Result:
        with acting_as(screen_actor(url, present or None)):
            return function()

    return run


def refreshed(every: float) -> Callable[[Callable[Parameters, None]], Callable[Parameters, None]]:
    """Makes a function a part of the screen that redraws itself every so many seconds, while somebody is signed in.

    Redrawing is not use: a forgotten tab expires. Then the complete page is drawn again, which asks to sign in.
    """

    def decorate(function: Callable[Parameters, None]) -> Callable[Parameters, None]:
        return st.fragment(_for_somebody(function), run_every=every)

    return decorate


def part(function: Callable[Parameters, None], key: str | None = None) -> Callable[Parameters, None]:
    """Makes a function a part of the screen: what is done in it draws it alone again. That is use of the session.

    A callback can have it drawn again by its `key`.
    """

    @wraps(function)
    def used(*args: Parameters.args, **kwargs: Parameters.kwargs) -> None:
        note_use()
        function(*args, **kwargs)

    return st.fragment(_for_somebody(used), key=key)


def _for_somebody(function: Callable[Parameters, None]) -> Callable[Parameters, None]:
    """The function, in whose place the complete page is drawn again where nobody is signed in any more."""

    @wraps(function)
    def draw(*args: Parameters.args, **kwargs: Parameters.kwargs) -> None:
        if not is_anybody():
            st.rerun()
        function(*args, **kwargs)

    return draw


def _person() -> Actor:
    return screen_actor(_database(), token() or None)


def _database() -> str:
    return access.workbench().settings.database_url
