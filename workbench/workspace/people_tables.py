"""The tables of people: accounts, their sessions and keys, failures to sign in, and the audit.

Tokens, keys and the names that failed are stored as digests only, passwords as Argon2 hashes. Rows of the audit name
people by text: they outlive the accounts.
"""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Float, Integer, String, Table, Text

from workbench.workspace.tables import metadata

accounts = Table(
    "accounts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(80), nullable=False),
    Column("folded", String(240), nullable=False, unique=True),
    Column("email", String(254), unique=True),
    Column("role", String(20), nullable=False),
    Column("password_hash", Text),
    Column("disabled", Boolean, nullable=False),
    Column("created", Float, nullable=False),
    sqlite_autoincrement=True,
)
"""Numbers of removed accounts are not used again. `folded`: the name without the difference of cases, by which it is
looked up. `email`: of a person who signs in with a provider, as `folded_email` writes it. `password_hash`: NULL where
they have no password here."""

sessions = Table(
    "sessions",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("account", Integer, nullable=False, index=True),
    Column("began", Float, nullable=False),
    Column("seen", Float, nullable=False),
)

account_keys = Table(
    "account_keys",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("digest", String(64), nullable=False, unique=True),
    Column("account", Integer, nullable=False, index=True),
    Column("note", String(80), nullable=False),
    Column("created", Float, nullable=False),
)

sign_in_failures = Table(
    "sign_in_failures",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("count", Integer, nullable=False),
    Column("last", Float, nullable=False),
)
"""How often sign-in failed in a row under a name, by the name's digest: what was typed may have been a password."""

audit_entries = Table(
    "audit",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("time", Float, nullable=False, index=True),
    Column("person", String(80), nullable=False, index=True),
    Column("verb", String(40), nullable=False, index=True),
    Column("subject", Text, nullable=False),
    Column("place", String(20), nullable=False),
)
"""`place`: screen, api or command line. Rows are added and never changed."""
