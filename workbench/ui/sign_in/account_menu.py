"""Who is signed in, at the top of every screen, with the way to their account and Sign out."""

from __future__ import annotations

import streamlit as st

from workbench.ui.parts import access, safe_html, signed_in
from workbench.ui.parts.badges import chip
from workbench.ui.parts.safe_html import element, inline
from workbench.ui.sign_in import provider, session_cookie, sign_in_screen
from workbench.workspace import actor, opened_store, sign_out

KEY = "account_menu"
SHOWN = 18
"""Characters of a name in the menu's label; the menu itself has all of it."""


def draw() -> None:
    """The menu; and, after signing in, what has the browser keep the session."""
    person = actor()
    name = person.name if len(person.name) <= SHOWN else f"{person.name[: SHOWN - 1]}…"
    with st.container(key=KEY):
        opened = st.popover(
            safe_html.plain_label(name), icon=":material/account_circle:", key=f"{KEY}_open", type="tertiary"
        )
        # In here, because this container takes no room on the page.
        session_cookie.draw()
    with opened:
        words = (inline(person.name, css="wb-title"), chip("role", str(person.role or "")))
        safe_html.show(element("div", *words, css="wb-row"))
        st.page_link(
            "pages/settings.py", label="Account", icon=":material/manage_accounts:", query_params={"section": "people"}
        )
        st.button("Sign out", key="sign_out", icon=":material/logout:", on_click=_sign_out)


def _sign_out() -> None:
    token = signed_in.token()
    if token:
        sign_out(opened_store(access.workbench().settings.database_url), token)
    sign_in_screen.leave()
    provider.sign_out()
