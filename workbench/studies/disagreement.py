"""The answers over which two metrics are furthest apart: where one of them may be wrong."""

from __future__ import annotations

import numpy as np
from sqlalchemy import Engine

from workbench.metrics.scale import scale_of
from workbench.studies import values
from workbench.studies.correlation import read_every
from workbench.studies.filters import Filter
from workbench.studies.instances import Instance, instances_of


def furthest_apart(
    engine: Engine, chosen: Filter, first: str, second: str, *, start: int, limit: int
) -> tuple[int, list[Instance]]:
    """How many answers one metric finds better than the other does, and a page of them, the widest apart first.

    Values count as what they are between the worst and the best that their metric can give.

    Of very many answers those to every m-th question are read, as for the correlation. Raises UsageError for a metric
    that nothing was scored by.
    """
    every = read_every(engine, chosen, first)
    columns = [values.by_answer(engine, chosen, name, every) for name in (first, second)]
    keys, one, other = values.common(*columns)
    apart = np.abs(scale_of(first).goodness(one) - scale_of(second).goodness(other))
    order = np.argsort(-apart, kind="stable")[: int(np.count_nonzero(apart))]
    cells = [divmod(int(key), values.BEYOND) for key in keys[order[start : start + limit]]]
    return int(order.size), instances_of(engine, cells)
