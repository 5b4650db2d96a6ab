"""What people label: queues of answers, their items, and what people said about them, as values and as rows.

A queue holds as many answers of each language as were asked for, drawn by a seed. The lot of an answer is a digest of
the seed and of what the answer is: the run's recipe, the dataset, the question and its language. So the same seed draws
the same answers again, in another workspace too, and drawing more adds to them.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import cache
from hashlib import sha256
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, func, select

from workbench.annotation.error_taxonomy import stored_taxonomy
from workbench.annotation.text_spans import TextSpan, nfc
from workbench.core import UsageError, shorten
from workbench.workspace import annotation_tables as t, batched, result_tables

ANSWER = "answer"
"""What a label is about unless another part is named: the complete answer."""
QUESTION = "question"
CLAIM = "claim:"
"""Begins the name of a part of the answer, such as “claim:2”; its spans count from the answer's beginning."""
PASSAGE = "passage:"
"""Begins the name of a passage that the answer was given, such as “passage:radio.en.1”."""


@dataclass(frozen=True, slots=True)
class AnnotationQueue:
    """A sample of answers to be labelled under a taxonomy.

    `runs` are "experiment id/run number"; `per_language` answers of each language were drawn with `seed`;
    `annotators_per_item` people at most label each; `twice_share` (0 to 1) of the items are shown twice to the same
    person. `version` is the taxonomy's in use now; `created` is in seconds since 1970.
    """

    id: str
    name: str
    taxonomy: str
    version: int
    runs: tuple[str, ...]
    per_language: int
    seed: int
    annotators_per_item: int
    twice_share: float
    created: float


@dataclass(frozen=True, slots=True)
class QueueItem:
    """An answer of a queue, as it was when the queue was created, for a person's first or second `showing`.

    `queue` is the queue's id, `number` counts from 1. `instance_key` names the cell: experiment id, run number,
    question and language, separated by slashes. `question_name` is the question's id in its dataset, `question` and
    `answer` are texts in NFC, `fingerprint` is the recipe's.
    """

    queue: str
    number: int
    instance_key: str
    language: str
    experiment_id: str
    run_number: int
    dataset: str
    question_name: str
    fingerprint: str
    question: str
    answer: str
    showing: int = 1


@dataclass(frozen=True, slots=True)
class LabelRecord:
    """What one person said about one part (`on`) of an item, at one showing.

    `labels` are keys of the taxonomy, () for none of them; `version` is the taxonomy's when they were given; `saved` is
    in seconds since 1970, to the microsecond; `translated`: an English translation was shown next to the original.
    """

    queue: str
    number: int
    annotator: str
    showing: int
    on: str
    labels: tuple[str, ...]
    comment: str
    spans: tuple[TextSpan, ...]
    taxonomy: str
    version: int
    saved: float
    translated: bool = False


@dataclass(frozen=True, slots=True)
class QueueProgress:
    """How far a queue is. `places` is items × people each; `complete` and `reserved` count first showings.

    `languages`: complete and all places by language; `annotators`: items completed by person, first showings;
    `to_review`: labels that a newer version of the taxonomy touches.
    """

    items: int
    places: int
    complete: int
    reserved: int
    languages: Mapping[str, tuple[int, int]]
    annotators: Mapping[str, int]
    to_review: int


ROWS_AT_ONCE = 500
"""Answers that are read at once; SQLite allows some 32,000 in a statement."""


def lot(*parts: object) -> str:
    """A digest of `parts` that orders things as if at random, and the same way each time."""
    return sha256("\x1f".join(map(str, parts)).encode("utf-8", "backslashreplace")).hexdigest()


def sample(connection: Connection, runs: Sequence[int], per_language: int, seed: int) -> list[dict[str, Any]]:
    """Rows of items, without queue and number: up to `per_language` answers of each language, in order of their lots.

    `runs` are stored ids. Failed and empty answers are left out.
    """
    a, r, q = result_tables.answers.c, result_tables.runs.c, result_tables.questions.c
    statement = (
        select(a.id, a.language, r.number, r.fingerprint, r.dataset, q.name)
        .join(result_tables.runs, r.id == a.run)
        .join(result_tables.questions, q.id == a.question)
        .where(a.run.in_(runs), a.failed.is_(False), a.text != "")
    )
    lots: dict[str, list[tuple[str, int]]] = {}
    for row in connection.execute(statement):
        value = lot(seed, row.number, row.fingerprint, row.dataset, row.name, row.language)
        lots.setdefault(row.language, []).append((value, row.id))
    drawn = sorted(pair for pairs in lots.values() for pair in heapq.nsmallest(per_language, pairs))
    rows = _items(connection, [answer for _, answer in drawn])
    return [rows[answer] for _, answer in drawn]


def _items(connection: Connection, answers: Sequence[int]) -> Mapping[int, dict[str, Any]]:
    a, r, q = result_tables.answers.c, result_tables.runs.c, result_tables.questions.c
    statement = (
        select(a.id, a.language, a.text.label("answer"), r.experiment_id, r.number, r.dataset, r.fingerprint)
        .add_columns(q.name, q.text.label("question"))
        .join(result_tables.runs, r.id == a.run)
        .join(result_tables.questions, q.id == a.question)
    )
    parts = batched(answers, ROWS_AT_ONCE)
    return {row.id: _item(row) for part in parts for row in connection.execute(statement.where(a.id.in_(part)))}


def _item(row: Row[Any]) -> dict[str, Any]:
    return {
        "instance_key": f"{row.experiment_id}/{row.number}/{row.name}/{row.language}",
        "language": row.language,
        "experiment_id": row.experiment_id,
        "run_number": row.number,
        "dataset": row.dataset,
        "question_name": row.name,
        "fingerprint": row.fingerprint,
        "question": nfc(row.question),
        "answer": nfc(row.answer),
    }


def answer_languages(connection: Connection, queue_id: str) -> Mapping[int, str]:
    """The language that each answer of a queue was detected to be in, by item, "" where it was not detected.

    Those of deleted experiments are left out.
    """
    i, a, r, q = t.items.c, result_tables.answers.c, result_tables.runs.c, result_tables.questions.c
    same_question = and_(q.dataset == i.dataset, q.name == i.question_name, q.language == i.language)
    statement = (
        select(i.number, a.answer_language)
        .join(result_tables.runs, and_(r.experiment_id == i.experiment_id, r.number == i.run_number))
        .join(result_tables.questions, same_question)
        .join(result_tables.answers, and_(a.run == r.id, a.question == q.id))
        .where(i.queue == queue_id)
    )
    return {row.number: row.answer_language for row in connection.execute(statement)}


def to_record(row: Row[Any]) -> LabelRecord:
    """The record of a row of `annotation_labels`."""
    values = {name: getattr(row, name) for name in LabelRecord.__dataclass_fields__ if name != "on"}
    spans = tuple(TextSpan(*span) for span in json.loads(row.spans))
    return LabelRecord(**{**values, "on": row.part, "labels": tuple(json.loads(row.labels)), "spans": spans})


def to_row(record: LabelRecord) -> dict[str, Any]:
    """The row of a record."""
    values = {name: getattr(record, name) for name in LabelRecord.__dataclass_fields__ if name != "on"}
    spans = json.dumps([astuple(span) for span in record.spans], ensure_ascii=False)
    return {**values, "part": record.on, "labels": json.dumps(record.labels, ensure_ascii=False), "spans": spans}


def current_labels(connection: Connection, queue_id: str, *conditions: ColumnElement[bool]) -> list[LabelRecord]:
    """The last label of each part, item, person and showing that is not undone, by item, person, showing and part."""
    label = t.labels.c
    key = (label.number, label.annotator, label.showing, label.part)
    last = select(func.max(label.id)).where(label.queue == queue_id, label.undone.is_(None), *conditions).group_by(*key)
    rows = connection.execute(select(t.labels).where(label.id.in_(last)).order_by(*key))
    return [to_record(row) for row in rows]


def to_review(connection: Connection, queue: AnnotationQueue, *conditions: ColumnElement[bool]) -> list[LabelRecord]:
    """The current labels of a queue under an older version of its taxonomy that the version in use touches."""
    older = [record for record in current_labels(connection, queue.id, *conditions) if record.version != queue.version]
    if not older:
        return []
    is_touched = touched_labels(connection, queue)
    return [record for record in older if is_touched(record.version, record.labels)]


def touched_labels(connection: Connection, queue: AnnotationQueue) -> Callable[[int, Collection[str]], bool]:
    """Tells of a version of a queue's taxonomy, and of labels given under it, whether the version in use touches them.

    Where every label is touched, so is the choice of none of them.
    """
    newest = stored_taxonomy(connection, queue.taxonomy, queue.version)

    @cache
    def touched_by(version: int) -> tuple[frozenset[str], bool]:
        before = stored_taxonomy(connection, queue.taxonomy, version)
        keys = newest.touched(before)
        return keys, keys == frozenset(before.keys)

    def is_touched(version: int, labels: Collection[str]) -> bool:
        keys, is_every = touched_by(version)
        return not keys.isdisjoint(labels) or (is_every and not labels)

    return is_touched


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
