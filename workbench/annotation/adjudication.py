"""Adjudication: where people who completed an item disagree, somebody decides which labels it gets, and says why.

People's labels stay as they are, and so does the agreement between them: a decision is a row of its own. A later
decision on the same part replaces the one before, which stays as a row. The reasons are those that tell what to mend:
the text, the guideline, or how somebody labels.
"""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from sqlalchemy import Connection, Row, insert, select

from workbench.annotation.assignments import lock
from workbench.annotation.label_rows import current_labels
from workbench.annotation.queue import AnnotationQueue, QueueItem
from workbench.annotation.queue_rows import checked_name, stored_item, stored_queue
from workbench.annotation.taxonomy_versions import stored_taxonomy
from workbench.annotation.text_spans import nfc
from workbench.core import UsageError, unknown_name
from workbench.experiments import ResultStore
from workbench.workspace import alone, annotation_tables as t, verb

Reason = Literal["text", "guideline", "annotator"]
"""Why people disagreed: question, answer or documents can be read in two ways; the guideline leaves it open; somebody
overlooked something."""
REASONS: tuple[Reason, ...] = get_args(Reason)
NOTE_LIMIT = 2_000


@dataclass(frozen=True, slots=True)
class Adjudication:
    """A decision on one part (`on`) of an item: the labels it gets, under a version of the taxonomy, by whom and why.

    `saved` is in seconds since 1970, to the microsecond.
    """

    queue: str
    number: int
    on: str
    labels: tuple[str, ...]
    reason: Reason
    note: str
    adjudicator: str
    taxonomy: str
    version: int
    saved: float


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A part of an item that at least two people completed and labelled differently, at its first showing.

    `labels` are by person. `decision` is the last one, None where there is none or where a newer version of the
    taxonomy touches its labels.
    """

    item: QueueItem
    on: str
    labels: Mapping[str, tuple[str, ...]]
    decision: Adjudication | None


@dataclass(frozen=True, slots=True)
class AdjudicationCount:
    """How many disagreements there are, how many of them are settled, and those by reason, most frequent first."""

    disagreements: int
    settled: int
    reasons: Mapping[Reason, int]

    @staticmethod
    def of(disagreements: Iterable[Disagreement]) -> AdjudicationCount:
        """The counts of disagreements."""
        rows = list(disagreements)
        reasons = Counter(row.decision.reason for row in rows if row.decision)
        return AdjudicationCount(len(rows), sum(reasons.values()), dict(reasons.most_common()))


class AdjudicationStore:
    """The decisions of a workspace, over the database of its results."""

    def __init__(self, store: ResultStore) -> None:
        self._store = store

    def disagreements(self, queue_id: str) -> tuple[Disagreement, ...]:
        """All disagreements of a queue, by item and part. Raises UsageError for a queue that does not exist."""
        with self._store.engine.connect() as connection:
            return tuple(_disagreements(connection, stored_queue(connection, queue_id)))

    @verb("decisions.save", "{item.queue}")
    def decide(
        self,
        item: QueueItem,
        on: str,
        labels: Sequence[str],
        reason: str,
        adjudicator: str,
        note: str = "",
        *,
        now: float | None = None,
    ) -> Adjudication:
        """Stores which labels a part gets; the same decision again stores nothing. Returns what counts now.

        Raises UsageError, after which nothing is stored, where people do not disagree on the part, for labels that the
        taxonomy does not have or allow together, and for an unknown reason.
        """
        person = checked_name(adjudicator, "adjudicator")
        if reason not in REASONS:
            raise unknown_name("reason", reason, REASONS)
        if len(note) > NOTE_LIMIT:
            raise UsageError(f"The note has {len(note):,} characters: shorten it to {NOTE_LIMIT:,} or fewer.")
        saved = round(time.time() if now is None else now, 6)
        with alone(self._store.engine) as connection:
            lock(connection, item.queue)
            queue = stored_queue(connection, item.queue)
            rows = {(row.item.number, row.on): row for row in _disagreements(connection, queue)}
            if (item.number, on) not in rows:
                raise UsageError(f"People do not disagree on item {item.number} ({on}): choose one of the list.")
            if problem := stored_taxonomy(connection, queue.taxonomy, queue.version).problem(tuple(labels)):
                raise UsageError(problem)
            decision = Adjudication(
                queue=queue.id,
                number=item.number,
                on=on,
                labels=tuple(labels),
                reason=reason,
                note=nfc(note.strip()),
                adjudicator=person,
                taxonomy=queue.taxonomy,
                version=queue.version,
                saved=saved,
            )
            before = rows[item.number, on].decision
            if before is not None and _content(before) == _content(decision):
                return before
            connection.execute(insert(t.adjudications).values(_to_row(decision)))
        return decision

    def decisions(self, queue_id: str) -> tuple[Adjudication, ...]:
        """The decision that counts on each part, by item and part, settled disagreements only."""
        return tuple(row.decision for row in self.disagreements(queue_id) if row.decision is not None)

    def history(self, queue_id: str) -> tuple[Adjudication, ...]:
        """Every decision that was ever made in a queue, in order."""
        with self._store.engine.connect() as connection:
            return tuple(_stored(connection, queue_id))


def _disagreements(connection: Connection, queue: AnnotationQueue) -> list[Disagreement]:
    p = t.places.c
    places = connection.execute(
        select(p.number, p.annotator).where(p.queue == queue.id, p.showing == 1, p.complete).order_by(p.annotator)
    )
    people: defaultdict[int, list[str]] = defaultdict(list)
    for place in places:
        people[place.number].append(place.annotator)
    parts: defaultdict[tuple[int, str], dict[str, tuple[str, ...]]] = defaultdict(dict)
    for record in current_labels(connection, queue.id, t.labels.c.showing == 1):
        if record.annotator in people[record.number]:
            parts[record.number, record.on][record.annotator] = record.labels
    decisions = _decisions_in_use(connection, queue)
    # Who completed an item and left a part without labels has chosen none of them there.
    return [
        Disagreement(
            stored_item(connection, queue.id, number),
            on,
            {person: labels.get(person, ()) for person in people[number]},
            decisions.get((number, on)),
        )
        for (number, on), labels in sorted(parts.items())
        if len({frozenset(labels.get(person, ())) for person in people[number]}) > 1
    ]


def _decisions_in_use(connection: Connection, queue: AnnotationQueue) -> dict[tuple[int, str], Adjudication]:
    """The last decision on each part, without those that a newer version of the taxonomy touches."""
    last = {(decision.number, decision.on): decision for decision in _stored(connection, queue.id)}
    newest = stored_taxonomy(connection, queue.taxonomy, queue.version)
    touched: dict[int, tuple[frozenset[str], bool]] = {}
    for version in {decision.version for decision in last.values()}:
        before = stored_taxonomy(connection, queue.taxonomy, version)
        keys = newest.touched(before)
        touched[version] = keys, keys == frozenset(before.keys)
    return {
        part: decision
        for part, decision in last.items()
        if not touched[decision.version][0] & set(decision.labels)
        and not (touched[decision.version][1] and not decision.labels)
    }


def _stored(connection: Connection, queue_id: str) -> list[Adjudication]:
    rows = connection.execute(
        select(t.adjudications).where(t.adjudications.c.queue == queue_id).order_by(t.adjudications.c.id)
    )
    return [_to_decision(row) for row in rows]


def _to_decision(row: Row[Any]) -> Adjudication:
    values = {name: value for name, value in row._mapping.items() if name not in ("id", "part")}
    return Adjudication(**{**values, "on": row.part, "labels": tuple(json.loads(row.labels))})


def _to_row(decision: Adjudication) -> dict[str, Any]:
    values = {name: getattr(decision, name) for name in Adjudication.__dataclass_fields__ if name != "on"}
    return {**values, "part": decision.on, "labels": json.dumps(decision.labels, ensure_ascii=False)}


def _content(decision: Adjudication) -> dict[str, Any]:
    return {**_to_row(decision), "saved": 0}
