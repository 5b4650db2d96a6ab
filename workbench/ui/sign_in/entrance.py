"""The way into the app: straight to the screens where the workspace has no accounts, else past who is signed in."""

from __future__ import annotations

import streamlit as st

from workbench.models import key_policy
from workbench.ui.parts import access, frame, signed_in
from workbench.ui.sign_in import account_menu, provider, sign_in_screen
from workbench.workspace import check


def run() -> None:
    """Draws the screen that was opened, or in its place the one that asks to sign in."""
    signed_in.install()
    is_on, is_anybody, is_another = True, False, False
    problems: list[str] = []
    with access.caught(problems.append):
        is_on = signed_in.is_on()
        if is_on:
            key_policy.note_shared()
        is_anybody = signed_in.is_anybody() or _by_provider()
        if is_anybody:
            check("screens.look")
            is_another = is_on and sign_in_screen.changes_person()
    if problems:
        # A workspace that cannot be read may have accounts, so nobody is let in.
        frame.run_closed(lambda: frame.problem(problems[0]))
    elif not is_on:
        frame.run()
    elif is_another:
        st.rerun()
    elif is_anybody:
        frame.run(account_menu.draw)
    else:
        frame.run_closed(sign_in_screen.draw)


def _by_provider() -> bool:
    """Whether a provider's fresh word has just opened a session; why not is left for the screen to show."""
    if signed_in.TOKEN in st.session_state:
        return False
    token = ""
    with access.caught(lambda sentence: st.session_state.__setitem__(provider.PROBLEM, sentence)):
        token = provider.token()
    if token:
        sign_in_screen.accept(token)
    return bool(token) and signed_in.is_anybody()
