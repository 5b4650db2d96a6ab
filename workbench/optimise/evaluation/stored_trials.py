"""The measurements of a search in the database: a batch of them is stored completely or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from sqlalchemy import Engine, func, insert, select

from workbench.optimise.evaluation.measurement import Measurement, Part, unpack_measurement
from workbench.pipeline import Recipe
from workbench.workspace import alone, tables as t


class StoredTrials:
    """Implements `recipe_evaluator.TrialLog` for one search."""

    def __init__(self, engine: Engine, search_id: str) -> None:
        self._engine, self._search_id = engine, search_id

    def load(self) -> Iterator[Measurement]:
        """Everything that was measured, in the order measured."""
        table = t.search_measurements
        statement = select(table.c.fingerprint, table.c.part, table.c.content)
        with self._engine.connect() as connection:
            rows = connection.execute(statement.where(table.c.search_id == self._search_id).order_by(table.c.id))
            for recipe, part, content in rows:
                yield unpack_measurement(recipe, cast(Part, part), content)

    def add(self, pieces: Sequence[Measurement], recipes: Mapping[str, Recipe]) -> None:
        """Stores measurements, and the recipes that are new, in one transaction."""
        measured = t.search_recipes
        rows = [
            {"search_id": self._search_id, "fingerprint": item.recipe, "part": item.part, "content": item.pack()}
            for item in pieces
        ]
        with alone(self._engine) as connection:
            here = measured.c.search_id == self._search_id
            known = set(connection.execute(select(measured.c.fingerprint).where(here)).scalars())
            count = connection.execute(select(func.count()).where(here)).scalar_one()
            new = [name for name in dict.fromkeys(item.recipe for item in pieces) if name not in known]
            if new:
                connection.execute(
                    insert(measured),
                    [
                        {
                            "search_id": self._search_id,
                            "fingerprint": name,
                            "number": count + number,
                            "recipe": recipes[name].model_dump_json(),
                        }
                        for number, name in enumerate(new)
                    ],
                )
            connection.execute(insert(t.search_measurements), rows)
