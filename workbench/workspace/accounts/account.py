"""One account as a value, and how its name is looked up."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row

from workbench.core import UsageError, shorten
from workbench.workspace.permissions.verbs import Role

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
