"""The audit, keys of accounts, and who is at work for each way in."""

from __future__ import annotations

import csv
import io

import pytest
from sqlalchemy import Engine, select

from tests.workspace.accounts.conftest import PASSWORD
from workbench.core.errors import UsageError
from workbench.workspace import tables as t
from workbench.workspace.accounts.accounts import AccountKeys, Accounts
from workbench.workspace.accounts.audit import AuditFilter, AuditLog
from workbench.workspace.accounts.credentials import Account
from workbench.workspace.accounts.sign_in import account_actor, screen_actor, sign_in, sign_out, workspace_actor
from workbench.workspace.permissions import NOBODY, Role, acting_as, default_actor


@pytest.fixture
def log(engine: Engine) -> AuditLog:
    return AuditLog(engine)


def rows(log: AuditLog) -> list[tuple[str, str, str, str]]:
    return [(entry.person, entry.verb, entry.subject, entry.place) for entry in log.page()]


def test_pages_are_newest_first(log: AuditLog) -> None:
    for number in range(5):
        log.append("Anna", "runs.delete", f"run {number}", "screen")
    assert [entry.subject for entry in log.page(1, size=2)] == ["run 4", "run 3"]
    assert [entry.subject for entry in log.page(3, size=2)] == ["run 0"]
    assert log.count() == 5


def test_a_filter_lets_a_person_a_verb_a_place_words_and_a_time_through(log: AuditLog) -> None:
    log.append("Anna", "runs.delete", "tea 100%", "screen")
    log.append("Ben", "runs.delete", "coffee", "screen")
    log.append("Ben", "runs.rename", "Tea 100_", "api")
    newest = log.page()[0]
    for filter_, count in (
        (AuditFilter(person="Ben"), 2),
        (AuditFilter(verb="runs.delete"), 2),
        (AuditFilter(place="api"), 1),
        (AuditFilter(words="TEA"), 2),
        (AuditFilter(words="100%"), 1),
        (AuditFilter(since=newest.time), 1),
        (AuditFilter(until=newest.time), 2),
        (AuditFilter(person="Ben", words="tea"), 1),
    ):
        assert log.count(filter_) == len(log.page(1, filter_)) == count, filter_


def test_the_csv_has_all_rows_and_nothing_that_a_spreadsheet_executes(log: AuditLog) -> None:
    log.append("=1+1", "runs.delete", "@SUM(1)\n=2", "screen")
    header, row = csv.reader(io.StringIO(log.as_csv()))
    assert header == ["time", "person", "verb", "subject", "place"]
    assert row[1:] == ["'=1+1", "runs.delete", "'@SUM(1) =2", "screen"]


def test_without_sign_in_everybody_may_everything_and_nothing_is_recorded(url: str, log: AuditLog) -> None:
    person = screen_actor(url, None)
    assert person.role is Role.ADMIN and person.name == default_actor().name
    person.record("runs.delete", "tea")
    assert rows(log) == []


def test_with_sign_in_a_screen_without_a_token_is_nobody(url: str, anna: Account) -> None:
    assert screen_actor(url, None) is NOBODY and screen_actor(url, "a guess") is NOBODY


def test_a_screens_person_is_recorded_under_their_name(url: str, ben: Account, engine: Engine, log: AuditLog) -> None:
    person = screen_actor(url, sign_in(engine, "ben", PASSWORD))
    assert (person.name, person.role) == ("Ben", Role.READER)
    person.record("filters.save", "mine")
    assert rows(log)[0] == ("Ben", "filters.save", "mine", "screen")


def test_signing_in_and_out_is_recorded_and_failures_are_not(ben: Account, engine: Engine, log: AuditLog) -> None:
    sign_out(engine, sign_in(engine, "Ben", PASSWORD))
    with pytest.raises(Exception, match="or the password is wrong"):
        sign_in(engine, "Ben", "a wrong password")
    assert [row[:2] for row in rows(log)] == [("Ben", "sign_out"), ("Ben", "sign_in")]


def test_the_command_line_is_recorded_as_the_systems_user(
    url: str, anna: Account, accounts: Accounts, engine: Engine
) -> None:
    with acting_as(workspace_actor(url, "command line")):
        accounts.create("Ben", Role.READER, password=PASSWORD)
        accounts.set_role("ben", Role.ANALYST)
    person = default_actor().name
    assert rows(AuditLog(engine)) == [
        (person, "accounts.manage", "ben: role analyst", "command line"),
        (person, "accounts.manage", "Ben: added as reader", "command line"),
    ]


def test_turning_sign_in_off_is_recorded(url: str, anna: Account, accounts: Accounts, log: AuditLog) -> None:
    with acting_as(workspace_actor(url, "command line")):
        accounts.remove_last("Anna")
    assert rows(log)[0][1:3] == ("accounts.manage", "Anna: removed, sign-in off")


def test_nothing_that_is_secret_is_in_the_audit(
    url: str, ben: Account, accounts: Accounts, engine: Engine, log: AuditLog
) -> None:
    token = sign_in(engine, "Ben", PASSWORD)
    with acting_as(account_actor(url, accounts.account("Anna"), "screen")):
        accounts.set_password("Ben", "another long password")
        key = AccountKeys(engine).create("Ben").text
    with acting_as(screen_actor(url, sign_in(engine, "Ben", "another long password"))):
        accounts.change_password("Ben", "another long password", "a third long password")
    text = log.as_csv()
    assert "password.change" in text and "keys.manage" in text
    assert not [secret for secret in (token, key, PASSWORD, "long password") if secret in text]


def test_a_key_is_shown_once_and_stored_as_a_digest(engine: Engine, ben: Account) -> None:
    keys = AccountKeys(engine)
    new = keys.create("ben", "nightly")
    assert new.text.startswith("mrag_") and new.text not in repr(new)
    assert [(item.id, item.account, item.note) for item in keys.all()] == [(new.id, "Ben", "nightly")]
    with engine.connect() as connection:
        assert new.text not in str(connection.execute(select(t.account_keys)).all())


def test_a_key_has_the_accounts_role_as_it_is_now(engine: Engine, ben: Account, accounts: Accounts) -> None:
    keys = AccountKeys(engine)
    text = keys.create("Ben").text
    accounts.set_role("Ben", Role.ANALYST)
    account = keys.account(text)
    assert account is not None and account.role is Role.ANALYST


@pytest.mark.parametrize("change", ["disable", "remove"])
def test_a_key_stops_working_with_its_account(engine: Engine, ben: Account, accounts: Accounts, change: str) -> None:
    keys = AccountKeys(engine)
    text = keys.create("Ben").text
    getattr(accounts, change)("Ben")
    assert keys.account(text) is None


def test_a_removed_key_works_no_more(engine: Engine, ben: Account) -> None:
    keys = AccountKeys(engine)
    new = keys.create("Ben")
    keys.remove(new.id)
    assert keys.account(new.text) is None and keys.all() == ()
    with pytest.raises(UsageError, match="Unknown key"):
        keys.remove(new.id)


def test_a_note_that_is_too_long_is_refused(engine: Engine, ben: Account) -> None:
    with pytest.raises(UsageError, match="at most 80"):
        AccountKeys(engine).create("Ben", "x" * 81)
