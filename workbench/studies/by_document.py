"""Cells that were given a document in some language: what a mark of the language map leads to."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Engine, func, select

from workbench.languages import is_known
from workbench.storage import study_tables as t
from workbench.studies.filters import Filter, answer_conditions
from workbench.studies.instances import Instance, instances


def count_given(engine: Engine, chosen: Filter, code: str) -> int:
    """How many cells a filter lets through that were given a document in the language `code`."""
    asked = select(func.count()).select_from(t.answers).where(*answer_conditions(chosen), _given(code))
    with engine.connect() as connection:
        return int(connection.execute(asked).scalar_one())


def instances_given(engine: Engine, chosen: Filter, code: str, *, start: int, limit: int) -> list[Instance]:
    """A page of those cells, in the order in which they were written."""
    asked = (
        select(t.answers.c.id)
        .where(*answer_conditions(chosen), _given(code))
        .order_by(t.answers.c.id)
        .offset(start)
        .limit(limit)
    )
    with engine.connect() as connection:
        found = list(connection.execute(asked).scalars())
    return [item for number in found for item in instances(engine, chosen, limit=1, after=number - 1)]


def _given(code: str) -> ColumnElement[bool]:
    # Passages are stored as compact JSON: [["id","fi",0.5],…].  A code that is none finds nothing.
    wanted = code if is_known(code) else "?"
    return t.answers.c.passages.contains(f'","{wanted}",', autoescape=True)
