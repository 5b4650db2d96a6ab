"""How fast people label, from what the database has anyway: the times of their saves and completions.

The time of an item is from the person's completion of the one before to its own, whatever they did meanwhile.  A time
of more than ten minutes is a pause and says nothing of the item, so it is left out and counted.  The first item of a
person has no time, since nobody knows when they began.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from workbench.annotation.queue import current_labels
from workbench.experiments import ResultStore
from workbench.workspace import annotation_tables as t

if TYPE_CHECKING:
    from pandas import DataFrame

PAUSE = 10 * 60.0
"""Seconds above which the time between two completions is a pause."""


@dataclass(frozen=True, slots=True)
class AnnotatorPace:
    """What a person has done in a language of a queue, "" for all languages together.

    `labels` counts those that they give now, `items` the answers that they completed; second showings are in neither.
    `seconds` is the median time of a showing over `timed` of them, None where there is none; `pauses` were left out.
    `last_active`: when they last saved, took back or completed something, in seconds since 1970.
    """

    annotator: str
    language: str
    labels: int
    items: int
    seconds: float | None
    timed: int
    pauses: int
    last_active: float


class _Work:
    """What a person did in a language, as it is counted."""

    def __init__(self) -> None:
        self.labels = 0
        self.items = 0
        self.times: list[float] = []
        self.last_active = 0.0

    def row(self, annotator: str, language: str) -> AnnotatorPace:
        """The counts as a row."""
        timed = [seconds for seconds in self.times if seconds <= PAUSE]
        median = statistics.median(timed) if timed else None
        pauses = len(self.times) - len(timed)
        return AnnotatorPace(annotator, language, self.labels, self.items, median, len(timed), pauses, self.last_active)


def paces(store: ResultStore, queue_id: str) -> tuple[AnnotatorPace, ...]:
    """The people of a queue by name; each with a row for all languages, then one for each language they worked in."""
    i, label, p = t.items.c, t.labels.c, t.places.c
    work: defaultdict[tuple[str, str], _Work] = defaultdict(_Work)
    with store.engine.connect() as connection:
        numbers = connection.execute(select(i.number, i.language).where(i.queue == queue_id))
        languages = {row.number: row.language for row in numbers}
        last = select(label.number, label.annotator, func.max(label.saved), func.max(label.undone))
        for number, person, *moments in connection.execute(
            last.where(label.queue == queue_id).group_by(label.number, label.annotator)
        ):
            for cell in _cells(work, person, languages[number]):
                cell.last_active = max(cell.last_active, *(moment or 0.0 for moment in moments))
        for record in current_labels(connection, queue_id, label.showing == 1):
            for cell in _cells(work, record.annotator, languages[record.number]):
                cell.labels += len(record.labels)
        before: dict[str, float] = {}
        complete = select(p.number, p.annotator, p.completed, p.showing).where(p.queue == queue_id, p.complete)
        for number, person, completed, showing in connection.execute(complete.order_by(p.completed, p.id)):
            for cell in _cells(work, person, languages[number]):
                cell.items += showing == 1
                cell.last_active = max(cell.last_active, completed)
                if person in before:
                    cell.times.append(completed - before[person])
            before[person] = completed
    return tuple(work[key].row(*key) for key in sorted(work))


def _cells(work: defaultdict[tuple[str, str], _Work], person: str, language: str) -> tuple[_Work, _Work]:
    return work[person, ""], work[person, language]


def pace_frame(rows: Sequence[AnnotatorPace]) -> DataFrame:
    """The rows as a file has them: the times in seconds, the last activity in UTC."""
    from pandas import DataFrame

    return DataFrame(
        [
            {
                "annotator": row.annotator,
                "language": row.language or "all",
                "labels": row.labels,
                "items": row.items,
                "median_seconds": row.seconds,
                "timed": row.timed,
                "pauses_left_out": row.pauses,
                "last_active": datetime.fromtimestamp(row.last_active, UTC).isoformat(timespec="seconds"),
            }
            for row in rows
        ]
    )
