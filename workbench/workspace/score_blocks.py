"""The values of `scores` by column: what an interval or a test reads of a run is a few blocks, not a row per answer.

A block is written in one transaction with the rows that it repeats, so it is never out of step with them. It holds the
rows of one batch that have a value: the stored ids of their questions and the values, as little-endian 32-bit integers
and 64-bit floats.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from operator import itemgetter
from struct import pack
from typing import Any

from sqlalchemy import Connection, RowMapping, insert

from workbench.workspace import result_tables as t

GROUP = ("metric", "run", "language")
"""What all scores of a block share."""


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
