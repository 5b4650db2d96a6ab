"""The migrations of the result tables. A migration that has landed is never edited.

They create tables as these are now: in a new database a later migration finds its work done.
"""

from __future__ import annotations

from sqlalchemy import Connection, Integer, case, column, func, insert, inspect, select, table

from workbench.workspace.batches import batched
from workbench.workspace.result_tables import (
    answer_totals,
    answers,
    batches,
    experiments,
    score_totals,
    scores,
    studies,
)

PHASES = ("translate question", "retrieve", "rerank", "perturb", "translate passages", "detect language")
"""The phases as they were numbered until they were stored by name."""
ROWS_AT_ONCE = 5_000


def create_studies(connection: Connection) -> None:
    """Creates the result tables."""
    studies.create_all(connection)


def create_totals(connection: Connection) -> None:
    """Creates the totals, and adds up the results that were written before there were any."""
    for totals in (answer_totals, score_totals):
        totals.create(connection, checkfirst=True)
    count_totals(connection)


def count_totals(connection: Connection) -> None:
    """Adds up all answers and scores. Only while there are no totals: for rows that came without them."""
    a, s = answers.c, scores.c
    answered = case((a.failed, 0), else_=1)
    of_answers = select(
        a.run,
        a.language,
        func.sum(answered),
        func.sum(1 - answered),
        func.sum(a.seconds * answered),
        func.coalesce(func.sum(a.prompt_tokens), 0),
        func.coalesce(func.sum(a.completion_tokens), 0),
    ).group_by(a.run, a.language)
    of_scores = select(
        s.metric,
        s.run,
        s.language,
        func.count(),
        func.count(s.value),
        func.coalesce(func.sum(s.value), 0.0),
        func.coalesce(func.sum(s.value * s.value), 0.0),
    ).group_by(s.metric, s.run, s.language)
    connection.execute(insert(answer_totals).from_select(list(answer_totals.columns.keys()), of_answers))
    connection.execute(insert(score_totals).from_select(list(score_totals.columns.keys()), of_scores))


def name_phases(connection: Connection) -> None:
    """Replaces the number of a batch's phase by the name of the stage that ends it."""
    types = {item["name"]: item["type"] for item in inspect(connection).get_columns(batches.name)}
    if not isinstance(types["phase"], Integer):
        return
    old = table("batches", column("experiment"), column("phase"), column("batch"))
    statement = select(old, experiments.c.kind).join(experiments, experiments.c.id == old.c.experiment)
    numbered = connection.execute(statement).all()
    batches.drop(connection)
    batches.create(connection)
    rows = (
        {"experiment_id": row.experiment, "phase": _phase(row.kind, row.phase), "batch": row.batch} for row in numbered
    )
    for some in batched(rows, ROWS_AT_ONCE):
        connection.execute(insert(batches), some)


def _phase(kind: str, number: int) -> str:
    # Imported predictions had a single phase, which ended where that of an experiment's answers does.
    return PHASES[-1 if kind == "predictions" else number]
