"""The section People of the Settings screen: one's account for everybody, all accounts and keys for admins."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st
from sqlalchemy import Engine

from workbench.core import UsageError
from workbench.ui.parts import access, outcome, permitted, safe_html, signed_in
from workbench.ui.parts.badges import chip
from workbench.ui.parts.data_table import data_table
from workbench.ui.parts.job_card import time_words
from workbench.ui.parts.safe_html import element, inline
from workbench.ui.parts.verb_button import verb_button
from workbench.ui.sign_in import entrance
from workbench.workspace import (
    EMAIL_LIMIT,
    NAME_LIMIT,
    NOTE_LIMIT,
    SHORTEST,
    Account,
    AccountKeys,
    Accounts,
    AuditFilter,
    AuditLog,
    Role,
    actor,
    opened_store,
    sign_in,
)

KEY, ACCOUNTS, KEYS = "people_", "accounts.manage", "keys.manage"
"""What the keys of the controls begin with, and the verbs that admins need."""
PLACE = "people"
"""The place where it is said what a button did, or why it did nothing."""
PRESENT, NEW, AGAIN = "people_present", "people_new", "people_again"
DIFFERENT = "The two new passwords differ. Type the same one in both fields."
NEW_KEY = "people_new_key"
"""The session's key for the text of a key that was just created, shown in one drawing and no other."""
OWNER, NOTE = "people_key_owner", "people_key_note"


def draw() -> None:
    """The complete section."""
    outcome.show(PLACE)
    _mine()
    _keys()
    _accounts()


def _act(action: Callable[..., str], *args: object) -> Callable[[], None]:
    """What a button does; the next drawing shows the sentence that the action returns, or why it did nothing."""
    return partial(outcome.act, PLACE, action, *args)


def _act_then_say(sentence: str, action: Callable[..., object], *args: object) -> Callable[[], None]:
    """What a button does, after which the sentence is shown."""

    def act() -> str:
        action(*args)
        return sentence

    return _act(act)


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
        _password("Current password", PRESENT, autocomplete="current-password")
        _password(
            "New password",
            NEW,
            help=f"At least {SHORTEST} characters; five words that do not belong together are a good one.",
        )
        _password("Repeat new password", AGAIN)
        st.form_submit_button("Change password", key="people_change", icon=":material/check:", on_click=_act(_change))


def _password(label: str, key: str, *, autocomplete: str = "new-password", help: str | None = None) -> None:
    st.text_input(label, key=key, type="password", autocomplete=autocomplete, help=help)


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


@permitted.form(KEYS)
def _keys() -> None:
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
        rows = [
            {"Key": key.id, "Account": key.account, "Note": key.note, "Created": time_words(key.created)}
            for key in keys
        ]
        data_table(rows, hide_index=True, key="people_keys", alt="Keys for programs")
    left, right = st.columns(2, gap="large")
    with left, st.form("people_key_form", border=False):
        names = [account.name for account in Accounts(_engine()).all()]
        st.selectbox("Account", names, names.index(signed_in.name()), key=OWNER, help="Whose role the program has.")
        st.text_input("Note", key=NOTE, max_chars=NOTE_LIMIT, placeholder="What uses it")
        verb_button("Create key", KEYS, _act(_create_key), key="people_key_create", icon="key", submits=True)
    if keys:
        with right:
            titles = {key.id: f"{key.id}: {key.account}, {key.note or 'no note'}" for key in keys}
            number = st.selectbox(
                "Key to remove", list(titles), key="people_key_leaving", format_func=titles.__getitem__
            )
            help_ = "The program that uses it is refused at once."
            remove = _act_then_say(f"Key {number} is removed.", AccountKeys(_engine()).remove, number)
            verb_button("Remove key", KEYS, remove, key="people_key_remove", icon="delete", help=help_)


def _create_key() -> str:
    owner, note = str(st.session_state[OWNER]), str(st.session_state.get(NOTE) or "")
    st.session_state[NEW_KEY] = AccountKeys(_engine()).create(owner, note).text
    st.session_state[NOTE] = ""
    return f"{owner} has a new key."


@permitted.form(ACCOUNTS)
def _accounts() -> None:
    """The table, then the form of a new account next to that of a present one."""
    accounts = {account.name: account for account in Accounts(_engine()).all()}
    st.header(f"Accounts ({len(accounts):,})")
    rows = [
        {
            "Name": account.name,
            "Role": str(account.role),
            "Signs in with": " and ".join(filter(None, ("a password" if account.has_password else "", account.email))),
            "Last sign-in": _last_sign_in(account.name),
            "State": "disabled" if account.is_disabled else "active",
        }
        for account in accounts.values()
    ]
    data_table(rows, hide_index=True, key="people_accounts", alt="Accounts")
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Add an account")
        _add_form()
    with right:
        st.subheader("Change an account")
        name = st.selectbox("Account", list(accounts), key=f"{KEY}account")
        _change_forms(accounts[name])


def _add_form() -> None:
    with st.form(f"{KEY}add_form", border=False):
        st.text_input("Name", key=f"{KEY}name", max_chars=NAME_LIMIT, autocomplete="off")
        _role_select(f"{KEY}role", Role.READER)
        _password(
            "Password",
            f"{KEY}password",
            help=f"At least {SHORTEST} characters. Leave empty for a person who signs in with the provider alone.",
        )
        st.text_input(
            "E-mail",
            key=f"{KEY}email",
            max_chars=EMAIL_LIMIT,
            autocomplete="off",
            help="The address that the provider knows. Leave empty for a person who signs in with a password alone.",
        )
        verb_button("Add account", ACCOUNTS, _act(_add_account), key=f"{KEY}add", icon="person_add", submits=True)


def _change_forms(account: Account) -> None:
    name, accounts = account.name, Accounts(_engine())
    role, password = f"{KEY}new_role_{account.id}", f"{KEY}new_password_{account.id}"
    with st.form(f"{KEY}role_form", border=False):
        _role_select(role, account.role)
        help_, change = "Takes effect at the person's next click.", _act(_set_role, name, role)
        verb_button("Change role", ACCOUNTS, change, key=f"{KEY}set_role", icon="badge", help=help_, submits=True)
    with st.form(f"{KEY}password_of_form", border=False):
        _password(
            "New password",
            password,
            help=f"At least {SHORTEST} characters. Tell the person, who can change it under Settings, People.",
        )
        help_ = "Ends the person's sessions: they sign in again with the new one."
        change, key = _act(_set_password, name, password), f"{KEY}set_password"
        verb_button("Set password", ACCOUNTS, change, key=key, icon="password", help=help_, submits=True)
    with st.container(horizontal=True, gap="small", key=f"{KEY}ways"):
        if account.is_disabled:
            enable = _act_then_say(f"{name} can sign in again.", accounts.enable, name)
            verb_button("Enable", ACCOUNTS, enable, key=f"{KEY}enable", icon="lock_open")
        else:
            help_ = "Signs the person out at once; neither they nor their keys get in."
            disable = _act_then_say(f"{name} is signed out and cannot sign in.", accounts.disable, name)
            verb_button("Disable", ACCOUNTS, disable, key=f"{KEY}disable", icon="block", help=help_)
        with st.popover("Remove", icon=":material/delete:", key=f"{KEY}remove", **permitted.control(ACCOUNTS)):
            safe_html.message(f"Remove “{name}” and its keys? What the person did stays in the audit.")
            remove = _act_then_say(f"The account {name} is removed.", accounts.remove, name)
            verb_button("Remove account", ACCOUNTS, remove, key=f"{KEY}remove_now", icon="delete")


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
    name, role, email, password = (
        st.session_state.get(f"{KEY}{field}") for field in ("name", "role", "email", "password")
    )
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


def _last_sign_in(name: str) -> str:
    entries = AuditLog(_engine()).page(1, AuditFilter(person=name, verb="sign_in"), 1)
    return time_words(entries[0].time) if entries else "never"


def _engine() -> Engine:
    return opened_store(access.workbench().settings.database_url)
