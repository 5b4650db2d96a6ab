"""`accounts` on the command line."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from tests.cli.terminal import Terminal, refused
from workbench.workspace.accounts import credentials
from workbench.workspace.permissions import default_actor

PASSWORD = "seven quiet otters"


@pytest.fixture(autouse=True)
def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(credentials, "password_hasher", lambda: cheap)


@pytest.fixture(autouse=True)
def typed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command that asks for a password is given this one."""

    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{PASSWORD}\n" * 9))


def test_the_first_account_turns_sign_in_on_and_the_last_one_off(run: Terminal) -> None:
    assert "Add the first" in run("accounts", "list").err
    added = run("accounts", "add", "Anna", "--role", "admin")
    assert added.out == "Anna\tadmin\tmay sign in\tpassword\n" and "Sign-in is on" in added.err
    assert "Sign-in is off" in run("accounts", "remove", "anna", "--last").err
    assert run("accounts", "list", "--json").json == []


def test_what_cannot_be_is_refused_in_one_sentence(run: Terminal) -> None:
    refused(run("accounts", "add", "Anna"), "it is an admin's", "--role admin")
    refused(run("accounts", "add", "Anna", "--role", "king"), "Unknown role", "analyst")
    run("accounts", "add", "Anna", "--role", "admin")
    refused(run("accounts", "role", "Anna", "reader"), "last admin")
    refused(run("accounts", "remove", "Anna"), "--last")
    refused(run("accounts", "disable", "Nobody"), "Unknown account", "Anna")


def test_a_password_is_not_an_argument_and_a_short_one_is_refused(
    run: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("accounts", "add", "Anna", "--password", PASSWORD).code == 2
    monkeypatch.setattr(sys, "stdin", io.StringIO("short\n"))
    refused(run("accounts", "add", "Anna", "--role", "admin"), "12 to 1,024")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"seven quiet \xe2tters\n"), encoding="utf-8"))
    refused(run("accounts", "add", "Anna", "--role", "admin"), "The password on the input is not UTF-8")
    assert run("accounts", "list", "--json").json == []


def test_roles_are_changed_and_people_disabled(run: Terminal) -> None:
    run("accounts", "add", "Anna", "--role", "admin")
    run("accounts", "add", "Ben", "--email", "ben@example.org")
    assert run("accounts", "role", "ben", "analyst").out == "Ben\tanalyst\tmay sign in\tben@example.org\n"
    assert "disabled" in run("accounts", "disable", "Ben").out
    assert "may sign in" in run("accounts", "enable", "Ben").out
    assert run("accounts", "password", "Ben").code == 0
    assert [item["has_password"] for item in run("accounts", "list", "--json").json] == [True, True]


def test_a_key_is_printed_once(run: Terminal) -> None:
    run("accounts", "add", "Anna", "--role", "admin")
    key = run("accounts", "key", "Anna", "--note", "nightly").out.strip()
    listing = run("accounts", "key")
    assert key.startswith("mrag_") and listing.out == "1\tAnna\tnightly\n"
    assert run("accounts", "key", "--remove", "1").code == 0
    assert run("accounts", "key", "--json").json == []
    refused(run("accounts", "key", "Anna", "--remove", "1"), "not both")


def test_the_audit_says_who_did_what(run: Terminal, home: Path) -> None:
    run("accounts", "add", "Anna", "--role", "admin")
    run("accounts", "add", "Ben")
    run("corpora", "rename", "none", "other")  # fails, so it is not recorded
    entries = run("accounts", "audit", "--json").json
    person = default_actor().name
    assert [(item["person"], item["verb"], item["subject"], item["place"]) for item in entries] == [
        (person, "accounts.manage", "Ben: added as reader", "command line"),
        (person, "accounts.manage", "Anna: added as admin", "command line"),
    ]
    assert run("accounts", "audit", "--words", "anna").out.count("\n") == 1
    file = home / "audit.csv"
    run("accounts", "audit", "--out", file)
    assert file.read_text(encoding="utf-8").count("\n") == 3 and PASSWORD not in file.read_text(encoding="utf-8")


def test_what_commands_do_is_recorded_with_sign_in_alone(run: Terminal) -> None:
    assert run("models", "use", "builtin").code == 0
    run("accounts", "add", "Anna", "--role", "admin")
    assert run("models", "use", "builtin").code == 0
    verbs = [item["verb"] for item in run("accounts", "audit", "--json").json]
    assert verbs == ["settings.change", "accounts.manage"]
