"""The tables of written questions: sets of drafts, and each draft with the passage that it was written from.

A draft has a copy of its passage, because the corpus may change, and what a person accepted must stay checkable.
"""

from __future__ import annotations

from sqlalchemy import Column, Float, ForeignKey, Index, Integer, String, Table, Text

from workbench.workspace.tables import metadata

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
