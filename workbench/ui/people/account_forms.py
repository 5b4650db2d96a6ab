"""Accounts as admins see them: the table, and the forms that add an account and change one."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import streamlit as st
from sqlalchemy import Engine

from workbench.ui.parts import access, permitted, safe_html
from workbench.ui.parts.safe_html import Html, element, escaped, inline, table
from workbench.workspace import (
    EMAIL_LIMIT,
    NAME_LIMIT,
    SHORTEST,
    Account,
    Accounts,
    AuditFilter,
    AuditLog,
    Role,
    opened_store,
)

KEY = "people_"
VERB = "accounts.manage"
FIELDS = ("name", "role", "email", "password")
Act = Callable[[Callable[[], str]], None]


@permitted.form(VERB)
def draw(act: Act) -> None:
    """The table, then the form of a new account next to that of a present one."""
    store = Accounts(_engine())
    people = store.all()
    st.header(f"Accounts ({len(people):,})")
    safe_html.show(account_table(people, _last_sign_ins(people)))
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Add an account")
        _add_form(act)
    with right:
        st.subheader("Change an account")
        names = {account.name: account for account in people}
        name = st.selectbox("Account", list(names), key=f"{KEY}account")
        _change_forms(names[name], act)


def account_table(people: Sequence[Account], last: Mapping[str, str]) -> Html:
    """One row per account; `last` has the day and time of each person's last sign-in, by name."""
    rows = [
        [
            inline(account.name, css="wb-title"),
            escaped(str(account.role)),
            inline(" and ".join(filter(None, ("a password" if account.has_password else "", account.email)))),
            element("span", _on_phone("Last sign-in"), escaped(last.get(account.name, "never")), css="wb-once"),
            element(
                "span",
                escaped("disabled" if account.is_disabled else "active"),
                css="wb-missing" if account.is_disabled else "wb-ready",
            ),
        ]
        for account in people
    ]
    return table(["Name", "Role", "Signs in with", "Last sign-in", "State"], rows, "wb-stacked")


def _on_phone(words: str) -> Html:
    """A column's name in a cell, where the table has no room for columns."""
    return element("span", escaped(f"{words}: "), css="wb-phone")


def _add_form(act: Act) -> None:
    with st.form(f"{KEY}add_form", border=False):
        st.text_input("Name", key=f"{KEY}name", max_chars=NAME_LIMIT, autocomplete="off")
        _role_select(f"{KEY}role", Role.READER)
        st.text_input(
            "Password", key=f"{KEY}password", type="password", autocomplete="new-password",
            help=f"At least {SHORTEST} characters. Leave empty for a person who signs in with the provider alone.",
        )  # fmt: skip
        st.text_input(
            "E-mail", key=f"{KEY}email", max_chars=EMAIL_LIMIT, autocomplete="off",
            help="The address that the provider knows. Leave empty for a person who signs in with a password alone.",
        )  # fmt: skip
        st.form_submit_button(
            "Add account", key=f"{KEY}add", icon=":material/person_add:", on_click=act, args=(_add,),
            **permitted.control(VERB),
        )  # fmt: skip


def _change_forms(account: Account, act: Act) -> None:
    role = f"{KEY}new_role_{account.id}"
    with st.form(f"{KEY}role_form", border=False):
        _role_select(role, account.role)
        st.form_submit_button(
            "Change role", key=f"{KEY}set_role", icon=":material/badge:", on_click=act,
            args=(partial(_set_role, account.name, role),),
            **permitted.control(VERB, help="Takes effect at the person's next click."),
        )  # fmt: skip
    password = f"{KEY}new_password_{account.id}"
    with st.form(f"{KEY}password_of_form", border=False):
        st.text_input(
            "New password", key=password, type="password", autocomplete="new-password",
            help=f"At least {SHORTEST} characters. Tell the person, who can change it under Settings, People.",
        )  # fmt: skip
        st.form_submit_button(
            "Set password", key=f"{KEY}set_password", icon=":material/password:", on_click=act,
            args=(partial(_set_password, account.name, password),),
            **permitted.control(VERB, help="Ends the person's sessions: they sign in again with the new one."),
        )  # fmt: skip
    with st.container(horizontal=True, gap="small", key=f"{KEY}ways"):
        if account.is_disabled:
            st.button(
                "Enable", key=f"{KEY}enable", icon=":material/lock_open:", on_click=act,
                args=(partial(_enable, account.name),), **permitted.control(VERB),
            )  # fmt: skip
        else:
            st.button(
                "Disable", key=f"{KEY}disable", icon=":material/block:", on_click=act,
                args=(partial(_disable, account.name),),
                **permitted.control(VERB, help="Signs the person out at once; neither they nor their keys get in."),
            )  # fmt: skip
        with st.popover("Remove", icon=":material/delete:", key=f"{KEY}remove", **permitted.control(VERB)):
            safe_html.message(f"Remove “{account.name}” and its keys? What the person did stays in the audit.")
            st.button(
                "Remove account", key=f"{KEY}remove_now", type="primary", on_click=act,
                args=(partial(_remove, account.name),), **permitted.control(VERB),
            )  # fmt: skip


def _role_select(key: str, role: Role) -> None:
    st.selectbox(
        "Role",
        list(Role),
        list(Role).index(role),
        key=key,
        format_func=str,
        help="\n\n".join(f"**{item}**: {item.sentence}" for item in Role),
    )


def _add() -> str:
    name, role, email, password = (st.session_state.get(f"{KEY}{field}") for field in FIELDS)
    st.session_state[f"{KEY}password"] = ""
    account = Accounts(_engine()).create(
        str(name or ""), Role(str(role)), password=str(password) if password else None, email=str(email or "").strip()
    )
    st.session_state[f"{KEY}name"] = st.session_state[f"{KEY}email"] = ""
    return f"{account.name} has an account with the role {account.role}."


def _set_role(name: str, key: str) -> str:
    account = Accounts(_engine()).set_role(name, Role(str(st.session_state[key])))
    return f"{account.name} has the role {account.role} now."


def _set_password(name: str, key: str) -> str:
    password = str(st.session_state.get(key) or "")
    st.session_state[key] = ""
    Accounts(_engine()).set_password(name, password)
    return f"{name} signs in with the new password from now on."


def _disable(name: str) -> str:
    return f"{Accounts(_engine()).disable(name).name} is signed out and cannot sign in."


def _enable(name: str) -> str:
    return f"{Accounts(_engine()).enable(name).name} can sign in again."


def _remove(name: str) -> str:
    Accounts(_engine()).remove(name)
    return f"The account {name} is removed."


def _last_sign_ins(people: Sequence[Account]) -> dict[str, str]:
    log = AuditLog(_engine())
    rows = {item.name: log.page(1, AuditFilter(person=item.name, verb="sign_in"), 1) for item in people}
    return {
        name: time.strftime("%Y-%m-%d %H:%M", time.localtime(entries[0].time))
        for name, entries in rows.items()
        if entries
    }


def _engine() -> Engine:
    return opened_store(access.workbench().settings.database_url)
