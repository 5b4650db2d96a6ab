"""Queues in the workspace's database: created from results, handed out item by item, and counted.

Who gets which item next is decided within one transaction that has locked the queue. An item has as many places as
people may label it. A reservation takes one until it lapses; once its person has saved something, or said that the item
is complete, it stays.
"""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import uuid4

from sqlalchemy import ColumnElement, Connection, Row, delete, insert, select, update

from workbench.annotation.error_taxonomy import Taxonomy, store_taxonomy, stored_taxonomy
from workbench.annotation.queue import (
    ROWS_AT_ONCE,
    AnnotationQueue,
    QueueItem,
    QueueProgress,
    answer_languages,
    checked_name,
    lot,
    progress,
    sample,
    stored_item,
    to_queue,
    to_review,
)
from workbench.core import UsageError, unknown_name
from workbench.experiments import Filter, Instance, ResultStore
from workbench.workspace import alone, annotation_tables as t, batched, result_tables, verb

RESERVATION = 30 * 60.0
"""Seconds for which an item is reserved for a person who has saved nothing."""
APART = 10
"""Items that a person completes between the two showings of an item, where there are that many."""

Place = tuple[int, int]
"""An item's number and the showing, 1 or 2."""


def lock(connection: Connection, queue_id: str) -> None:
    """Lets one transaction at a time go on with a queue, on databases that lock rows; SQLite locks them all anyway."""
    connection.execute(select(t.queues.c.id).where(t.queues.c.id == queue_id).with_for_update())


def next_place(
    connection: Connection,
    queue: AnnotationQueue,
    annotator: str,
    languages: Collection[str],
    now: float,
    *,
    any_answer: bool = False,
) -> Place | None:
    """The place that a person should have now; None where nothing is left for them.

    Of questions in `languages` those answered in another language are left out, unless `any_answer`.

    First what they have begun, then new items in an order of their own, then second showings, then what they put off.
    Second showings come as soon as `APART` other items were completed after the first one, or nothing else is left.
    """
    numbers = select(t.items.c.number).where(t.items.c.queue == queue.id)
    if languages:
        numbers = numbers.where(t.items.c.language.in_(languages))
    rows = connection.execute(select(t.places).where(t.places.c.queue == queue.id)).all()
    mine = {(row.number, row.showing): row for row in rows if row.annotator == annotator}
    others = _people(rows, annotator, now)
    lasting = {number for (number, showing), row in mine.items() if showing == 1 and row.expires is None}
    unread = {} if any_answer else _unread(connection, queue.id, languages)
    numbered = set(connection.execute(numbers).scalars()) - unread.keys()
    free = {number for number in numbered if number in lasting or len(others[number]) < queue.annotators_per_item}
    options = [_rank(queue, annotator, place, mine, now) for place in _options(queue, annotator, free, mine)]
    return min(options)[-1] if options else None


def reserve(connection: Connection, queue_id: str, place: Place, annotator: str, now: float) -> None:
    """Reserves a place for a person, or renews their reservation of it."""
    p = t.places.c
    row = connection.execute(select(p.id, p.expires).where(*of_place(queue_id, place, annotator))).first()
    if row is None:
        values = {"queue": queue_id, "number": place[0], "annotator": annotator, "showing": place[1]}
        connection.execute(insert(t.places).values(**values, expires=now + RESERVATION, complete=False))
        return
    expires = None if row.expires is None else now + RESERVATION
    connection.execute(update(t.places).where(p.id == row.id).values(expires=expires, skipped=None))


def has_room(connection: Connection, queue: AnnotationQueue, number: int, annotator: str, now: float) -> bool:
    """Whether a person may label an item: they have a lasting place, or others leave one free."""
    p = t.places.c
    rows = connection.execute(select(t.places).where(p.queue == queue.id, p.number == number)).all()
    is_lasting = any(row.annotator == annotator and row.expires is None for row in rows)
    return is_lasting or len(_people(rows, annotator, now)[number]) < queue.annotators_per_item


def renew(connection: Connection, queue: AnnotationQueue, place: Place, annotator: str, now: float) -> None:
    """Renews a person's reservation. Raises UsageError where it lapsed and others have all places of the item."""
    if not has_room(connection, queue, place[0], annotator, now):
        raise UsageError(
            f"Your reservation of item {place[0]} lapsed, and others, as many as may label it, have it now: nothing "
            "was saved. Continue with the next item."
        )
    reserve(connection, queue.id, place, annotator, now)


def keep(connection: Connection, queue: AnnotationQueue, place: Place, annotator: str, now: float) -> None:
    """Makes a person's place one that does not lapse. Raises as `renew` does."""
    renew(connection, queue, place, annotator, now)
    connection.execute(update(t.places).where(*of_place(queue.id, place, annotator)).values(expires=None))


def of_place(queue_id: str, place: Place, annotator: str) -> tuple[ColumnElement[bool], ...]:
    """The conditions on a row of `annotation_places`."""
    p = t.places.c
    return p.queue == queue_id, p.number == place[0], p.showing == place[1], p.annotator == annotator


def _unread(connection: Connection, queue_id: str, languages: Collection[str]) -> Mapping[int, str]:
    """The language of each answer that is known to be in none of `languages`, by item; nothing where they are ()."""
    answers = answer_languages(connection, queue_id) if languages else {}
    return {number: code for number, code in answers.items() if code not in ("", *languages)}


def _people(rows: Collection[Row[Any]], annotator: str, now: float) -> defaultdict[int, set[str]]:
    """By item: the people other than `annotator` who have a place that has not lapsed."""
    people: defaultdict[int, set[str]] = defaultdict(set)
    for row in rows:
        if row.annotator != annotator and (row.expires is None or row.expires > now):
            people[row.number].add(row.annotator)
    return people


def _options(queue: AnnotationQueue, annotator: str, free: set[int], mine: dict[Place, Row[Any]]) -> list[Place]:
    options = []
    for number in free:
        first, second = mine.get((number, 1)), mine.get((number, 2))
        if first is None or not first.complete:
            options.append((number, 1))
        elif is_twice(queue, annotator, number) and (second is None or not second.complete):
            options.append((number, 2))
    return options


def is_twice(queue: AnnotationQueue, annotator: str, number: int) -> bool:
    """Whether a person is shown an item twice: so a share of the items is, others for each person."""
    return int(lot(queue.seed, "twice", annotator, number)[:12], 16) < queue.twice_share * 16**12


def _rank(
    queue: AnnotationQueue, annotator: str, place: Place, mine: dict[Place, Row[Any]], now: float
) -> tuple[int, float, str, Place]:
    """What decides among places: the lowest is next."""
    order = lot(queue.seed, annotator, place[0])
    row = mine.get(place)
    if row is not None and row.skipped is not None:
        return 4, row.skipped, order, place
    if row is not None and (row.expires is None or row.expires > now):
        return 0, float(row.id), order, place
    if place[1] == 1:
        return 2, 0.0, order, place
    completed = mine[place[0], 1].completed
    since = sum(other.complete and other.completed > completed for other in mine.values())
    return (1 if since >= APART else 3), completed, order, place


PER_LANGUAGE_LIMIT = 10_000
ANNOTATORS_LIMIT = 50
SEED_LIMIT = 2**31 - 1


class QueueStore:
    """The queues of a workspace, over the database of its results."""

    def __init__(self, store: ResultStore) -> None:
        self._store = store

    @verb("queues.create", "{name}")
    def create(
        self,
        name: str,
        taxonomy: Taxonomy,
        runs: Sequence[int],
        *,
        per_language: int,
        seed: int = 0,
        annotators_per_item: int = 2,
        twice_share: float = 0.0,
    ) -> AnnotationQueue:
        """Draws `per_language` answers of each language from runs (stored ids) and stores them as a queue.

        Raises UsageError for a name in use or a number that is not allowed, where the runs have no answers, and where
        the taxonomy was changed without raising its version.
        """
        title = checked_name(name, "queue")
        _check_number("answers per language", per_language, 1, PER_LANGUAGE_LIMIT)
        _check_number("seed", seed, 0, SEED_LIMIT)
        _check_number("annotators per item", annotators_per_item, 1, ANNOTATORS_LIMIT)
        _check_number("share of items shown twice", twice_share, 0, 1)
        with alone(self._store.engine) as connection:
            if connection.execute(select(t.queues.c.id).where(t.queues.c.name == title)).first():
                raise UsageError(f"There is a queue called “{title}” already: type another name.")
            rows = sample(connection, runs, per_language, seed)
            if not rows:
                raise UsageError("These runs have no answers to label: choose runs that are finished.")
            r = result_tables.runs.c
            names = connection.execute(select(r.experiment_id, r.number).where(r.id.in_(runs)).order_by(r.id))
            store_taxonomy(connection, taxonomy)
            queue = AnnotationQueue(
                uuid4().hex[:12],
                title,
                taxonomy.name,
                taxonomy.version,
                tuple(f"{row.experiment_id}/{row.number}" for row in names),
                per_language,
                seed,
                annotators_per_item,
                float(twice_share),
                time.time(),
            )
            values = {key: getattr(queue, key) for key in AnnotationQueue.__dataclass_fields__}
            connection.execute(insert(t.queues).values({**values, "runs": json.dumps(queue.runs)}))
            numbered = [{"queue": queue.id, "number": number, **row} for number, row in enumerate(rows, start=1)]
            connection.execute(insert(t.items), numbered)
        return queue

    def queues(self) -> tuple[AnnotationQueue, ...]:
        """All queues, the newest first."""
        with self._store.engine.connect() as connection:
            rows = connection.execute(select(t.queues).order_by(t.queues.c.created.desc(), t.queues.c.name)).all()
        return tuple(to_queue(row) for row in rows)

    def queue(self, queue_id: str) -> AnnotationQueue:
        """The queue with an id or a name. Raises UsageError for one that does not exist."""
        queues = self.queues()
        for queue in queues:
            if queue_id in (queue.id, queue.name):
                return queue
        raise unknown_name("queue", queue_id, (queue.name for queue in queues))

    def taxonomy_of(self, queue_id: str) -> Taxonomy:
        """The taxonomy of a queue in the version that is in use, as it was stored. Raises as `queue` does."""
        queue = self.queue(queue_id)
        with self._store.engine.connect() as connection:
            return stored_taxonomy(connection, queue.taxonomy, queue.version)

    @verb("queues.change", "{queue_id}")
    def use_version(self, queue_id: str, taxonomy: Taxonomy) -> int:
        """Labels a queue under a newer version of its taxonomy from now on; returns how many labels that touches.

        These are to be looked at again (`LabelStore.to_review`). Raises UsageError for another taxonomy, an older
        version, or a changed one with the same number.
        """
        with alone(self._store.engine) as connection:
            return _use_version(connection, self.queue(queue_id), taxonomy)

    def reopened_by(self, queue_id: str, taxonomy: Taxonomy) -> int:
        """What `use_version` would return; nothing is changed. Raises as it does."""
        queue = self.queue(queue_id)
        with alone(self._store.engine, keep=False) as connection:
            return _use_version(connection, queue, taxonomy)

    @verb("queues.delete", "{queue_id}")
    def delete(self, queue_id: str) -> int:
        """Deletes a queue with its items, labels and decisions; returns how many items were labelled.

        Raises UsageError for one that does not exist.
        """
        queue = self.queue(queue_id)
        with alone(self._store.engine) as connection:
            lock(connection, queue.id)
            numbers = set(connection.execute(select(t.labels.c.number).where(t.labels.c.queue == queue.id)).scalars())
            for table in (t.adjudications, t.labels, t.places, t.part_texts, t.items):
                connection.execute(delete(table).where(table.c.queue == queue.id))
            connection.execute(delete(t.queues).where(t.queues.c.id == queue.id))
        return len(numbers)

    def items(self, queue_id: str) -> tuple[QueueItem, ...]:
        """All items of a queue, by number."""
        where = t.items.c.queue == queue_id
        with self._store.engine.connect() as connection:
            rows = connection.execute(select(t.items).where(where).order_by(t.items.c.number)).all()
        return tuple(QueueItem(*row) for row in rows)

    def item(self, queue_id: str, number: int, showing: int = 1) -> QueueItem:
        """One item of a queue by its number. Raises UsageError for one that does not exist."""
        with self._store.engine.connect() as connection:
            return stored_item(connection, queue_id, number, showing)

    @verb("labels.take", "{queue_id}")
    def next_item(
        self,
        queue_id: str,
        annotator: str,
        languages: Collection[str] = (),
        now: float | None = None,
        *,
        any_answer: bool = False,
    ) -> QueueItem | None:
        """The item that a person should label now, reserved for them; None where nothing is left for them.

        `languages`: codes of those they read, () for all: of the question, and of the answer too unless `any_answer`.
        Asking again gives the same item until it is complete, put off, or its reservation has lapsed. Raises UsageError
        for a name that is not one.
        """
        person, time_ = checked_name(annotator, "annotator"), time.time() if now is None else now
        queue = self.queue(queue_id)
        with alone(self._store.engine) as connection:
            lock(connection, queue.id)
            place = next_place(connection, queue, person, languages, time_, any_answer=any_answer)
            if place is None:
                return None
            reserve(connection, queue.id, place, person, time_)
            return stored_item(connection, queue.id, *place)

    def languages(self, queue_id: str) -> tuple[str, ...]:
        """The codes of the languages that a queue's questions and answers are in."""
        with self._store.engine.connect() as connection:
            codes = connection.execute(select(t.items.c.language).where(t.items.c.queue == queue_id)).scalars()
            return tuple(sorted({*codes, *answer_languages(connection, queue_id).values()} - {""}))

    def other_answers(self, queue_id: str, languages: Collection[str]) -> Mapping[str, int]:
        """How many questions in `languages` are answered in others, by the answer's language, most frequent first."""
        items = {item.number for item in self.items(queue_id) if item.language in languages}
        with self._store.engine.connect() as connection:
            unread = _unread(connection, queue_id, languages)
        return dict(Counter(code for number, code in unread.items() if number in items).most_common())

    def previous(self, queue_id: str, annotator: str, before: QueueItem | None = None) -> QueueItem | None:
        """The item that a person had before another, by default their last complete one; None before the first."""
        p = t.places.c
        places = select(p.id).where(p.queue == queue_id, p.annotator == checked_name(annotator, "annotator"))
        with self._store.engine.connect() as connection:
            if before is None:
                earlier = places.where(p.complete)
            else:
                same = places.where(p.number == before.number, p.showing == before.showing)
                earlier = places.where(p.id < same.scalar_subquery())
            last = connection.execute(earlier.order_by(p.id.desc()).limit(1)).scalar()
            if last is None:
                return None
            row = connection.execute(select(p.number, p.showing).where(p.id == last)).one()
            return stored_item(connection, queue_id, row.number, row.showing)

    @verb("labels.save", "{item.queue}")
    def skip(self, item: QueueItem, annotator: str, now: float | None = None) -> None:
        """Puts an item off: its reservation ends, and the person gets it again after all others."""
        time_ = time.time() if now is None else now
        mine = of_place(item.queue, (item.number, item.showing), checked_name(annotator, "annotator"))
        with alone(self._store.engine) as connection:
            lock(connection, item.queue)
            connection.execute(update(t.places).where(*mine).values(skipped=time_))
            connection.execute(update(t.places).where(*mine, t.places.c.expires.is_not(None)).values(expires=time_))

    @verb("labels.take", "{item.queue}")
    def renew(self, item: QueueItem, annotator: str, now: float | None = None) -> None:
        """Keeps an item reserved while a person works on it. Raises UsageError where others have all its places."""
        time_, person = time.time() if now is None else now, checked_name(annotator, "annotator")
        queue = self.queue(item.queue)
        with alone(self._store.engine) as connection:
            lock(connection, queue.id)
            renew(connection, queue, (item.number, item.showing), person, time_)

    def completed(self, queue_id: str, showing: int = 1) -> frozenset[tuple[int, str]]:
        """The items that people have completed at a showing, as pairs of number and name."""
        p = t.places.c
        statement = select(p.number, p.annotator).where(p.queue == queue_id, p.complete, p.showing == showing)
        with self._store.engine.connect() as connection:
            return frozenset((row.number, row.annotator) for row in connection.execute(statement))

    def instance(self, item: QueueItem) -> Instance | None:
        """The cell that an item was copied from, with its passages and scores; None where it was deleted."""
        return self.instances([item]).get(item.number)

    def instances(self, items: Sequence[QueueItem]) -> Mapping[int, Instance]:
        """The cells that items of one queue were copied from, by number; deleted ones are left out."""
        r, a, q = result_tables.runs.c, result_tables.answers.c, result_tables.questions.c
        cell = (
            select(a.run, a.question)
            .join(result_tables.runs, r.id == a.run)
            .join(result_tables.questions, q.id == a.question)
        )
        cells: dict[tuple[int, int], int] = {}
        with self._store.engine.connect() as connection:
            for item in items:
                same_run = (r.experiment_id == item.experiment_id, r.number == item.run_number)
                same_question = (q.name == item.question_name, q.language == item.language)
                if row := connection.execute(cell.where(*same_run, *same_question)).first():
                    cells[row.run, row.question] = item.number
        view, parts = self._store.where(Filter()), batched(list(cells), ROWS_AT_ONCE)
        rows = (row for part in parts for row in view.instances_of(part))
        return {cells[row.run.id, row.question_id]: row for row in rows}

    def progress(self, queue_id: str, now: float | None = None) -> QueueProgress:
        """How far a queue is. Raises UsageError for one that does not exist."""
        queue, time_ = self.queue(queue_id), time.time() if now is None else now
        with self._store.engine.connect() as connection:
            return progress(connection, queue, time_)


def _use_version(connection: Connection, queue: AnnotationQueue, taxonomy: Taxonomy) -> int:
    """Puts a version into use; how many labels it touches. Raises UsageError."""
    if taxonomy.name != queue.taxonomy:
        raise UsageError(f"The queue “{queue.name}” is labelled by “{queue.taxonomy}”, not “{taxonomy.name}”.")
    lock(connection, queue.id)
    where = t.queues.c.id == queue.id
    version = connection.execute(select(t.queues.c.version).where(where)).scalar_one()
    if taxonomy.version < version:
        raise UsageError(
            f"The queue “{queue.name}” uses version {version} of “{taxonomy.name}”, and this is version "
            f"{taxonomy.version}: write a higher version into the taxonomy's file."
        )
    store_taxonomy(connection, taxonomy)
    connection.execute(update(t.queues).where(where).values(version=taxonomy.version))
    return len(to_review(connection, replace(queue, version=taxonomy.version)))


def _check_number(what: str, value: float, low: int, high: int) -> None:
    if not low <= value <= high:
        raise UsageError(f"The {what} cannot be {value:,}: type a number from {low} to {high:,}.")
