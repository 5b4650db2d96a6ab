"""How far two metrics agree over the answers that both scored: Pearson's r, summed up in SQL.

Where there are many answers, every m-th question is taken, so that some 100,000 pairs are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt

from sqlalchemy import Connection, Engine, and_, func, select

from workbench.storage import study_tables as t
from workbench.studies.filters import Filter, score_conditions

ENOUGH = 100_000


@dataclass(frozen=True, slots=True)
class Agreement:
    """`r` from -1 to 1, None where one of the two does not vary, over `n` answers."""

    first: str
    second: str
    r: float | None
    n: int


def agreement(engine: Engine, chosen: Filter, names: Sequence[str]) -> list[Agreement]:
    """Every two of the metrics `names`, each pair once."""
    with engine.connect() as connection:
        asked = select(t.metrics.c.name, t.metrics.c.id).where(t.metrics.c.name.in_(names))
        ids = {name: number for name, number in connection.execute(asked)}  # noqa: C416 - a result has `keys`
        step = _step(connection, chosen, ids[names[0]]) if names and names[0] in ids else 1
        return [
            _pair(connection, chosen, (one, ids[one]), (other, ids[other]), step)
            for one, other in combinations([name for name in names if name in ids], 2)
        ]


def _step(connection: Connection, chosen: Filter, metric: int) -> int:
    count = select(func.count()).select_from(t.scores).where(t.scores.c.metric == metric, *score_conditions(chosen))
    return max(1, int(connection.execute(count).scalar_one()) // ENOUGH)


def _pair(
    connection: Connection, chosen: Filter, first: tuple[str, int], second: tuple[str, int], step: int
) -> Agreement:
    one, other = t.scores, t.scores.alias()
    x, y = one.c.value, other.c.value
    same = and_(
        other.c.metric == second[1],
        other.c.run == one.c.run,
        other.c.language == one.c.language,
        other.c.question == one.c.question,
    )
    asked = (
        select(func.count(), func.sum(x), func.sum(y), func.sum(x * x), func.sum(y * y), func.sum(x * y))
        .select_from(one.join(other, same))
        .where(one.c.metric == first[1], x.is_not(None), y.is_not(None), *score_conditions(chosen))
    )
    if step > 1:
        asked = asked.where(one.c.question % step == 0)
    n, sx, sy, sxx, syy, sxy = connection.execute(asked).one()
    if not n:
        return Agreement(first[0], second[0], None, 0)
    spread = sqrt(max(sxx - sx * sx / n, 0.0)) * sqrt(max(syy - sy * sy / n, 0.0))
    r = (sxy - sx * sy / n) / spread if spread > 1e-9 else None
    return Agreement(first[0], second[0], None if r is None else max(-1.0, min(1.0, r)), int(n))
