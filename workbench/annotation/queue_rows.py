"""The rows of queues and items as values, read within a caller's transaction."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, Row, select

from workbench.annotation.label_rows import to_review
from workbench.annotation.queue import AnnotationQueue, QueueItem, QueueProgress
from workbench.annotation.text_spans import nfc
from workbench.core import UsageError, shorten
from workbench.workspace import annotation_tables as t

NAME_LIMIT = 80
"""Characters of a queue's name, and of a person's."""


def checked_name(name: str, kind: str) -> str:
    """The name of a queue or an annotator (`kind`) in NFC, with single spaces. Raises UsageError."""
    text = nfc(" ".join(name.split()))
    if not 1 <= len(text) <= NAME_LIMIT or not text.isprintable():
        raise UsageError(
            f"“{shorten(name)}” cannot be the name of the {kind}: type 1 to {NAME_LIMIT} letters, digits or signs."
        )
    return text


def to_queue(row: Row[Any]) -> AnnotationQueue:
    """The queue of a row of `annotation_queues`."""
    return AnnotationQueue(**{**row._mapping, "runs": tuple(json.loads(row.runs))})


def stored_queue(connection: Connection, queue_id: str) -> AnnotationQueue:
    """The queue with an id. Raises UsageError for one that does not exist."""
    row = connection.execute(select(t.queues).where(t.queues.c.id == queue_id)).first()
    if row is None:
        raise UsageError(f"There is no queue with the id “{shorten(queue_id)}”: choose one from the list of queues.")
    return to_queue(row)


def stored_item(connection: Connection, queue_id: str, number: int, showing: int = 1) -> QueueItem:
    """An item by its number. Raises UsageError for one that does not exist."""
    i = t.items.c
    row = connection.execute(select(t.items).where(i.queue == queue_id, i.number == number)).first()
    if row is None:
        raise UsageError(f"The queue has no item {number}: choose one of its numbers, which count from 1.")
    return QueueItem(**row._mapping, showing=showing)


def progress(connection: Connection, queue: AnnotationQueue, now: float) -> QueueProgress:
    """How far a queue is at a time, in seconds since 1970."""
    p, i = t.places.c, t.items.c
    numbers = connection.execute(select(i.number, i.language).where(i.queue == queue.id))
    languages = {row.number: row.language for row in numbers}
    rows = connection.execute(select(t.places).where(p.queue == queue.id, p.showing == 1)).all()
    done = [row for row in rows if row.complete]
    people = sorted({row.annotator for row in rows})
    each = queue.annotators_per_item
    by_language = {
        code: (
            sum(languages[row.number] == code for row in done),
            sum(language == code for language in languages.values()) * each,
        )
        for code in sorted(set(languages.values()))
    }
    return QueueProgress(
        items=len(languages),
        places=len(languages) * each,
        complete=len(done),
        reserved=sum(not row.complete and (row.expires is None or row.expires > now) for row in rows),
        languages=by_language,
        annotators={name: sum(row.annotator == name for row in done) for name in people},
        to_review=len(to_review(connection, queue)),
    )
