"""The section People of the Settings screen: one's account for everybody, all accounts for admins."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from sqlalchemy import Engine

from workbench.core import UsageError
from workbench.ui.parts import access, safe_html, signed_in
from workbench.ui.parts.badges import chip
from workbench.ui.parts.safe_html import element, inline
from workbench.ui.people import account_forms, key_forms
from workbench.ui.sign_in import entrance
from workbench.workspace import SHORTEST, Accounts, Role, actor, opened_store, sign_in

PRESENT, NEW, AGAIN = "people_present", "people_new", "people_again"
RESULT, PROBLEM = "people_result", "people_problem"
"""The session's keys for what a button did, and for why it did nothing."""
DIFFERENT = "The two new passwords differ. Type the same one in both fields."


def draw() -> None:
    """The complete section."""
    if result := st.session_state.pop(RESULT, ""):
        safe_html.message(result)
    if problem := st.session_state.pop(PROBLEM, ""):
        safe_html.message(problem, "error")
    _mine()
    key_forms.draw(act)
    account_forms.draw(act)


def act(action: Callable[[], str]) -> None:
    """Does what a button is for; the next drawing shows the sentence that it returns, or why it did nothing."""
    with access.caught(lambda sentence: st.session_state.__setitem__(PROBLEM, sentence)):
        st.session_state[RESULT] = action()


def _mine() -> None:
    person = actor()
    account = Accounts(_engine()).account(person.name)
    st.header("Your account")
    safe_html.show(element("div", inline(account.name, css="wb-title"), chip("role", str(account.role)), css="wb-row"))
    st.caption(" ".join(role.sentence for role in Role if account.role.includes(role)))
    if not account.has_password:
        st.caption("You sign in with the provider, which keeps your password.")
        return
    with (
        st.expander("Change your password", icon=":material/password:", key="people_change_password"),
        st.form("people_change_form", border=False),
    ):
        st.text_input("Current password", key=PRESENT, type="password", autocomplete="current-password")
        st.text_input(
            "New password", key=NEW, type="password", autocomplete="new-password",
            help=f"At least {SHORTEST} characters; five words that do not belong together are a good one.",
        )  # fmt: skip
        st.text_input("Repeat new password", key=AGAIN, type="password", autocomplete="new-password")
        st.form_submit_button(
            "Change password", key="people_change", icon=":material/check:", on_click=act, args=(_change,)
        )


def _change() -> str:
    """Changes the password, which ends all of the person's sessions, and begins a new one here."""
    present, new, again = (str(st.session_state.get(key) or "") for key in (PRESENT, NEW, AGAIN))
    for key in (PRESENT, NEW, AGAIN):
        st.session_state[key] = ""
    name = signed_in.name()
    if new != again:
        raise UsageError(DIFFERENT)
    Accounts(_engine()).change_password(name, present, new)
    entrance.accept(sign_in(_engine(), name, new))
    return "Your password is changed. You are signed out everywhere else."


def _engine() -> Engine:
    return opened_store(access.workbench().settings.database_url)
