"""Passwords: what one must be, and their Argon2id hashes (RFC 9106's second choice of parameters, 64 MiB).

docs/decisions/0014-sign-in.md says why. Nothing here logs, shows or returns a password.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from secrets import token_urlsafe
from threading import BoundedSemaphore
from typing import TYPE_CHECKING

from workbench.core import MissingError, UsageError, WorkbenchError

if TYPE_CHECKING:
    from argon2 import PasswordHasher

SHORTEST, LONGEST = 12, 1_024
"""Code points of a password. Length is what resists guessing; signs and digits are not demanded."""
TYPED_LIMIT = 4 * LONGEST
"""Characters of a typed password that are normalised, which may leave fewer: more are no password."""
_SLOTS = BoundedSemaphore(2)
"""Each hash takes 64 MiB and a processor for a moment: sign-ins beyond two at a time wait."""
SLOT_SECONDS = 10.0
BUSY = "Too many people are signing in at this moment. Try again in a few seconds."


class SignInBusy(WorkbenchError):
    """A password was not looked at, because too many others are."""


def check_password(password: str) -> None:
    """Raises UsageError for a password that is too short or too long; the message does not quote it."""
    length = len(_normal(password)) if len(password) <= TYPED_LIMIT else len(password)
    if not SHORTEST <= length <= LONGEST:
        raise UsageError(
            f"This password has {length:,} characters; {SHORTEST} to {LONGEST:,} are allowed. Type a longer one, such "
            "as five words that do not belong together."
            if length < SHORTEST
            else f"This password has {length:,} characters; {SHORTEST} to {LONGEST:,} are allowed. Type a shorter one."
        )


def hash_password(password: str) -> str:
    """The hash to store, with its parameters and a salt.

    Raises UsageError as `check_password` does, SignInBusy where too many wait.
    """
    check_password(password)
    with _slot():
        return _hasher().hash(_normal(password))


def fits(password: str, stored: str | None) -> bool:
    """Whether a password is the one of a stored hash. Without one (None) the same work is done, in vain.

    So the time it takes does not say whether an account exists. Raises SignInBusy where too many wait, MissingError
    without the package.
    """
    hasher = _hasher()
    from argon2.exceptions import InvalidHashError, VerificationError

    normal = _normal(password) if len(password) <= TYPED_LIMIT else password
    if len(normal) > LONGEST:
        normal, stored = "", None
    with _slot():
        try:
            return hasher.verify(stored or _nobodys_hash(), normal) and stored is not None
        except (VerificationError, InvalidHashError):
            return False


def is_outdated(stored: str) -> bool:
    """Whether a stored hash has weaker parameters than new ones get, so that it is replaced at the next sign-in."""
    return _hasher().check_needs_rehash(stored)


@contextmanager
def _slot() -> Iterator[None]:
    """A turn at hashing; those who wait too long get a sentence, so that a flood does not hold every thread."""
    if not _SLOTS.acquire(timeout=SLOT_SECONDS):
        raise SignInBusy(BUSY)
    try:
        yield
    finally:
        _SLOTS.release()


@cache
def _hasher() -> PasswordHasher:
    try:
        from argon2 import PasswordHasher
    except ImportError:
        raise MissingError("Passwords need the package argon2-cffi. Type: pip install 'mrag-workbench[team]'") from None
    return PasswordHasher()


@cache
def _nobodys_hash() -> str:
    """A hash of what nobody knows."""
    return _hasher().hash(token_urlsafe(32))


def _normal(password: str) -> str:
    """The password as it is hashed: keyboards write the same letter in several ways."""
    return unicodedata.normalize("NFKC", password)
