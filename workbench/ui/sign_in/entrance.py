"""The way into the app: straight to the screens where the workspace has no accounts, else past who is signed in.

Also the screen that asks people to sign in, and the menu that shows who is signed in, with the way out.
"""

from __future__ import annotations

import streamlit as st

from workbench.models import key_policy
from workbench.ui.parts import access, frame, outcome, safe_html, signed_in
from workbench.ui.parts.badges import chip
from workbench.ui.parts.safe_html import element, inline
from workbench.ui.sign_in import provider, session_cookie
from workbench.workspace import actor, check, has_sign_in, opened_store, sign_in, sign_out

NAME, PASSWORD = "sign_in_name", "sign_in_password"
LAST_PERSON, LEFT = "last_person", "has_signed_out"
"""The session's keys for the number of the account that was signed in here last, and for whether it just signed out."""
EXPIRED = "Your session has ended. Sign in again to continue where you were."
SIGNED_OUT = "You are signed out."


def draw_form() -> None:
    """The form, the providers' buttons, and why somebody who was signed in sees this."""
    frame.stop_background()
    # First, so that the form is not where the account's menu comes: for a moment the browser would show it up there.
    session_cookie.remember_place()
    with st.container(key="sign_in", gap="medium"):
        st.title("Sign in")
        st.markdown(f"This is your team's {frame.TITLE}. No account yet, or forgot your password? Ask an admin.")
        _notice()
        with st.form("sign_in_form", border=True):
            st.text_input("Name", key=NAME, max_chars=200, autocomplete="username")
            st.text_input("Password", key=PASSWORD, type="password", max_chars=2000, autocomplete="current-password")
            st.form_submit_button(
                "Sign in", key="sign_in_go", type="primary", icon=":material/login:", width="stretch", on_click=_sign_in
            )
        provider.buttons()
    if st.session_state.get(LEFT):
        session_cookie.forget()


def accept(token: str) -> None:
    """Signs a person in by the token of their new session; what another person did here before is forgotten."""
    st.session_state[signed_in.TOKEN] = token
    changes_person()
    st.session_state.pop(LEFT, None)
    session_cookie.keep(token)


def changes_person() -> bool:
    """Whether another person than before is signed in in this tab; what the former one did here is then forgotten.

    The browser's cookie may be another person's when a tab connects again, and a name may have been given to another
    account. Raises MissingError where the database cannot be read.
    """
    number = signed_in.account_number()
    if number is None:  # the session has ended just now: the same person may come back
        return False
    before = st.session_state.get(LAST_PERSON, number)
    if before != number:
        token = st.session_state.get(signed_in.TOKEN)
        forget_all()
        if token:
            st.session_state[signed_in.TOKEN] = token
    st.session_state[LAST_PERSON] = number
    return bool(before != number)


def forget_all() -> None:
    """Empties the state of this browser's tab."""
    for key in list(st.session_state):
        del st.session_state[key]


def leave() -> None:
    """What follows a sign-out: the tab's state is emptied, and the next drawing says so and drops the cookie."""
    forget_all()
    st.session_state[LEFT] = True


def _notice() -> None:
    if outcome.is_kept(provider.PLACE):
        outcome.show(provider.PLACE)
    elif st.session_state.get(LEFT):
        safe_html.message(SIGNED_OUT)
    elif signed_in.token():
        safe_html.message(EXPIRED)


def _sign_in() -> None:
    name, password = (str(st.session_state.get(key) or "") for key in (NAME, PASSWORD))
    st.session_state[PASSWORD] = ""
    url = access.workbench().settings.database_url
    if not has_sign_in(url):
        return
    with outcome.kept(provider.PLACE):
        accept(sign_in(opened_store(url), name, password))


MENU = "account_menu"
NAME_SHOWN = 18
"""Characters of a name in the menu's label; the menu itself has all of it."""


def draw_menu() -> None:
    """The menu; and, after signing in, what has the browser keep the session."""
    person = actor()
    name = person.name if len(person.name) <= NAME_SHOWN else f"{person.name[: NAME_SHOWN - 1]}…"
    with st.container(key=MENU):
        opened = st.popover(
            safe_html.plain_label(f"{name} · {person.role}"),
            icon=":material/account_circle:",
            key=f"{MENU}_open",
            type="tertiary",
        )
        # In here, because this container takes no room on the page.
        session_cookie.draw()
    with opened:
        words = (inline(person.name, css="wb-title"), chip("role", str(person.role or "")))
        safe_html.show(element("div", *words, css="wb-row"))
        st.page_link(
            "pages/settings.py", label="Account", icon=":material/manage_accounts:", query_params={"section": "People"}
        )
        st.button("Sign out", key="sign_out", icon=":material/logout:", on_click=_leave)


def _leave() -> None:
    token = signed_in.token()
    if token:
        sign_out(opened_store(access.workbench().settings.database_url), token)
    leave()
    provider.sign_out()


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
            is_another = is_on and changes_person()
    if problems:
        # A workspace that cannot be read may have accounts, so nobody is let in.
        frame.run_closed(lambda: frame.problem(problems[0]))
    elif not is_on:
        frame.run()
    elif is_another:
        st.rerun()
    elif is_anybody:
        frame.run(draw_menu)
    else:
        frame.run_closed(draw_form)


def _by_provider() -> bool:
    """Whether a provider's fresh word has just opened a session; why not is left for the screen to show."""
    if signed_in.TOKEN in st.session_state:
        return False
    token = ""
    with outcome.kept(provider.PLACE):
        token = provider.token()
    if token:
        accept(token)
    return bool(token) and signed_in.is_anybody()
