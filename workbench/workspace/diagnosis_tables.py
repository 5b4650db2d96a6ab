"""The table of diagnosis: what the rules proposed for an answer. Labels that people give are in `annotation_tables`.

A proposal names its answer by what stays when an experiment is stored again, and holds a digest of the text: for
another text it no longer counts.
"""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Float, Index, Integer, String, Table, Text, UniqueConstraint

from workbench.workspace.tables import metadata

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
