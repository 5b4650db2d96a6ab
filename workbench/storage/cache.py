"""Step results by fingerprint: what a stage once gave for the same input, it need not give again.

Failures are never stored. Outputs are bytes of JSON; whoever stores them knows their shape.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Engine, delete, func, select
from sqlalchemy.dialects import postgresql, sqlite

from workbench.storage.batched import batched
from workbench.storage.schema import steps

KEYS_A_QUERY = 500


class StepCache:
    """A cache in the workspace's database. Safe to share between threads and processes."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def get(self, keys: Sequence[str]) -> dict[str, bytes]:
        """The outputs that are known, by key."""
        found: dict[str, bytes] = {}
        with self._engine.connect() as connection:
            for some in batched(keys, KEYS_A_QUERY):
                rows = connection.execute(select(steps.c.key, steps.c.output).where(steps.c.key.in_(some)))
                found.update((key, zlib.decompress(output)) for key, output in rows)
        return found

    def put(self, stage: str, outputs: Mapping[str, bytes]) -> None:
        """Stores outputs in one transaction; a key that another process stored meanwhile is left as it is."""
        if not outputs:
            return
        now = time.time()
        rows = [
            {"key": key, "stage": stage, "output": zlib.compress(output, 1), "made": now}
            for key, output in outputs.items()
        ]
        dialect = sqlite if self._engine.dialect.name == "sqlite" else postgresql
        with self._engine.begin() as connection:
            connection.execute(dialect.insert(steps).on_conflict_do_nothing(), rows)

    def count(self) -> int:
        """How many step results are stored."""
        with self._engine.connect() as connection:
            return int(connection.execute(select(func.count()).select_from(steps)).scalar_one())

    def forget(self, stages: Iterable[str] = ()) -> None:
        """Drops the results of some stages, or of all."""
        chosen = tuple(stages)
        with self._engine.begin() as connection:
            connection.execute(delete(steps).where(steps.c.stage.in_(chosen)) if chosen else delete(steps))
