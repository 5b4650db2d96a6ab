"""The tables of blind votes: ballots over two runs, their items, the votes, and who has seen the results.

Votes are work by hand, so an item is a copy of question and answers, and it outlives the experiment that it came from.
A vote that was taken back stays as a row.
"""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Float, ForeignKey, Index, Integer, String, Table, Text, text

from workbench.workspace.tables import metadata

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
    Index(
        "one_vote_each", "ballot", "number", "voter", unique=True,
        sqlite_where=text("undone IS NULL"), postgresql_where=text("undone IS NULL"),
    ),
)  # fmt: skip
"""`choice`: first, second, tie or both_bad. `first_is_a`: whether the first run's answer was shown as A."""

reveals = Table(
    "vote_reveals",
    metadata,
    Column("ballot", String(12), primary_key=True),
    Column("voter", String(80), primary_key=True),
    Column("seen", Float, nullable=False),
)
"""When a person first saw which run is which: their votes after that are not blind."""
