"""Keys for programs that call a service: listed, created and shown once, removed."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import streamlit as st
from sqlalchemy import Engine

from workbench.ui.parts import access, permitted, safe_html, signed_in
from workbench.ui.parts.safe_html import Html, escaped, inline, table
from workbench.workspace import NOTE_LIMIT, AccountKey, AccountKeys, Accounts, opened_store

NEW_KEY = "people_new_key"
"""The session's key for the text of a key that was just created, shown in one drawing and no other."""
OWNER, NOTE, LEAVING = "people_key_owner", "people_key_note", "people_key_leaving"
Act = Callable[[Callable[[], str]], None]


@permitted.form("keys.manage")
def draw(act: Act) -> None:
    """The keys of all accounts, and the forms that create and remove one."""
    keys = AccountKeys(_engine()).all()
    st.header("Keys for programs")
    st.caption("With a key a program calls a service (`mrag serve`) and may do there what the account's role may.")
    if text := st.session_state.pop(NEW_KEY, ""):
        safe_html.message(
            "Copy the new key now: it disappears with your next click. Keep it where only the program can read it."
        )
        safe_html.source(text)
    if keys:
        safe_html.show(key_table(keys))
    left, right = st.columns(2, gap="large")
    with left, st.form("people_key_form", border=False):
        names = [account.name for account in Accounts(_engine()).all()]
        st.selectbox("Account", names, names.index(signed_in.name()), key=OWNER, help="Whose role the program has.")
        st.text_input("Note", key=NOTE, max_chars=NOTE_LIMIT, placeholder="What uses it")
        st.form_submit_button(
            "Create key", key="people_key_create", icon=":material/key:", on_click=act, args=(_create,),
            **permitted.control("keys.manage"),
        )  # fmt: skip
    if keys:
        with right:
            titles = {item.id: f"{item.id}: {item.account}, {item.note or 'no note'}" for item in keys}
            number = st.selectbox("Key to remove", list(titles), key=LEAVING, format_func=titles.__getitem__)
            st.button(
                "Remove key", key="people_key_remove", icon=":material/delete:", on_click=act,
                args=(partial(_remove, number),),
                **permitted.control("keys.manage", help="The program that uses it is refused at once."),
            )  # fmt: skip


def key_table(keys: tuple[AccountKey, ...]) -> Html:
    """One row per key."""
    rows = [
        [
            escaped(str(item.id)),
            inline(item.account, css="wb-title"),
            inline(item.note),
            escaped(time.strftime("%Y-%m-%d", time.localtime(item.created))),
        ]
        for item in keys
    ]
    return table(["Key", "Account", "Note", "Created"], rows)


def _create() -> str:
    owner, note = str(st.session_state[OWNER]), str(st.session_state.get(NOTE) or "")
    st.session_state[NEW_KEY] = AccountKeys(_engine()).create(owner, note).text
    st.session_state[NOTE] = ""
    return f"{owner} has a new key."


def _remove(number: int) -> str:
    AccountKeys(_engine()).remove(number)
    return f"Key {number} is removed."


def _engine() -> Engine:
    return opened_store(access.workbench().settings.database_url)
