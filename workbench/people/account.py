"""One account as a value, and how its name is looked up."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row

from workbench.permissions.roles import Role


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
    """A name or address as it is looked up: without differences of case, width and outer white space."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
