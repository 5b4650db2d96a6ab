"""The tables of annotation: taxonomies as they were used, queues, their items, who has which item, and labels.

Labels are work by hand, so nothing here refers to the rows of results: an item is a copy of the answer, and it outlives
the experiment that it came from. A label that was changed or undone stays as a row.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
)

from workbench.workspace.tables import metadata

taxonomy_versions = Table(
    "annotation_taxonomies",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("definition", Text, nullable=False),
)
"""`definition`: the complete taxonomy as canonical JSON."""

queues = Table(
    "annotation_queues",
    metadata,
    Column("id", String(12), primary_key=True),
    Column("name", String(80), nullable=False, unique=True),
    Column("taxonomy", String(64), nullable=False),
    Column("version", Integer, nullable=False),
    Column("runs", Text, nullable=False),
    Column("per_language", Integer, nullable=False),
    Column("seed", Integer, nullable=False),
    Column("annotators_per_item", Integer, nullable=False),
    Column("twice_share", Float, nullable=False),
    Column("created", Float, nullable=False),
)
"""`runs`: JSON list of "experiment id/run number"."""

items = Table(
    "annotation_items",
    metadata,
    Column("queue", String(12), ForeignKey("annotation_queues.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("instance_key", Text, nullable=False),
    Column("language", String(16), nullable=False),
    Column("experiment_id", String(12), nullable=False),
    Column("run_number", Integer, nullable=False),
    Column("dataset", String(64), nullable=False),
    Column("question_name", Text, nullable=False),
    Column("fingerprint", String(16), nullable=False),
    Column("question", Text, nullable=False),
    Column("answer", Text, nullable=False),
    UniqueConstraint("queue", "instance_key"),
)

part_texts = Table(
    "annotation_part_texts",
    metadata,
    Column("queue", String(12), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("part", String(200), primary_key=True),
    Column("text", Text, nullable=False),
)
"""The NFC texts of passages that spans were marked in, since a corpus may change."""

places = Table(
    "annotation_places",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("queue", String(12), nullable=False),
    Column("number", Integer, nullable=False),
    Column("annotator", String(80), nullable=False),
    Column("showing", Integer, nullable=False),
    Column("expires", Float),
    Column("complete", Boolean, nullable=False),
    Column("completed", Float),
    Column("skipped", Float),
    UniqueConstraint("queue", "number", "annotator", "showing"),
    Index("places_by_person", "queue", "annotator", "id"),
)
"""Who has which item. `expires`: when the reservation lapses, NULL once something was saved: then it never does.
`skipped`: when the person put the item off."""

labels = Table(
    "annotation_labels",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("queue", String(12), nullable=False),
    Column("number", Integer, nullable=False),
    Column("annotator", String(80), nullable=False),
    Column("showing", Integer, nullable=False),
    Column("part", String(200), nullable=False),
    Column("labels", Text, nullable=False),
    Column("comment", Text, nullable=False),
    Column("spans", Text, nullable=False),
    Column("taxonomy", String(64), nullable=False),
    Column("version", Integer, nullable=False),
    Column("saved", Float, nullable=False),
    Column("undone", Float),
    Column("translated", Boolean, nullable=False, server_default=false()),
    Index("labels_by_place", "queue", "annotator", "number", "showing", "part", "id"),
)
"""Everything ever saved. The current label of a part is the last row that is not undone. `labels`, `spans`: JSON.
`translated`: whether an English translation was shown next to the original when it was saved."""

adjudications = Table(
    "annotation_adjudications",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("queue", String(12), nullable=False),
    Column("number", Integer, nullable=False),
    Column("part", String(200), nullable=False),
    Column("labels", Text, nullable=False),
    Column("reason", String(16), nullable=False),
    Column("note", Text, nullable=False),
    Column("adjudicator", String(80), nullable=False),
    Column("taxonomy", String(64), nullable=False),
    Column("version", Integer, nullable=False),
    Column("saved", Float, nullable=False),
    Index("adjudications_by_part", "queue", "number", "part", "id"),
)
"""Every decision on a part that people disagreed on; the last row of a part counts. `labels`: JSON."""
