"""The section People of the Settings screen: one's account for everybody, all accounts for admins."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import streamlit as st
from sqlalchemy import Engine

from workbench.core import UsageError
from workbench.ui.parts import access, permitted, safe_html, signed_in
from workbench.ui.parts.badges import chip
from workbench.ui.parts.safe_html import Html, element, escaped, inline, table
from workbench.ui.sign_in import sign_in_screen
from workbench.workspace import (
    EMAIL_LIMIT,
    NAME_LIMIT,
    NOTE_LIMIT,
    SHORTEST,
    Account,
    AccountKey,
    AccountKeys,
    Accounts,
    AuditFilter,
    AuditLog,
    Role,
    actor,
    opened_store,
    sign_in,
)

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
    keys_section(act)
    accounts_section(act)


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
    sign_in_screen.accept(sign_in(_engine(), name, new))
    return "Your password is changed. You are signed out everywhere else."


def _engine() -> Engine:
    return opened_store(access.workbench().settings.database_url)


NEW_KEY = "people_new_key"
"""The session's key for the text of a key that was just created, shown in one drawing and no other."""
OWNER, NOTE, LEAVING = "people_key_owner", "people_key_note", "people_key_leaving"
Act2 = Callable[[Callable[[], str]], None]


@permitted.form("keys.manage")
def keys_section(act: Act2) -> None:
    """The keys of all accounts, and the forms that create and remove one."""
    keys = AccountKeys(_engine2()).all()
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
        names = [account.name for account in Accounts(_engine2()).all()]
        st.selectbox("Account", names, names.index(signed_in.name()), key=OWNER, help="Whose role the program has.")
        st.text_input("Note", key=NOTE, max_chars=NOTE_LIMIT, placeholder="What uses it")
        st.form_submit_button(
            "Create key", key="people_key_create", icon=":material/key:", on_click=act, args=(_create_key,),
            **permitted.control("keys.manage"),
        )  # fmt: skip
    if keys:
        with right:
            titles = {item.id: f"{item.id}: {item.account}, {item.note or 'no note'}" for item in keys}
            number = st.selectbox("Key to remove", list(titles), key=LEAVING, format_func=titles.__getitem__)
            st.button(
                "Remove key", key="people_key_remove", icon=":material/delete:", on_click=act,
                args=(partial(_remove_key, number),),
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


def _create_key() -> str:
    owner, note = str(st.session_state[OWNER]), str(st.session_state.get(NOTE) or "")
    st.session_state[NEW_KEY] = AccountKeys(_engine2()).create(owner, note).text
    st.session_state[NOTE] = ""
    return f"{owner} has a new key."


def _remove_key(number: int) -> str:
    AccountKeys(_engine2()).remove(number)
    return f"Key {number} is removed."


def _engine2() -> Engine:
    return opened_store(access.workbench().settings.database_url)


KEY = "people_"
VERB = "accounts.manage"
FIELDS = ("name", "role", "email", "password")
Act = Callable[[Callable[[], str]], None]


@permitted.form(VERB)
def accounts_section(act: Act) -> None:
    """The table, then the form of a new account next to that of a present one."""
    store = Accounts(_engine3())
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
            "Add account", key=f"{KEY}add", icon=":material/person_add:", on_click=act, args=(_add_account,),
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
                args=(partial(_remove_account, account.name),), **permitted.control(VERB),
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


def _add_account() -> str:
    name, role, email, password = (st.session_state.get(f"{KEY}{field}") for field in FIELDS)
    st.session_state[f"{KEY}password"] = ""
    account = Accounts(_engine3()).create(
        str(name or ""), Role(str(role)), password=str(password) if password else None, email=str(email or "").strip()
    )
    st.session_state[f"{KEY}name"] = st.session_state[f"{KEY}email"] = ""
    return f"{account.name} has an account with the role {account.role}."


def _set_role(name: str, key: str) -> str:
    account = Accounts(_engine3()).set_role(name, Role(str(st.session_state[key])))
    return f"{account.name} has the role {account.role} now."


def _set_password(name: str, key: str) -> str:
    password = str(st.session_state.get(key) or "")
    st.session_state[key] = ""
    Accounts(_engine3()).set_password(name, password)
    return f"{name} signs in with the new password from now on."


def _disable(name: str) -> str:
    return f"{Accounts(_engine3()).disable(name).name} is signed out and cannot sign in."


def _enable(name: str) -> str:
    return f"{Accounts(_engine3()).enable(name).name} can sign in again."


def _remove_account(name: str) -> str:
    Accounts(_engine3()).remove(name)
    return f"The account {name} is removed."


def _last_sign_ins(people: Sequence[Account]) -> dict[str, str]:
    log = AuditLog(_engine3())
    rows = {item.name: log.page(1, AuditFilter(person=item.name, verb="sign_in"), 1) for item in people}
    return {
        name: time.strftime("%Y-%m-%d %H:%M", time.localtime(entries[0].time))
        for name, entries in rows.items()
        if entries
    }


def _engine3() -> Engine:
    return opened_store(access.workbench().settings.database_url)
