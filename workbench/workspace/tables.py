"""The tables of the database: `metadata`, and those of people, jobs, drafts, searches and cached steps.

Tokens, keys and the names that failed to sign in are stored as digests only, passwords as Argon2 hashes. Rows of the
audit name people by text: they outlive the accounts. A draft of a question has a copy of its passage, because the
corpus may change, and what a person accepted must stay checkable. How the process of a search stands is its job.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)
from sqlalchemy.ext.compiler import compiles

metadata = MetaData()


@compiles(String, "postgresql")
def _unlimited(_kind: String, _compiler: object, **_options: object) -> str:
    """PostgreSQL refuses a text above its column's length, which SQLite stores; what one holds, the other must hold."""
    return "TEXT"


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


jobs = Table(
    "jobs",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("kind", String(24), nullable=False, index=True),
    Column("title", Text, nullable=False),
    Column("state", String(12), nullable=False),
    Column("stop", Boolean, nullable=False),
    Column("phase", Text, nullable=False),
    Column("done", BigInteger, nullable=False),
    Column("total", BigInteger, nullable=False),
    Column("created", Float, nullable=False),
    Column("started", Float, nullable=False),
    Column("heartbeat", Float, nullable=False),
    Column("ended", Float),
    Column("pid", Integer),
    Column("error", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("parameters", Text, nullable=False),
    Column("result", Text, nullable=False),
)
"""One row per job, however often it is resumed. A job that works on something stored has its id, as an experiment's.

`kind`: a name of `jobs.kinds`; `state`: one of `jobs.job.State`; `stop`: it shall stop. `done` of
`total` are finished in the present `phase`. `heartbeat`: when its process last wrote the row. `actor`: who started it.
`parameters`, `result`: JSON, as the kind has them."""


question_sets = Table(
    "question_sets",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("corpus", String(64), nullable=False),
    Column("corpus_version", Text, nullable=False),
    Column("generator", Text, nullable=False),
    Column("checker", Text, nullable=False),
    Column("languages", Text, nullable=False),
    Column("per_language", Integer, nullable=False),
    Column("seed", Integer, nullable=False),
    Column("wording_bound", Float, nullable=False),
    Column("created", Float, nullable=False),
)
"""`languages`: codes in order, separated by spaces."""

question_drafts = Table(
    "question_drafts",
    metadata,
    Column("set_name", String(64), ForeignKey("question_sets.name"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("passage", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("language", String(16), nullable=False),
    Column("status", String(16), nullable=False),
    Column("filter", String(24), nullable=False, default=""),
    Column("reason", Text, nullable=False, default=""),
    Column("question", Text, nullable=False, default=""),
    Column("answer", Text, nullable=False, default=""),
    Column("written_question", Text, nullable=False, default=""),
    Column("written_answer", Text, nullable=False, default=""),
    Column("reviewer", String(80), nullable=False, default=""),
    Column("reviewed", Float),
    Index("drafts_by_status", "set_name", "status"),
)
"""`question` and `answer` are what counts, `written_…` what the generator wrote; they differ where a person edited."""


demonstration_sets = Table(
    "demonstration_sets",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("corpus_version", Text, nullable=False),
    Column("request", Text, nullable=False),
    Column("created", Float, nullable=False),
)
"""`request`: JSON, a `DemonstrationRequest`."""

demonstration_drafts = Table(
    "demonstration_drafts",
    metadata,
    Column("set_name", String(64), ForeignKey("demonstration_sets.name"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("id", Text, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("dataset", Text, nullable=False),
    Column("group", Text, nullable=False),
    Column("language", String(16), nullable=False),
    Column("question", Text, nullable=False),
    Column("answers", Text, nullable=False),
    Column("scope", String(16), nullable=False),
    Column("k", Integer, nullable=False),
    Column("passages", Text, nullable=False),
    Column("prompt", Text, nullable=False),
    Column("status", String(16), nullable=False),
    Column("filter", String(24), nullable=False),
    Column("reason", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("written_text", Text, nullable=False),
    Column("reviewer", String(80), nullable=False),
    Column("reviewed", Float),
    Index("demonstrations_by_status", "set_name", "status"),
)
"""`answers`, `passages`, `prompt`: JSON. `passages` are the documents that were read, with their texts; `prompt` is of
an imported demonstration, [] where it is rendered from them. `text` counts, `written_text` is the generator's."""


searches = Table(
    "searches",
    metadata,
    Column("id", String(12), primary_key=True),
    Column("name", Text, nullable=False),
    Column("spec", Text, nullable=False),
    Column("options", Text, nullable=False),
    Column("material", String(16), nullable=False),
    Column("created", Float, nullable=False),
    Column("spent", Text, nullable=False),
    Column("outcome", Text, nullable=False),
)
"""`spec`: the space as YAML; `options`: JSON, the strategy, its budget and the cap; `material`: the fingerprint of its
questions and corpora; `spent`: JSON, what its processes spent so far; `outcome`: JSON, "" until it has ended."""

search_recipes = Table(
    "search_recipes",
    metadata,
    Column("search_id", String(12), ForeignKey("searches.id"), primary_key=True),
    Column("fingerprint", String(16), primary_key=True),
    Column("number", Integer, nullable=False),
    Column("recipe", Text, nullable=False),
)
"""The recipes that were measured, `number` in the order in which that began; `recipe` is JSON."""

search_measurements = Table(
    "search_measurements",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("search_id", String(12), ForeignKey("searches.id"), nullable=False),
    Column("fingerprint", String(16), nullable=False),
    Column("part", String(16), nullable=False),
    Column("content", LargeBinary, nullable=False),
    Index("measurements_by_search", "search_id", "id"),
)
"""A recipe's figures on a batch of questions; see `optimise.measurement` for the content."""


schema_version = Table("schema_version", metadata, Column("number", Integer, primary_key=True, autoincrement=False))

steps = Table(
    "steps",
    metadata,
    Column("key", String(32), primary_key=True),
    Column("stage", String(40), nullable=False, index=True),
    Column("output", LargeBinary, nullable=False),
    Column("made", Float, nullable=False),
    Column("corpus", String(64), nullable=False, index=True),
)
"""Cached outputs of steps: zlib-compressed JSON of what a stage added, by the fingerprint of all it depends on.

`corpus`: the name of the one that was searched, as the recipe has it; "" for none."""

saved_filters = Table(
    "saved_filters",
    metadata,
    Column("name", String(80), primary_key=True),
    Column("screen", String(20), primary_key=True),
    Column("query", Text, nullable=False),
    Column("saved", Float, nullable=False),
)
"""The filters of a screen that people gave a name. `query`: their part of the URL."""
