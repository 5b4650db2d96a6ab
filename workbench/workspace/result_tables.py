"""The tables of experiments: their specification, their runs and their results.

A cell is one question under one run; its answer is a row of `answers`, and each metric's value a row of `scores`, a
narrow table in the order in which it is read (metric, run, language), so that a leaderboard streams through it.
`scores.value` is NULL for an unscored answer, and `reason` says why.
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
    String,
    Table,
    Text,
    UniqueConstraint,
)

from workbench.workspace.tables import metadata

LONG = BigInteger().with_variant(Integer, "sqlite")
"""Integers beyond 2**31, which all of SQLite's may be."""

experiments = Table(
    "experiments",
    metadata,
    Column("id", String(12), primary_key=True),
    Column("name", Text, nullable=False),
    Column("kind", String(12), nullable=False),
    Column("spec", Text, nullable=False),
    Column("created", Float, nullable=False),
    Column("cells", Integer, nullable=False),
    Column("material", String(16), nullable=False),
)
"""`kind`: matrix, predictions, importing (predictions that are not all written) or pilot. `spec`: its YAML.
`material`: fingerprint of its questions and corpora."""

runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("experiment", String(12), ForeignKey("experiments.id"), nullable=False, key="experiment_id"),
    Column("number", Integer, nullable=False),
    Column("title", Text, nullable=False),
    Column("dataset", String(64), nullable=False),
    Column("corpus", String(64), nullable=False),
    Column("mode", String(16), nullable=False),
    Column("scope", String(8), nullable=False),
    Column("prompt", String(40), nullable=False),
    Column("model", Text, nullable=False),
    Column("k", Integer, nullable=False),
    Column("perturbation", String(16), nullable=False),
    Column("recipe", Text, nullable=False),
    Column("fingerprint", String(16), nullable=False),
    Column("corpus_version", String(16), nullable=False, default=""),
    UniqueConstraint("experiment_id", "number"),
)
"""`recipe` as JSON, "" for predictions from elsewhere. `corpus_version`: the fingerprint of the corpus searched, ""
where it is not known."""

questions = Table(
    "questions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("dataset", String(64), nullable=False),
    Column("language", String(16), nullable=False),
    Column("name", Text, nullable=False),
    Column("fingerprint", String(16), nullable=False),
    Column("text", Text, nullable=False),
    Column("answers", Text, nullable=False),
    Column("gold", Text, nullable=False),
    Column("evidence_in", String(16), nullable=False),
    UniqueConstraint("dataset", "language", "name", "fingerprint"),
)
"""Questions as they were when asked; `name` is the id within the dataset, `answers` and `gold` are JSON lists."""

mapped_golds = Table(
    "mapped_golds",
    metadata,
    Column("run", Integer, ForeignKey("runs.id"), primary_key=True, autoincrement=False),
    Column("question", Integer, ForeignKey("questions.id"), primary_key=True, autoincrement=False),
    Column("gold", Text, nullable=False),
    sqlite_with_rowid=False,
)
"""The gold passages of a question in the corpus that a run searched, where they are others than the question's: its
corpus was split anew. The question stays one row, so that its answers over all chunkings are paired."""

answers = Table(
    "answers",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("run", Integer, ForeignKey("runs.id"), nullable=False),
    Column("question", Integer, ForeignKey("questions.id"), nullable=False),
    Column("language", String(16), nullable=False),
    Column("failed", Boolean, nullable=False),
    Column("error", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("answer_language", String(16), nullable=False),
    Column("passages", Text, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("prompt_tokens", Integer),
    Column("completion_tokens", Integer),
    UniqueConstraint("run", "question"),
    Index("answers_by_run", "run", "language", "failed", "answer_language", "seconds"),
)
"""`passages`: JSON list of [id, language, score], best first. `seconds`: what the cell's steps took when they ran,
shared or not. `error`: why it failed, in a sentence."""

document_languages = Table(
    "document_languages",
    metadata,
    Column("run", Integer, ForeignKey("runs.id"), primary_key=True, autoincrement=False),
    Column("question", Integer, ForeignKey("questions.id"), primary_key=True, autoincrement=False),
    Column("language", String(16), primary_key=True),
    sqlite_with_rowid=False,
)
"""The languages of the documents that an answer was given: one row per answer and language."""

metrics = Table(
    "metrics",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(64), nullable=False, unique=True),
)

scores = Table(
    "scores",
    metadata,
    Column("metric", Integer, ForeignKey("metrics.id"), primary_key=True, autoincrement=False),
    Column("run", Integer, ForeignKey("runs.id"), primary_key=True, autoincrement=False),
    Column("language", String(16), primary_key=True),
    Column("question", Integer, ForeignKey("questions.id"), primary_key=True, autoincrement=False),
    Column("value", Float),
    Column("reason", Text),
    # A deletion on PostgreSQL looks for what refers to a row; on SQLite foreign keys are not checked.
    Index("scores_by_run", "run").ddl_if(dialect="postgresql"),
    sqlite_with_rowid=False,
)

score_blocks = Table(
    "score_blocks",
    metadata,
    Column("run", Integer, ForeignKey("runs.id"), primary_key=True, autoincrement=False),
    Column("metric", Integer, ForeignKey("metrics.id"), primary_key=True, autoincrement=False),
    Column("language", String(16), primary_key=True),
    Column("first", Integer, primary_key=True, autoincrement=False),
    Column("questions", LargeBinary, nullable=False),
    Column("values", LargeBinary, nullable=False),
)
"""The values of `scores` that are not NULL, by column (see `workspace.score_blocks`); `first` is the first question."""

flows = Table(
    "flows",
    metadata,
    Column("run", Integer, ForeignKey("runs.id"), primary_key=True, autoincrement=False),
    Column("language", String(16), primary_key=True),
    Column("document_language", String(16), primary_key=True),
    Column("answer_language", String(16), primary_key=True),
    Column("documents", Integer, nullable=False),
)
"""How many documents of each language were given to questions of a language, and the language of the answers; counted
as answers are written, so that a heatmap need not read a million lists of passages."""

answer_totals = Table(
    "answer_totals",
    metadata,
    Column("run", Integer, ForeignKey("runs.id"), primary_key=True, autoincrement=False),
    Column("language", String(16), primary_key=True),
    Column("answered", Integer, nullable=False),
    Column("failed", Integer, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("prompt_tokens", LONG, nullable=False),
    Column("completion_tokens", LONG, nullable=False),
)
"""What the rows of `answers` add up to; `seconds` are those of answers that did not fail."""

score_totals = Table(
    "score_totals",
    metadata,
    Column("metric", Integer, ForeignKey("metrics.id"), primary_key=True, autoincrement=False),
    Column("run", Integer, ForeignKey("runs.id"), primary_key=True, autoincrement=False),
    Column("language", String(16), primary_key=True),
    Column("cells", Integer, nullable=False),
    Column("n", Integer, nullable=False),
    Column("total", Float, nullable=False),
    Column("squares", Float, nullable=False),
    sqlite_with_rowid=False,
)
"""What the rows of `scores` add up to: rows, those with a value, its sum and the sum of its squares."""

batches = Table(
    "batches",
    metadata,
    Column("experiment", String(12), ForeignKey("experiments.id"), primary_key=True, key="experiment_id"),
    Column("phase", String(40), primary_key=True),
    Column("batch", Integer, primary_key=True, autoincrement=False),
)
"""Batches that are finished: written in one transaction with their results, so none is lost or done twice. `phase` is
the name of the stage that ends it."""
