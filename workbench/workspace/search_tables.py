"""The tables of Optimise: searches, and what was measured in them. How a search's process stands is its job."""

from __future__ import annotations

from sqlalchemy import Column, Float, ForeignKey, Index, Integer, LargeBinary, String, Table, Text

from workbench.workspace.tables import metadata

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
"""A recipe's figures on a batch of questions; see `optimise.evaluation.measurement` for the content."""
