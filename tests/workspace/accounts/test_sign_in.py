"""Signing in: who is let in, how failures slow it down, and when sessions end."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from argon2 import PasswordHasher
from sqlalchemy import Engine, select, update

from tests.workspace.accounts.conftest import PASSWORD
from workbench.core.errors import UsageError
from workbench.workspace import tables as t
from workbench.workspace.accounts.accounts import Accounts
from workbench.workspace.accounts.credentials import (
    Account,
    SignInFailed,
    _renewed,
    check_credentials,
    folded,
    hash_password,
)
from workbench.workspace.accounts.sign_in import (
    SessionLimits,
    Sessions,
    session_limits,
    sign_in,
    sign_in_by_email,
    sign_out,
)
from workbench.workspace.permissions import Role

HOUR = 3_600.0


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def sessions(engine: Engine, clock: Clock) -> Sessions:
    return Sessions(engine, SessionLimits(8 * HOUR, 72 * HOUR), clock)


def fail(engine: Engine, clock: Clock, name: str, times: int) -> list[str]:
    messages = []
    for _ in range(times):
        with pytest.raises(SignInFailed) as caught:
            check_credentials(engine, name, "a wrong password", clock)
        messages.append(str(caught.value))
    return messages


def test_a_name_and_its_password_give_a_token_of_the_account(engine: Engine, ben: Account) -> None:
    assert Sessions(engine).account(sign_in(engine, " bEN ", PASSWORD)) == ben


def test_wrong_passwords_unknown_and_disabled_people_get_the_same_sentence(
    engine: Engine, ben: Account, accounts: Accounts
) -> None:
    accounts.disable("Ben")
    sentences = set()
    for name, password in (("Anna", "a wrong password"), ("Nobody", PASSWORD), ("Ben", PASSWORD)):
        with pytest.raises(SignInFailed) as caught:
            sign_in(engine, name, password)
        sentences.add(str(caught.value))
    assert len(sentences) == 1


@pytest.mark.parametrize("name", ["Ben", "Nobody"])
def test_after_five_failures_each_further_one_doubles_the_wait(
    engine: Engine, ben: Account, clock: Clock, name: str
) -> None:
    fail(engine, clock, name, 5)
    assert "in 1 seconds" in fail(engine, clock, name, 1)[0]
    for wait in (1, 2, 4, 8, 16, 32, 60, 60):
        clock.now += wait
        assert "Too many" not in fail(engine, clock, name, 1)[0]
        assert "Too many" in fail(engine, clock, name, 1)[0]


def test_while_it_waits_the_right_password_is_refused_too_and_afterwards_forgets_the_failures(
    engine: Engine, ben: Account, clock: Clock
) -> None:
    fail(engine, clock, "Ben", 5)
    with pytest.raises(SignInFailed, match="Too many"):
        check_credentials(engine, "Ben", PASSWORD, clock)
    clock.now += 1
    assert check_credentials(engine, "Ben", PASSWORD, clock)[0] == ben
    assert all("Too many" not in message for message in fail(engine, clock, "Ben", 5))


def test_failures_under_one_name_slow_nobody_else_down(engine: Engine, ben: Account, clock: Clock) -> None:
    fail(engine, clock, "Ben", 7)
    assert check_credentials(engine, "Anna", PASSWORD, clock)


def test_many_guesses_at_once_gain_nothing(engine: Engine, ben: Account, clock: Clock) -> None:
    with ThreadPoolExecutor(8) as pool:
        messages = [*pool.map(lambda _: fail(engine, clock, "Ben", 1)[0], range(20))]
    assert sum("Too many" not in message for message in messages) == 5


def test_failures_are_forgotten_after_a_day_and_name_nobody(engine: Engine, ben: Account, clock: Clock) -> None:
    fail(engine, clock, "hunter2 typed into the wrong field", 1)
    with engine.connect() as connection:
        assert "hunter2" not in str(connection.execute(select(t.sign_in_failures)).all())
    clock.now += 86_401
    fail(engine, clock, "Ben", 1)
    with engine.connect() as connection:
        assert len(connection.execute(select(t.sign_in_failures)).all()) == 1


def test_an_outdated_hash_is_replaced_at_the_next_sign_in(
    engine: Engine, ben: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    from argon2 import PasswordHasher

    from workbench.workspace.accounts import credentials

    stronger = PasswordHasher(time_cost=2, memory_cost=8, parallelism=1)
    monkeypatch.setattr(credentials, "password_hasher", lambda: stronger)
    sign_in(engine, "Ben", PASSWORD)
    with engine.connect() as connection:
        stored = connection.execute(select(t.accounts.c.password_hash).where(t.accounts.c.name == "Ben")).scalar_one()
    assert "t=2" in stored and hash_password(PASSWORD) != stored


def test_an_outdated_hash_does_not_replace_a_password_that_was_changed_meanwhile(
    engine: Engine, ben: Account, accounts: Accounts
) -> None:
    _, former = check_credentials(engine, "Ben", PASSWORD)
    accounts.set_password("Ben", "another long password")
    _renewed(engine, ben.id, PASSWORD, former)
    assert sign_in(engine, "Ben", "another long password")


@pytest.mark.parametrize("change", ["disable", "remove", "set_password"])
def test_who_changes_between_the_check_and_the_session_gets_none(
    engine: Engine, ben: Account, accounts: Accounts, change: str
) -> None:
    account, proof = check_credentials(engine, "Ben", PASSWORD)
    getattr(accounts, change)("Ben", *(["another long password"] if change == "set_password" else []))
    with pytest.raises(SignInFailed):
        Sessions(engine).begin(account, proof)
    with engine.connect() as connection:
        assert connection.execute(select(t.sessions)).all() == []


def test_a_clock_that_was_set_back_makes_nobody_wait_longer(engine: Engine, ben: Account, clock: Clock) -> None:
    fail(engine, clock, "Ben", 5)
    clock.now -= 10_000
    first, second = fail(engine, clock, "Ben", 2)
    assert "Too many" not in first and "in 2 seconds" in second
    clock.now += 2
    assert check_credentials(engine, "Ben", PASSWORD, clock)[0] == ben


def test_a_clock_that_was_set_back_a_little_counts_no_more_than_the_wait(
    engine: Engine, ben: Account, clock: Clock
) -> None:
    fail(engine, clock, "Ben", 5)
    clock.now -= 30
    assert "in 1 seconds" in fail(engine, clock, "Ben", 1)[0]


def test_of_a_very_long_name_the_beginning_is_looked_at() -> None:
    assert folded("x" * 100_000) == "x" * 1_000


def test_a_provider_lets_in_who_has_an_account_under_the_address(
    engine: Engine, anna: Account, accounts: Accounts
) -> None:
    chidi = accounts.create("Chidi", Role.ANNOTATOR, email="chidi@example.org")
    assert Sessions(engine).account(sign_in_by_email(engine, "Chidi@Example.org", is_verified=True)) == chidi


@pytest.mark.parametrize(
    ("email", "is_verified"), [("chidi@example.org", False), ("eve@example.org", True), ("", True)]
)
def test_a_provider_lets_in_nobody_else(
    engine: Engine, anna: Account, accounts: Accounts, email: str, is_verified: bool
) -> None:
    accounts.create("Chidi", Role.ANNOTATOR, email="chidi@example.org")
    with pytest.raises(SignInFailed, match="no account"):
        sign_in_by_email(engine, email, is_verified=is_verified)


def test_a_disabled_person_is_not_let_in_by_a_provider(engine: Engine, anna: Account, accounts: Accounts) -> None:
    accounts.create("Chidi", Role.ANNOTATOR, email="chidi@example.org")
    accounts.disable("Chidi")
    with pytest.raises(SignInFailed):
        sign_in_by_email(engine, "chidi@example.org", is_verified=True)


def test_the_database_has_only_the_tokens_digest(engine: Engine, anna: Account, sessions: Sessions) -> None:
    token = sessions.begin(anna)
    with engine.connect() as connection:
        assert token not in str(connection.execute(select(t.sessions)).all())
    assert len(token) >= 43


@pytest.mark.parametrize("token", ["", None, "x", "é" * 50])
def test_what_is_no_token_signs_nobody_in(anna: Account, sessions: Sessions, token: str | None) -> None:
    sessions.begin(anna)
    assert sessions.account(token) is None


def test_a_session_ends_when_it_is_not_used(anna: Account, sessions: Sessions, clock: Clock) -> None:
    token = sessions.begin(anna)
    clock.now += 8 * HOUR
    assert sessions.account(token) == anna
    clock.now += 1
    assert sessions.account(token) is None
    sessions.touch(token)
    assert sessions.account(token) is None


def test_use_keeps_a_session_and_looking_it_up_does_not(anna: Account, sessions: Sessions, clock: Clock) -> None:
    used, unused = sessions.begin(anna), sessions.begin(anna)
    for _ in range(3):
        clock.now += 4 * HOUR
        sessions.touch(used)
        sessions.account(unused)
    assert sessions.account(used) == anna and sessions.account(unused) is None


def test_a_session_ends_after_its_longest_time_however_it_is_used(
    anna: Account, sessions: Sessions, clock: Clock
) -> None:
    token = sessions.begin(anna)
    for _ in range(18):
        clock.now += 4 * HOUR
        sessions.touch(token)
    assert sessions.account(token) == anna
    clock.now += 60
    assert sessions.account(token) is None


def test_signing_out_ends_this_session_alone(engine: Engine, anna: Account) -> None:
    first, second = sign_in(engine, "Anna", PASSWORD), sign_in(engine, "Anna", PASSWORD)
    sign_out(engine, first)
    assert Sessions(engine).account(first) is None and Sessions(engine).account(second) == anna


@pytest.mark.parametrize("change", ["disable", "remove", "set_password"])
def test_a_change_of_the_account_ends_its_sessions_at_once(
    engine: Engine, ben: Account, accounts: Accounts, change: str
) -> None:
    token = sign_in(engine, "Ben", PASSWORD)
    getattr(accounts, change)("Ben", *(["another long password"] if change == "set_password" else []))
    assert Sessions(engine).account(token) is None


def test_enabling_again_does_not_bring_sessions_back(engine: Engine, ben: Account, accounts: Accounts) -> None:
    token = sign_in(engine, "Ben", PASSWORD)
    accounts.disable("Ben")
    accounts.enable("Ben")
    assert Sessions(engine).account(token) is None


def test_another_role_counts_at_once(engine: Engine, ben: Account, accounts: Accounts) -> None:
    token = sign_in(engine, "Ben", PASSWORD)
    accounts.set_role("Ben", Role.ANALYST)
    account = Sessions(engine).account(token)
    assert account is not None and account.role is Role.ANALYST


def test_expired_sessions_are_swept_away(engine: Engine, anna: Account, sessions: Sessions, clock: Clock) -> None:
    sessions.begin(anna)
    clock.now += 9 * HOUR
    sessions.begin(anna)
    with engine.connect() as connection:
        assert len(connection.execute(select(t.sessions)).all()) == 1


def test_the_environment_sets_how_long_sessions_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORKBENCH_SESSION_IDLE_HOURS", raising=False)
    monkeypatch.setenv("WORKBENCH_SESSION_HOURS", "0.5")
    assert session_limits() == SessionLimits(8 * HOUR, 0.5 * HOUR)


@pytest.mark.parametrize("hours", ["0", "-1", "soon", "nan", "inf"])
def test_hours_that_are_not_a_number_are_refused(monkeypatch: pytest.MonkeyPatch, hours: str) -> None:
    monkeypatch.setenv("WORKBENCH_SESSION_HOURS", hours)
    with pytest.raises(UsageError, match="WORKBENCH_SESSION_HOURS"):
        session_limits()


def test_a_password_of_former_times_that_is_now_too_short_still_signs_in(ben: Account, engine: Engine) -> None:
    stored = PasswordHasher(time_cost=2, memory_cost=8, parallelism=1).hash("otters")
    with engine.begin() as connection:
        connection.execute(update(t.accounts).where(t.accounts.c.id == ben.id).values(password_hash=stored))
    assert check_credentials(engine, "Ben", "otters") == (ben, stored)
    with pytest.raises(SignInFailed):
        check_credentials(engine, "Ben", "otter")
