"""Labels from a file into the queues of a workspace: all of its rows, or none.

A row fits only the very answer that it was given to, under a version of the taxonomy that was used here with the same
definitions. Of two different labels by one person on the same part, the later one stays.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, insert, select, update

from workbench.annotation.files.label_files import definition_fingerprint, read_rows
from workbench.annotation.files.label_format import PROBLEM, Row
from workbench.annotation.label_store import check_record
from workbench.annotation.queue import (
    AnnotationQueue,
    LabelRecord,
    QueueItem,
    checked_name,
    current_labels,
    stored_item,
    to_queue,
    to_row,
)
from workbench.annotation.queue_store import has_room, keep, lock, of_place
from workbench.annotation.text_spans import TextSpan
from workbench.core import DataError, UsageError, shorten
from workbench.experiments import ResultStore
from workbench.workspace import alone, annotation_tables as t, verb

Key = tuple[str, int, str, int, str]
"""Queue, item, person, showing and part: one label each."""
TIME_LIMIT = 32_503_680_000.0
"""The year 3000, in seconds since 1970."""
OFFSET_LIMIT = 1 << 31


@dataclass(frozen=True, slots=True)
class LabelImport:
    """What an import did: rows `added`, rows that were here already (`unchanged`), and rows that are `older`."""

    added: int
    unchanged: int
    older: int


class LabelFileError(DataError):
    """Rows of a file that cannot be imported: `rows` are pairs of a number, counted from 1, and a sentence."""

    def __init__(self, rows: Sequence[tuple[int, str]]) -> None:
        self.rows = tuple(rows)
        number, sentence = self.rows[0]
        more = f" {len(rows) - 1:,} more rows have errors." if len(rows) > 1 else ""
        super().__init__(f"Row {number}: {sentence}{more} Nothing was imported.")


@dataclass(frozen=True, slots=True)
class LabelPreview:
    """What an import would do, with nothing imported: `problems` are the rows that stop it, as in `LabelFileError`.

    `rows` counts all rows of the file, `queues` and `annotators` those that fit, by name.
    """

    rows: int
    result: LabelImport
    problems: tuple[tuple[int, str], ...]
    queues: Mapping[str, int]
    annotators: Mapping[str, int]


@verb("labels.import", "{path.name}")
def import_labels(store: ResultStore, path: Path) -> LabelImport:
    """Imports the rows of a file of labels. Raises DataError, LabelFileError where single rows are wrong."""
    rows = read_rows(path)
    with alone(store.engine) as connection:
        preview = _import(connection, rows)
        if preview.problems:
            raise LabelFileError(preview.problems)
    return preview.result


def preview_labels(store: ResultStore, path: Path) -> LabelPreview:
    """What `import_labels` would do now; nothing is changed. Raises DataError for a file that cannot be read."""
    rows = read_rows(path)
    with alone(store.engine, keep=False) as connection:
        return _import(connection, rows)


def _import(connection: Connection, rows: Sequence[Row]) -> LabelPreview:
    """Stores the rows that can be imported, and says which cannot."""
    counts = {"added": 0, "unchanged": 0, "older": 0}
    problems: list[tuple[int, str]] = []
    seen: dict[Key, int] = {}
    names: Counter[str] = Counter()
    people: Counter[str] = Counter()
    queues = {row.name: to_queue(row) for row in connection.execute(select(t.queues))}
    for name in sorted({row["queue"] for row in rows if PROBLEM not in row} & set(queues)):
        lock(connection, queues[name].id)
    for number, row in enumerate(rows, start=1):
        try:
            record, item, queue = _record(connection, row, queues)
            key = (record.queue, record.number, record.annotator, record.showing, record.on)
            if key in seen:
                raise UsageError(f"It repeats row {seen[key]}: keep one of the two.")
            seen[key] = number
            check_record(connection, record, item, row["part_text"] or None)
            counts[_store(connection, record, row, queue)] += 1
            names[queue.name] += 1
            people[record.annotator] += 1
        except UsageError as error:
            problems.append((number, error.on_screen))
    return LabelPreview(len(rows), LabelImport(**counts), tuple(problems), dict(names), dict(people))


def _record(
    connection: Connection, row: Row, queues: dict[str, AnnotationQueue]
) -> tuple[LabelRecord, QueueItem, AnnotationQueue]:
    """A row as a record, with the item and the queue that it belongs to. Raises UsageError."""
    if PROBLEM in row:
        raise DataError(row[PROBLEM])
    if any("\0" in value for value in row.values() if isinstance(value, str)):
        raise UsageError("It contains the character NUL, which no label has: export the file again.")
    queue = queues.get(row["queue"])
    if queue is None:
        raise UsageError(
            f"There is no queue called “{shorten(row['queue'])}” here: create it first, from the same runs."
        )
    item = stored_item(connection, queue.id, row["item"])
    same = (item.instance_key, item.fingerprint, item.answer)
    if (row["instance_key"], row["recipe_fingerprint"], row["answer"]) != same:
        raise UsageError(f"Item {item.number} of “{queue.name}” is another answer here.")
    _check_taxonomy(connection, row, queue)
    if row["showing"] not in (1, 2):
        raise UsageError(f"An item is shown once or twice: showing cannot be {row['showing']}.")
    if not all(isinstance(label, str) for label in row["labels"]):
        raise UsageError("The labels are not a list of keys.")
    record = LabelRecord(
        queue=queue.id,
        number=item.number,
        annotator=checked_name(row["annotator"], "annotator"),
        showing=row["showing"],
        on=row["on"],
        labels=tuple(row["labels"]),
        comment=row["comment"],
        spans=tuple(_span(span) for span in row["spans"]),
        taxonomy=row["taxonomy"],
        version=row["taxonomy_version"],
        saved=_seconds(row["saved"]),
        translated=row["translated"],
    )
    return record, item, queue


def _check_taxonomy(connection: Connection, row: Row, queue: AnnotationQueue) -> None:
    name, version = row["taxonomy"], row["taxonomy_version"]
    if name != queue.taxonomy:
        raise UsageError(f"The queue “{queue.name}” is labelled by “{queue.taxonomy}”, not “{shorten(name)}”.")
    v = t.taxonomy_versions.c
    used = list(connection.execute(select(v.version).where(v.name == name, v.version <= queue.version)).scalars())
    if version not in used:
        raise UsageError(
            f"It was labelled under version {version} of “{name}”, and the queue “{queue.name}” is at version "
            f"{queue.version}: label under the same version."
        )
    if row["taxonomy_fingerprint"] != definition_fingerprint(connection, name, version):
        raise UsageError(f"Its version {version} of “{name}” has other definitions than the one here.")


def _store(connection: Connection, record: LabelRecord, row: Row, queue: AnnotationQueue) -> str:
    """Stores a checked record and its place; what became of it."""
    place, now = (record.number, record.showing), time.time()
    if not has_room(connection, queue, record.number, record.annotator, now):
        many = queue.annotators_per_item
        raise UsageError(
            f"Item {record.number} of “{queue.name}” is for {many} annotators, and “{record.annotator}” would be one "
            "more: others label it already."
        )
    keep(connection, queue, place, record.annotator, now)
    if row["complete"]:
        completed = _seconds(row["completed"])
        mine = (*of_place(queue.id, place, record.annotator), t.places.c.complete.is_(False))
        connection.execute(update(t.places).where(*mine).values(complete=True, completed=completed))
    label = t.labels.c
    same = (label.number == record.number, label.showing == record.showing)
    conditions = (*same, label.annotator == record.annotator, label.part == record.on)
    for stored in current_labels(connection, queue.id, *conditions):
        if stored == record:
            return "unchanged"
        if stored.saved >= record.saved:
            return "older"
    connection.execute(insert(t.labels).values(to_row(record)))
    return "added"


def _span(value: Any) -> TextSpan:
    texts = ("text", "before", "after", "label")
    if (
        not isinstance(value, dict)
        or set(value) != set(TextSpan.__dataclass_fields__)
        or not all(type(value[name]) is int and 0 <= value[name] < OFFSET_LIMIT for name in ("start", "end"))
        or not all(isinstance(value[name], str) for name in texts)
    ):
        raise UsageError(f"“{shorten(value)}” is not a span: it has start, end, text, before, after and label.")
    return TextSpan(**value)


def _seconds(text: str) -> float:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None or not 0 <= moment.timestamp() < TIME_LIMIT:
        raise UsageError(f"“{shorten(text)}” is not a time with its zone: write it as 2026-01-31T09:30:00+00:00.")
    return round(moment.timestamp(), 6)
