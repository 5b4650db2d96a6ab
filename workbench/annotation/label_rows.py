"""The rows of labels as values: the current ones, and those that a newer version of the taxonomy touches."""

from __future__ import annotations

import json
from dataclasses import astuple
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, select

from workbench.annotation.queue import AnnotationQueue, LabelRecord
from workbench.annotation.taxonomy_versions import stored_taxonomy
from workbench.annotation.text_spans import TextSpan
from workbench.workspace import annotation_tables as t


def to_record(row: Row[Any]) -> LabelRecord:
    """The record of a row of `annotation_labels`."""
    return LabelRecord(
        queue=row.queue,
        number=row.number,
        annotator=row.annotator,
        showing=row.showing,
        on=row.part,
        labels=tuple(json.loads(row.labels)),
        comment=row.comment,
        spans=tuple(TextSpan(*item) for item in json.loads(row.spans)),
        taxonomy=row.taxonomy,
        version=row.version,
        saved=row.saved,
        translated=row.translated,
    )


def to_row(record: LabelRecord) -> dict[str, Any]:
    """The row of a record."""
    return {
        "queue": record.queue,
        "number": record.number,
        "annotator": record.annotator,
        "showing": record.showing,
        "part": record.on,
        "labels": json.dumps(record.labels, ensure_ascii=False),
        "comment": record.comment,
        "spans": json.dumps([astuple(span) for span in record.spans], ensure_ascii=False),
        "taxonomy": record.taxonomy,
        "version": record.version,
        "saved": record.saved,
        "translated": record.translated,
    }


def current_labels(connection: Connection, queue_id: str, *conditions: ColumnElement[bool]) -> list[LabelRecord]:
    """The last label of each part, item, person and showing that is not undone, by item, person, showing and part."""
    label = t.labels.c
    key = (label.number, label.annotator, label.showing, label.part)
    last = select(func.max(label.id)).where(label.queue == queue_id, label.undone.is_(None), *conditions).group_by(*key)
    rows = connection.execute(select(t.labels).where(label.id.in_(last)).order_by(*key))
    return [to_record(row) for row in rows]


def to_review(connection: Connection, queue: AnnotationQueue, *conditions: ColumnElement[bool]) -> list[LabelRecord]:
    """The current labels of a queue under an older version of its taxonomy that the version in use touches.

    Where every label is touched, so is the choice of none of them.
    """
    older = [record for record in current_labels(connection, queue.id, *conditions) if record.version != queue.version]
    if not older:
        return []
    newest = stored_taxonomy(connection, queue.taxonomy, queue.version)
    review = []
    touched: dict[int, tuple[frozenset[str], bool]] = {}
    for record in older:
        if record.version not in touched:
            before = stored_taxonomy(connection, record.taxonomy, record.version)
            keys = newest.touched(before)
            touched[record.version] = keys, keys == frozenset(before.keys)
        keys, is_all = touched[record.version]
        if keys & set(record.labels) or (is_all and not record.labels):
            review.append(record)
    return review
