"""Passwords: what one must be, and what is stored of it."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from argon2 import PasswordHasher

from tests.workspace.accounts.conftest import PASSWORD
from workbench.core.errors import MissingError, UsageError
from workbench.workspace.accounts import credentials
from workbench.workspace.accounts.credentials import SignInBusy, check_password, fits, hash_password, is_outdated


@pytest.mark.parametrize("length", [12, 1_024])
def test_a_password_has_12_to_1024_characters(length: int) -> None:
    check_password("éàüöñ-" * (length // 6) + "x" * (length % 6))


@pytest.mark.parametrize("password", ["", "x" * 11, "x" * 1_025])
def test_another_length_is_refused_in_a_sentence_without_it(password: str) -> None:
    with pytest.raises(UsageError, match="12 to 1,024 are allowed") as caught:
        hash_password(password)
    assert "xxx" not in str(caught.value)


def test_only_the_password_fits_its_hash() -> None:
    stored = hash_password(PASSWORD)
    assert fits(PASSWORD, stored) and not fits(PASSWORD + " ", stored) and not fits("", stored)


def test_two_hashes_of_a_password_differ() -> None:
    assert hash_password(PASSWORD) != hash_password(PASSWORD)


def test_the_same_letters_written_by_another_keyboard_fit() -> None:
    assert fits("cafe\u0301 cafe\u0301 cafe\u0301", hash_password("café café café"))


def test_without_a_hash_nothing_fits_and_a_hash_is_computed_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    class Counting(PasswordHasher):
        verified = 0

        def verify(self, hash: str | bytes, password: str | bytes) -> bool:  # type: ignore[override]
            Counting.verified += 1
            return super().verify(hash, password)

    hasher = Counting(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(credentials, "password_hasher", lambda: hasher)
    assert not fits(PASSWORD, None)
    assert Counting.verified == 1


def test_a_damaged_hash_lets_nobody_in() -> None:
    assert not fits(PASSWORD, "not a hash")


def test_real_hashes_are_argon2id_with_64_mib_and_older_ones_are_outdated(monkeypatch: pytest.MonkeyPatch) -> None:
    weak = hash_password(PASSWORD)
    monkeypatch.undo()
    stored = hash_password(PASSWORD)
    assert stored.startswith("$argon2id$v=19$m=65536,t=3,p=4$") and fits(PASSWORD, stored)
    assert is_outdated(weak) and not is_outdated(stored)


def _refuse_long_texts(form: Any, text: str, real: Any = unicodedata.normalize) -> Any:
    return real(form, text) if len(text) < 10_000 else pytest.fail("it was normalised")


@pytest.mark.parametrize("check", [lambda text: fits(text, None), lambda text: check_password(text)])
def test_what_is_much_too_long_is_not_normalised(
    check: Callable[[str], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unicodedata.normalize", _refuse_long_texts)
    with suppress(UsageError):
        check("x" * 100_000)


def test_who_waits_too_long_for_a_turn_gets_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = hash_password(PASSWORD)
    monkeypatch.setattr(credentials, "SLOT_SECONDS", 0.01)
    with credentials.SLOTS, credentials.SLOTS, pytest.raises(SignInBusy, match="Try again"):
        fits(PASSWORD, stored)
    assert fits(PASSWORD, stored)


def test_without_the_package_the_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    credentials.password_hasher.cache_clear()
    for name in ("argon2", "argon2.exceptions"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingError, match="argon2-cffi"):
        fits(PASSWORD, None)


@pytest.mark.parametrize(
    "password",
    ["a" * 12, " " * 12, "\0" * 12, "password1234", "Victim123456", "abcdefghijklm", "ababababcbab", "Passw0rd!2024"],
)
def test_a_password_among_the_first_guesses_is_refused_in_a_sentence_without_it(password: str) -> None:
    with pytest.raises(UsageError, match="five words that do not belong together") as caught:
        hash_password(password, "Victim")
    assert password not in str(caught.value)
