"""The tables of annotation: taxonomies, queues, labels and decisions; ballots and votes; causes that rules proposed.

Labels and votes are work by hand, so nothing here refers to the rows of results: an item is a copy of the answer, and
it outlives the experiment that it came from. What was changed or taken back stays as a row.

A proposal names its answer by what stays when an experiment is stored again, and holds a digest of the text: for
another text it no longer counts.
"""

from __future__ import annotations

from sqlalchemy import (
    DDL,
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
    event,
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


ballots = Table(
    "vote_ballots",
    metadata,
    Column("id", String(12), primary_key=True),
    Column("name", String(80), nullable=False, unique=True),
    Column("experiment_id", String(12), nullable=False),
    Column("dataset", String(64), nullable=False),
    Column("first_run", Integer, nullable=False),
    Column("second_run", Integer, nullable=False),
    Column("first_title", Text, nullable=False),
    Column("second_title", Text, nullable=False),
    Column("per_language", Integer, nullable=False),
    Column("seed", Integer, nullable=False),
    Column("same_answers", Integer, nullable=False),
    Column("created", Float, nullable=False),
)
"""`first_run`, `second_run`: the runs' numbers in their experiment. `same_answers`: questions that both runs answered
in the same words, about which nobody is asked."""

ballot_items = Table(
    "vote_items",
    metadata,
    Column("ballot", String(12), ForeignKey("vote_ballots.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("language", String(16), nullable=False),
    Column("question_name", Text, nullable=False),
    Column("question", Text, nullable=False),
    Column("first_answer", Text, nullable=False),
    Column("second_answer", Text, nullable=False),
)

votes = Table(
    "votes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("ballot", String(12), nullable=False),
    Column("number", Integer, nullable=False),
    Column("voter", String(80), nullable=False),
    Column("choice", String(12), nullable=False),
    Column("first_is_a", Boolean, nullable=False),
    Column("saved", Float, nullable=False),
    Column("undone", Float),
)
"""`choice`: first, second, tie or both_bad. `first_is_a`: whether the first run's answer was shown as A."""
event.listen(
    votes,
    "after_create",
    # Not an `Index`: its condition would import PostgreSQL's dialect, with all drivers, into every process.
    DDL("CREATE UNIQUE INDEX one_vote_each ON votes (ballot, number, voter) WHERE undone IS NULL"),  # type: ignore[no-untyped-call]
)

reveals = Table(
    "vote_reveals",
    metadata,
    Column("ballot", String(12), primary_key=True),
    Column("voter", String(80), primary_key=True),
    Column("seen", Float, nullable=False),
)
"""When a person first saw which run is which: their votes after that are not blind."""


proposals = Table(
    "diagnosis_proposals",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("experiment_id", String(12), nullable=False),
    Column("run_number", Integer, nullable=False),
    Column("dataset", String(64), nullable=False),
    Column("question_name", Text, nullable=False),
    Column("language", String(16), nullable=False),
    Column("fingerprint", String(16), nullable=False),
    Column("answer_digest", String(32), nullable=False),
    Column("rules", Integer, nullable=False),
    Column("thorough", Boolean, nullable=False),
    Column("label", String(64), nullable=False),
    Column("evidence", Text, nullable=False),
    Column("trials", Text, nullable=False),
    Column("saved", Float, nullable=False),
    UniqueConstraint("experiment_id", "run_number", "dataset", "question_name", "language"),
    Index("proposals_by_label", "label", "language"),
)
"""One row per answer, the last one. `label` is "" where nothing is proposed; `rules` is the version of the rules;
`thorough`: whether all counterfactuals were tried; `evidence` and `trials`: JSON."""
