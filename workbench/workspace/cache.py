"""Outputs of steps by key: what a stage once computed for an input, it need not compute again.

Failures are never stored. Outputs are bytes of JSON; their shape is up to those who store them. A damaged output is
dropped, so that it is computed again.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import Engine, delete, func, select

from workbench.workspace.database import rows_of, writing
from workbench.workspace.tables import steps

Item = TypeVar("Item")


def batched(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """`items` in lists of `size`, the last one shorter.

    >>> list(batched(range(5), 2))
    [[0, 1], [2, 3], [4]]
    """
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


KEYS_PER_QUERY = 500


class StepCache:
    """A cache in a workspace's database. Safe to share between threads and processes."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def get(self, keys: Sequence[str]) -> dict[str, bytes]:
        """The outputs of those `keys` that are stored and undamaged, by key."""
        outputs: dict[str, bytes] = {}
        damaged: list[str] = []
        for key, output in self._read("output", keys):
            try:
                outputs[key] = zlib.decompress(output)
            except (zlib.error, TypeError):
                damaged.append(key)
        self.drop(damaged)
        return outputs

    def stored(self, keys: Collection[str]) -> dict[str, float]:
        """When each of those `keys` that are stored was stored, in seconds since 1970; the outputs are not read."""
        return dict(self._read("made", keys))

    def _read(self, column: str, keys: Collection[str]) -> Iterator[Any]:
        mark = "?" if self._engine.dialect.paramstyle == "qmark" else "%s"
        for batch in batched(keys, KEYS_PER_QUERY):
            query = f"SELECT key, {column} FROM {steps.name} WHERE key IN ({','.join([mark] * len(batch))})"  # noqa: S608
            yield from rows_of(self._engine, query, tuple(batch))

    def put(self, stage: str, outputs: Mapping[str, bytes], corpus: str = "") -> None:
        """Stores a stage's outputs in one transaction; one that another process has stored meanwhile stays as it is.

        `corpus` is the name of the one that was searched.
        """
        if not outputs:
            return
        now = time.time()
        rows = [
            {"key": key, "stage": stage, "output": zlib.compress(output, 1), "made": now, "corpus": corpus}
            for key, output in outputs.items()
        ]
        # Imported when needed: PostgreSQL's dialect takes as long as all of its drivers.
        dialect = import_module(f"sqlalchemy.dialects.{self._engine.dialect.name}")
        with writing(self._engine) as connection:
            connection.execute(dialect.insert(steps).on_conflict_do_nothing(), rows)

    def drop(self, keys: Sequence[str]) -> None:
        """Drops the outputs of `keys`."""
        if not keys:
            return
        with writing(self._engine) as connection:
            for batch in batched(keys, KEYS_PER_QUERY):
                connection.execute(delete(steps).where(steps.c.key.in_(batch)))

    def drop_corpus(self, names: Sequence[str]) -> int:
        """Drops the outputs over the corpus with these names, present and former; returns how many."""
        with writing(self._engine) as connection:
            return int(connection.execute(delete(steps).where(steps.c.corpus.in_(names))).rowcount)

    def count(self) -> int:
        """How many outputs are stored, of all stages."""
        with self._engine.connect() as connection:
            return int(connection.execute(select(func.count()).select_from(steps)).scalar_one())

    def forget(self, stages: Iterable[str] = ()) -> None:
        """Drops the outputs of the stages with these names, of all stages where none is named."""
        names = tuple(stages)
        with writing(self._engine) as connection:
            connection.execute(delete(steps).where(steps.c.stage.in_(names)) if names else delete(steps))
