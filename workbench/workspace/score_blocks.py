"""The values of `scores` by column: what an interval or a test reads of a run is a few blocks, not a row per answer.

A block is written in one transaction with the rows that it repeats, so it is never out of step with them. It holds the
rows of one batch that have a value: the stored ids of their questions and the values, as little-endian 32-bit integers
and 64-bit floats.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from itertools import groupby
from operator import itemgetter
from struct import pack
from typing import Any

from sqlalchemy import Connection, RowMapping, insert, select

from workbench.workspace import result_tables as t

GROUP = ("metric", "run", "language")
"""What all scores of a block share."""
REPORTED = 100
"""After as many runs and metrics it is stated how far the packing is."""


def add_blocks(connection: Connection, scores: Iterable[Mapping[str, Any] | RowMapping]) -> None:
    """Stores rows of `scores`, which come in the table's own order, by column."""
    blocks = []
    for key, group in groupby((row for row in scores if row["value"] is not None), itemgetter(*GROUP)):
        rows = list(group)
        blocks.append(
            {
                **dict(zip(GROUP, key, strict=True)),
                "first": rows[0]["question"],
                "questions": pack(f"<{len(rows)}i", *(row["question"] for row in rows)),
                "values": pack(f"<{len(rows)}d", *(row["value"] for row in rows)),
            }
        )
    if blocks:
        connection.execute(insert(t.score_blocks), blocks)


def pack_scores(connection: Connection) -> None:
    """Stores all scores by column, for rows that have no blocks yet; states on the error output how far it is."""
    s, totals = t.scores.c, t.score_totals.c
    pairs = connection.execute(select(totals.metric, totals.run).distinct()).all()
    for done, (metric, run) in enumerate(pairs, start=1):
        statement = select(t.scores).where(s.metric == metric, s.run == run).order_by(s.language, s.question)
        add_blocks(connection, connection.execute(statement).mappings())
        if done % REPORTED == 0 or done == len(pairs):
            sys.stderr.write(f"Scores of earlier runs stored by column, once: {done:,} of {len(pairs):,}\n")
