"""Who gets which item next, decided within one transaction that has locked the queue.

An item has as many places as people may label it. A reservation takes one until it lapses; once its person has saved
something, or said that the item is complete, it stays. Nothing here commits: callers do, in a transaction that nobody
else's can interleave with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, insert, select, update

from workbench.annotation.queue import AnnotationQueue
from workbench.annotation.queue_sampling import lot
from workbench.core import UsageError
from workbench.workspace import annotation_tables as t

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
    connection: Connection, queue: AnnotationQueue, annotator: str, languages: Collection[str], now: float
) -> Place | None:
    """The place that a person should have now; None where nothing is left for them.

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
    numbered = connection.execute(numbers).scalars()
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
            "was saved. Go on with the next item."
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
