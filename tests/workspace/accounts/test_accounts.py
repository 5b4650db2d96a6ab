"""Accounts: who may sign in, and that an admin always may."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from threading import Barrier, Thread

import pytest
from sqlalchemy import Engine, select

from tests.workspace.accounts.conftest import PASSWORD
from workbench.core.errors import UsageError
from workbench.workspace.accounts.accounts import AccountKeys, Accounts, has_sign_in
from workbench.workspace.accounts.credentials import Account, SignInFailed, fits, hash_password
from workbench.workspace.accounts.sign_in import Sessions, sign_in
from workbench.workspace.permissions import Actor, NotAllowed, Role, acting_as
from workbench.workspace.tables import accounts as table


def test_the_first_account_turns_sign_in_on(url: str, accounts: Accounts) -> None:
    assert not has_sign_in(url)
    accounts.create("Anna", Role.ADMIN, password=PASSWORD)
    assert has_sign_in(url)


def test_the_first_account_is_an_admins(accounts: Accounts) -> None:
    with pytest.raises(UsageError, match="it is an admin's"):
        accounts.create("Anna", Role.ANALYST, password=PASSWORD)
    assert accounts.all() == ()


def test_a_database_that_does_not_exist_has_no_sign_in_and_is_not_created(tmp_path: Path) -> None:
    file = tmp_path / "none.db"
    assert not has_sign_in(f"sqlite:///{file}") and not file.exists()


def test_names_differ_by_more_than_case_and_width(anna: Account, accounts: Accounts) -> None:
    assert accounts.account("ＡＮＮＡ") == anna
    with pytest.raises(UsageError, match="already"):
        accounts.create(" anna ", Role.READER, password=PASSWORD)


@pytest.mark.parametrize("name", ["", "   ", "x" * 81, " " * 2_000 + "Ben", "a\x00b", "a\u202eb"])
def test_a_name_that_is_not_one_is_refused(anna: Account, accounts: Accounts, name: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name"):
        accounts.create(name, Role.READER, password=PASSWORD)


def test_an_account_needs_a_way_to_sign_in(anna: Account, accounts: Accounts) -> None:
    with pytest.raises(UsageError, match="could not sign in"):
        accounts.create("Ben", Role.READER)


@pytest.mark.parametrize("email", ["ben", "@", "a b@c", "x" * 250 + "@example.org"])
def test_an_address_that_is_not_one_is_refused(anna: Account, accounts: Accounts, email: str) -> None:
    with pytest.raises(UsageError, match="e-mail"):
        accounts.create("Ben", Role.READER, email=email)


def test_an_address_belongs_to_one_account(anna: Account, accounts: Accounts) -> None:
    ben = accounts.create("Ben", Role.READER, email="Ben@Example.org")
    assert accounts.by_email("ben@example.ORG") == ben and not ben.has_password
    with pytest.raises(UsageError, match="another account"):
        accounts.create("Benno", Role.READER, email="ben@example.org")


@pytest.mark.parametrize(
    ("address", "other"),
    [
        ("anna@example.org", "ａnna@example.org"),
        ("strasse@example.org", "straße@example.org"),
        ("kim@example.org", "\u212aim@example.org"),
        ("ben@strasse.example", "ben@straße.example"),
        ("ben@example.org", "ben@ｅxample.org"),
        ("ben@example.org", "ben@example。org"),
    ],
)
def test_addresses_that_two_people_can_have_stay_two(
    anna: Account, accounts: Accounts, address: str, other: str
) -> None:
    ben = accounts.create("Ben", Role.READER, email=address)
    assert accounts.by_email(address.upper()) == ben
    assert accounts.by_email(other) is None


def test_a_domain_in_another_script_is_the_one_that_the_domain_name_system_has(
    anna: Account, accounts: Accounts
) -> None:
    ben = accounts.create("Ben", Role.READER, email="ben@bücher.example")
    assert accounts.by_email("ben@XN--bcher-kva.example") == ben and ben.email == "ben@xn--bcher-kva.example"


@pytest.mark.parametrize("domain", ["straße.example", f"{'ü' * 70}.example"])
def test_a_domain_that_would_become_another_one_or_none_is_refused(
    anna: Account, accounts: Accounts, domain: str
) -> None:
    with pytest.raises(UsageError, match="domain name system"):
        accounts.create("Ben", Role.READER, email=f"ben@{domain}")


def test_the_number_of_a_removed_account_is_not_used_again(ben: Account, accounts: Accounts) -> None:
    accounts.remove("Ben")
    assert accounts.create("Eve", Role.READER, password=PASSWORD).id != ben.id


def test_a_disabled_account_gets_no_key(ben: Account, accounts: Accounts, engine: Engine) -> None:
    accounts.disable("Ben")
    with pytest.raises(UsageError, match="is disabled"):
        AccountKeys(engine).create("Ben")
    assert AccountKeys(engine).all() == ()


def test_the_password_is_stored_as_a_hash_and_shown_nowhere(anna: Account, engine: Engine) -> None:
    with engine.connect() as connection:
        row = connection.execute(select(table)).one()
    assert row.password_hash.startswith("$argon2id$") and PASSWORD not in str(row)
    assert "argon2" not in repr(anna) and PASSWORD not in repr(anna)


@pytest.mark.parametrize("change", ["set_role", "disable", "remove"])
def test_the_last_admin_stays(ben: Account, accounts: Accounts, change: str) -> None:
    words = [Role.READER] if change == "set_role" else []
    with pytest.raises(UsageError, match="last admin"):
        getattr(accounts, change)("Anna", *words)
    assert accounts.account("Anna").role is Role.ADMIN and not accounts.account("Anna").is_disabled


def test_a_disabled_admin_does_not_count(ben: Account, accounts: Accounts) -> None:
    accounts.set_role("Ben", Role.ADMIN)
    accounts.disable("Ben")
    with pytest.raises(UsageError, match="last admin"):
        accounts.remove("Anna")


def test_of_two_admins_who_remove_each_other_at_once_one_stays(ben: Account, accounts: Accounts) -> None:
    accounts.set_role("Ben", Role.ADMIN)
    together = Barrier(2)

    def demote(name: str) -> None:
        together.wait()
        with suppress(UsageError):
            accounts.set_role(name, Role.READER)

    threads = [Thread(target=demote, args=(name,)) for name in ("Anna", "Ben")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [item.role for item in accounts.all()].count(Role.ADMIN) == 1


def test_removing_the_last_account_turns_sign_in_off(url: str, ben: Account, accounts: Accounts) -> None:
    with pytest.raises(UsageError, match="not the last account"):
        accounts.remove_last("Anna")
    accounts.remove("Ben")
    accounts.remove_last("Anna")
    assert not has_sign_in(url) and accounts.all() == ()


def test_an_account_under_the_name_of_a_removed_one_gets_nothing_of_it(
    ben: Account, accounts: Accounts, engine: Engine
) -> None:
    token = sign_in(engine, "Ben", PASSWORD)
    accounts.remove("Ben")
    accounts.create("Ben", Role.ADMIN, password="another long password")
    assert Sessions(engine).account(token) is None


def test_people_change_their_password_with_the_present_one(ben: Account, accounts: Accounts, engine: Engine) -> None:
    with acting_as(Actor("Ben", Role.READER)):
        with pytest.raises(SignInFailed):
            accounts.change_password("Ben", "not the password", "another long password")
        accounts.change_password("Ben", PASSWORD, "another long password")
    with pytest.raises(SignInFailed):
        sign_in(engine, "Ben", PASSWORD)
    assert sign_in(engine, "Ben", "another long password")


def test_guesses_at_the_sign_in_keep_nobody_from_changing_their_password(
    ben: Account, accounts: Accounts, engine: Engine
) -> None:
    for _ in range(7):
        with pytest.raises(SignInFailed):
            sign_in(engine, "Ben", "a wrong password")
    with acting_as(Actor("Ben", Role.READER)):
        accounts.change_password("Ben", PASSWORD, "another long password")
    assert fits_now(engine, "Ben", "another long password")


def test_a_password_that_an_admin_sets_meanwhile_is_not_overwritten(
    ben: Account, accounts: Accounts, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:

        def set_meanwhile(password: str, _name: str) -> str:
            patch.undo()
            with acting_as(Actor("Anna", Role.ADMIN)):
                accounts.set_password("Ben", "the password of the admin")
            return hash_password(password)

        patch.setattr("workbench.workspace.accounts.accounts.hash_password", set_meanwhile)
        with acting_as(Actor("Ben", Role.READER)), pytest.raises(SignInFailed, match="changed"):
            accounts.change_password("Ben", PASSWORD, "another long password")
    assert fits_now(engine, "Ben", "the password of the admin")


def fits_now(engine: Engine, name: str, password: str) -> bool:
    """Whether the stored hash is this password's, whatever failures there were."""
    with engine.connect() as connection:
        return fits(password, connection.execute(select(table.c.password_hash).where(table.c.name == name)).scalar())


def test_people_cannot_change_the_password_of_others(ben: Account, accounts: Accounts, engine: Engine) -> None:
    with acting_as(Actor("Ben", Role.READER)), pytest.raises(NotAllowed, match="your password only"):
        accounts.change_password("Anna", PASSWORD, "another long password")
    assert sign_in(engine, "Anna", PASSWORD)
