"""An account as a value, and how its name and password are checked, slower after each failure.

After FREE_FAILURES failures in a row under a name each further one doubles the wait, to at most LONGEST_WAIT seconds,
for all processes together: guessing is slow, and a stranger locks nobody out for long. An attempt is counted before its
password is looked at, so many at once gain nothing. Names that do not exist are treated alike. Changing one's password
counts by itself, so that a stranger's guesses do not keep who is signed in from it.

Passwords are stored as Argon2id hashes (RFC 9106's second choice of parameters, 64 MiB), tokens as digests;
docs/decisions/0014-sign-in.md says why. Nothing here logs, shows or returns a password.
"""

from __future__ import annotations

import hashlib
import math
import re
import secrets
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any

from sqlalchemy import Engine, Row, delete, insert, select, update

from workbench.core import MissingError, UsageError, WorkbenchError, shorten
from workbench.workspace.database import alone
from workbench.workspace.permissions import Role
from workbench.workspace.tables import accounts, sign_in_failures

if TYPE_CHECKING:
    from argon2 import PasswordHasher


TYPED_LIMIT = 1_000
"""Characters of a typed name that are looked at: more are no name, and would only cost time."""
EMAIL_LIMIT = 254


@dataclass(frozen=True, slots=True)
class Account:
    """A person's account.

    `email`: by which a provider names the person, "" for one who signs in with a password alone. `created`: seconds
    since 1970.
    """

    id: int
    name: str
    role: Role
    email: str = ""
    has_password: bool = False
    is_disabled: bool = False
    created: float = 0.0


def account_of(row: Row[Any]) -> Account:
    """The account of a row of `accounts`; its hash stays behind."""
    item = row._mapping
    return Account(
        item["id"], item["name"], Role(item["role"]), item["email"] or "", item["password_hash"] is not None,
        item["disabled"], item["created"],
    )  # fmt: skip


def folded(name: str) -> str:
    """A name as it is looked up: without differences of case, width and outer white space.

    >>> folded(" ＡＮＮＡ ")
    'anna'
    """
    return " ".join(unicodedata.normalize("NFKC", name[:TYPED_LIMIT]).casefold().split())


def folded_email(email: str) -> str:
    """An address as it is looked up: ASCII letters in lower case, the domain as the domain name system has it.

    Nothing else is made equal: where two people can have two addresses, they stay two. Raises UsageError for what is
    not an address, and for a domain that has another spelling in the domain name system.

    >>> folded_email(" Anna@bücher.Example ")
    'anna@xn--bcher-kva.example'
    """
    address = email.strip() if len(email) <= TYPED_LIMIT else ""
    local, at, domain = address.partition("@")
    is_plain = local and domain and "@" not in domain and address.isprintable() and not any(map(str.isspace, address))
    if not is_plain:
        raise UsageError(f"“{shorten(email)}” is not an e-mail address. For example: anna@example.org")
    result = _lower(local) + at + ".".join(map(_label, domain.split(".")))
    if len(result) > EMAIL_LIMIT:
        raise UsageError(f"The e-mail address “{shorten(email)}” is too long: {EMAIL_LIMIT} characters are allowed.")
    return result


def _label(label: str) -> str:
    """A part of a domain as the domain name system has it."""
    if label.isascii():
        return _lower(label)
    try:
        encoded = _lower(label).encode("idna")
        is_exact = encoded.decode("idna") == _lower(label)
    except UnicodeError:
        is_exact = False
    if not is_exact:
        # The codec would take “ß” for “ss” and wide letters for plain ones, which may be somebody else's domain.
        raise UsageError(
            f"The part “{shorten(label)}” of the e-mail's domain is not in the form of the domain name system. Type it "
            "in lower case, or as it is written there, beginning with xn--."
        )
    return encoded.decode("ascii")


def _lower(text: str) -> str:
    return "".join(letter.lower() if letter.isascii() else letter for letter in text)


TOKEN_BYTES = 32
"""256 bits, which nobody guesses."""


def new_token() -> str:
    """A token that nobody has had, as text that fits URLs and headers."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def token_digest(token: str) -> str:
    """What is stored of a token: it is random, so a plain digest cannot be turned back.

    >>> token_digest("a") == token_digest("a"), len(token_digest("a"))
    (True, 64)
    """
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


SHORTEST, LONGEST = 12, 1_024
"""Code points of a password. Length is what resists guessing; signs and digits are not demanded."""
TYPED_PASSWORD_LIMIT = 4 * LONGEST
"""Characters of a typed password that are normalised, which may leave fewer: more are no password."""
SLOTS = BoundedSemaphore(2)
"""Each hash takes 64 MiB and a processor for a moment: sign-ins beyond two at a time wait."""
SLOT_SECONDS = 10.0
BUSY = "Too many people are signing in at this moment. Try again in a few seconds."


class SignInBusy(WorkbenchError):
    """A password was not looked at, because too many others are."""


COMMON = re.compile(
    r"(?:password|passwort|passwd|passw0rd|qwerty|qwertz|azerty|asdfgh|letmein|welcome|admin|abc|iloveyou|monkey|dragon"
    r"|football|baseball|sunshine|princess|master|login|secret|changeme|trustno|user|test|guest|root|[\W\d_])+"
)
"""Nothing but the words that lists of leaked passwords begin with, digits and signs."""
LEAST_DIFFERENT = 5
"""Different characters of a password."""
ROWS = (
    "abcdefghijklmnopqrstuvwxyz",
    "qwertyuiopasdfghjklzxcvbnm",
    "qwertzuiopasdfghjklyxcvbnm",
    "01234567890123456789",
)


def _weakness(password: str, name: str) -> str:
    """Why a password would be among the first guesses, "" where it would not."""
    text = _normal(password).casefold()
    rest = text.replace(folded(name), "") if len(folded(name)) > 2 else text
    if len(set(text)) < LEAST_DIFFERENT:
        return f"has fewer than {LEAST_DIFFERENT} different characters"
    if any(text in row * 2 or text[::-1] in row * 2 for row in ROWS):
        return "is a sequence of the alphabet or the keyboard"
    if rest != text and len(rest) < SHORTEST:
        return "is little more than the account's name"
    return "is made of words and digits that are guessed first" if COMMON.fullmatch(rest) else ""


def check_password(password: str, name: str = "") -> None:
    """Raises UsageError for a password that is too short, too long or easily guessed; the message does not quote it.

    `name`: the account's.
    """
    length = len(_normal(password)) if len(password) <= TYPED_PASSWORD_LIMIT else len(password)
    if not SHORTEST <= length <= LONGEST:
        raise UsageError(
            f"This password has {length:,} characters; {SHORTEST} to {LONGEST:,} are allowed. Type a longer one, such "
            "as five words that do not belong together."
            if length < SHORTEST
            else f"This password has {length:,} characters; {SHORTEST} to {LONGEST:,} are allowed. Type a shorter one."
        )
    if weakness := _weakness(password, name):
        raise UsageError(f"This password {weakness}. Type another, such as five words that do not belong together.")


def hash_password(password: str, name: str = "") -> str:
    """The hash to store, with its parameters and a salt.

    Raises UsageError as `check_password` does, SignInBusy where too many wait.
    """
    check_password(password, name)
    with _slot():
        return password_hasher().hash(_normal(password))


def fits(password: str, stored: str | None) -> bool:
    """Whether a password is the one of a stored hash. Without one (None) the same work is done, in vain.

    So the time it takes does not say whether an account exists. Raises SignInBusy where too many wait, MissingError
    without the package.
    """
    hasher = password_hasher()
    from argon2.exceptions import InvalidHashError, VerificationError

    normal = _normal(password) if len(password) <= TYPED_PASSWORD_LIMIT else password
    if len(normal) > LONGEST:
        normal, stored = "", None
    with _slot():
        try:
            return hasher.verify(stored or _nobodys_hash(hasher), normal) and stored is not None
        except (VerificationError, InvalidHashError):
            return False


def is_outdated(stored: str) -> bool:
    """Whether a stored hash has weaker parameters than new ones get, so that it is replaced at the next sign-in."""
    return password_hasher().check_needs_rehash(stored)


@contextmanager
def _slot() -> Iterator[None]:
    """A turn at hashing; those who wait too long get a sentence, so that a flood does not hold every thread."""
    if not SLOTS.acquire(timeout=SLOT_SECONDS):
        raise SignInBusy(BUSY)
    try:
        yield
    finally:
        SLOTS.release()


@cache
def password_hasher() -> PasswordHasher:
    """What hashes passwords and checks them. Raises MissingError without the package."""
    try:
        from argon2 import PasswordHasher
    except ImportError:
        raise MissingError("Passwords need the package argon2-cffi. Type: pip install 'mrag-workbench[team]'") from None
    return PasswordHasher()


@cache
def _nobodys_hash(hasher: PasswordHasher) -> str:
    """A hash of what nobody knows."""
    return hasher.hash(new_token())


def _normal(password: str) -> str:
    """The password as it is hashed: keyboards write the same letter in several ways."""
    return unicodedata.normalize("NFKC", password)


FREE_FAILURES = 5
LONGEST_WAIT = 60.0
REMEMBERED = 86_400.0
"""Seconds after its last attempt that a name's failures are forgotten."""
SIGN_IN, CHANGE = "", "change\n"
"""What an attempt is for: each counts its own failures. No name has a line break."""
WRONG = "The name or the password is wrong, or the account is disabled. Try again, or ask an admin for a new password."


class SignInFailed(WorkbenchError):
    """A person was not signed in; the message says no more than a stranger may know."""


def check_credentials(
    engine: Engine, name: str, password: str, clock: Callable[[], float] = time.time, *, purpose: str = SIGN_IN
) -> tuple[Account, str]:
    """The account of a name and its password, and the stored hash that the password fits.

    The hash lets who acts upon it check, in their own transaction, that the password is still the same. Raises
    SignInFailed for any other name or password and while failures slow it down, SignInBusy where too many wait.
    """
    attempt = token_digest(purpose + folded(name))
    _count_attempt(engine, attempt, clock())
    with engine.connect() as connection:
        row = connection.execute(select(accounts).where(accounts.c.folded == folded(name))).first()
    stored: str | None = None if row is None else row.password_hash
    is_right = fits(password, stored)
    if row is None or stored is None or not is_right or row.disabled:
        raise SignInFailed(WRONG)
    with alone(engine) as connection:
        connection.execute(delete(sign_in_failures).where(sign_in_failures.c.digest == attempt))
    return account_of(row), _renewed(engine, row.id, password, stored) if is_outdated(stored) else stored


def wait_after(failures: int) -> float:
    """Seconds to wait after a number of failures in a row.

    >>> [wait_after(count) for count in (4, 5, 6, 8, 20)]
    [0.0, 1.0, 2.0, 8.0, 60.0]
    """
    return 0.0 if failures < FREE_FAILURES else min(LONGEST_WAIT, 2.0 ** min(failures - FREE_FAILURES, 20))


def _renewed(engine: Engine, number: int, password: str, stored: str) -> str:
    """Replaces an outdated hash, unless the password was changed meanwhile; returns the hash that it fits."""
    try:
        secret = hash_password(password)
    except UsageError:  # a password of former times may be too short
        return stored
    is_same = (accounts.c.id == number, accounts.c.password_hash == stored)
    with alone(engine) as connection:
        changed = connection.execute(update(accounts).where(*is_same).values(password_hash=secret)).rowcount
    return secret if changed else stored


def _count_attempt(engine: Engine, digest: str, now: float) -> None:
    """Counts an attempt as a failure until it has succeeded. Raises SignInFailed where it comes too early."""
    f = sign_in_failures.c
    with alone(engine) as connection:
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("LOCK TABLE sign_in_failures IN SHARE ROW EXCLUSIVE MODE")
        connection.execute(delete(sign_in_failures).where(f.last < now - REMEMBERED))
        row = connection.execute(select(f.count, f.last).where(f.digest == digest)).first()
        if row is None:
            connection.execute(insert(sign_in_failures).values(digest=digest, count=1, last=now))
            return
        wait = wait_after(row[0])
        # Never longer than the wait. An attempt in the future is one before the clock was set back: it counts as over.
        left = 0.0 if row[1] > now + LONGEST_WAIT else min(row[1] + wait - now, wait)
        if left > 0:
            raise SignInFailed(f"Too many failed attempts with this name. Try again in {math.ceil(left):,} seconds.")
        connection.execute(update(sign_in_failures).where(f.digest == digest).values(count=row[0] + 1, last=now))
