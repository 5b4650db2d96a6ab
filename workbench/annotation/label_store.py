"""Labels, and decisions on those that people disagree on, in the workspace's database.

Each save is a further row, so that nothing is overwritten and all can be undone. A save is one transaction: when `save`
returns, the label survives the end of the process, however that comes.

Where people who completed an item disagree, somebody decides which labels it gets, and says why. People's labels stay
as they are, and so does the agreement between them: a decision is a row of its own. A later decision on the same part
replaces the one before, which stays as a row. The reasons are those that tell what to mend: the text, the guideline, or
how somebody labels.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from sqlalchemy import ColumnElement, Connection, Row, insert, select, update

from workbench.annotation.error_taxonomy import stored_taxonomy
from workbench.annotation.queue import (
    ANSWER,
    CLAIM,
    PASSAGE,
    QUESTION,
    AnnotationQueue,
    LabelRecord,
    QueueItem,
    checked_name,
    current_labels,
    stored_item,
    stored_queue,
    to_record,
    to_review,
    to_row,
    touched_labels,
)
from workbench.annotation.queue_store import RESERVATION, keep, lock, of_place
from workbench.annotation.text_spans import TextSpan, nfc, span_problem
from workbench.core import UsageError, shorten, unknown_name
from workbench.experiments import ResultStore
from workbench.workspace import alone, annotation_tables as t, verb

COMMENT_LIMIT = 5_000
PART_LIMIT = 200
SPANS_LIMIT = 200
HALF_CHARACTER = re.compile("[\ud800-\udfff]")


class LabelStore:
    """The labels of a workspace, over the database of its results."""

    def __init__(self, store: ResultStore) -> None:
        self._store = store

    @verb("labels.save", "{item.queue}")
    def save(
        self,
        item: QueueItem,
        annotator: str,
        labels: Sequence[str],
        comment: str = "",
        spans: Sequence[TextSpan] = (),
        on: str = ANSWER,
        taxonomy_version: int | None = None,
        *,
        text: str | None = None,
        translated: bool = False,
        now: float | None = None,
    ) -> LabelRecord:
        """Saves what a person says about one part of an item; the same again saves nothing. Returns what is stored.

        `on` is “answer”, “question”, “claim:<number>” (whose spans lie in the answer) or “passage:<id>”, for which
        `text` is the passage's text if there are spans. `taxonomy_version` is the one on the person's screen, by
        default the one in use. `translated`: a translation was shown next to the original. Raises UsageError, after
        which nothing is saved, for labels that the taxonomy does not have or allow together, spans that do not fit,
        another version, and an item that others have by now.
        """
        person = checked_name(annotator, "annotator")
        saved = round(time.time() if now is None else now, 6)
        with alone(self._store.engine) as connection:
            lock(connection, item.queue)
            queue = stored_queue(connection, item.queue)
            stored = stored_item(connection, item.queue, item.number, item.showing)
            if taxonomy_version is not None and taxonomy_version != queue.version:
                raise UsageError(
                    f"The taxonomy “{queue.taxonomy}” is at version {queue.version} now, and this label was given "
                    f"under version {taxonomy_version}: read the definitions again, then save once more."
                )
            record = LabelRecord(
                queue=queue.id,
                number=item.number,
                annotator=person,
                showing=item.showing,
                on=on,
                labels=tuple(labels),
                comment=nfc(comment),
                spans=tuple(spans),
                taxonomy=queue.taxonomy,
                version=queue.version,
                saved=saved,
                translated=translated,
            )
            check_record(connection, record, stored, text)
            keep(connection, queue, (item.number, item.showing), person, saved)
            return _append(connection, record)

    def current(self, item: QueueItem, annotator: str) -> tuple[LabelRecord, ...]:
        """What a person says about an item at this showing, one record per part, in the order of the parts' names."""
        conditions = _of_item(item, checked_name(annotator, "annotator"))
        with self._store.engine.connect() as connection:
            return tuple(current_labels(connection, item.queue, *conditions))

    def history(self, item: QueueItem, annotator: str) -> tuple[LabelRecord, ...]:
        """Everything a person ever saved about an item at this showing, undone or not, in order."""
        conditions = _of_item(item, checked_name(annotator, "annotator"))
        statement = select(t.labels).where(t.labels.c.queue == item.queue, *conditions).order_by(t.labels.c.id)
        with self._store.engine.connect() as connection:
            return tuple(to_record(row) for row in connection.execute(statement))

    @verb("labels.save", "{queue_id}")
    def undo(self, queue_id: str, annotator: str, now: float | None = None, *, since: float = 0.0) -> QueueItem | None:
        """Takes back what a person did last in a queue, one completion or one save, and returns its item.

        Each call goes one act further back; None where nothing is left that was done `since` a time. A choice of none
        of the labels that completing wrote itself goes with it. An item without labels is not complete.
        """
        person, time_ = checked_name(annotator, "annotator"), time.time() if now is None else now
        label, place = t.labels.c, t.places.c
        saves = select(label.id, label.number, label.showing, label.saved.label("at")).where(
            label.queue == queue_id, label.annotator == person, label.undone.is_(None), label.saved >= since
        )
        ends = select(place.number, place.showing, place.completed.label("at")).where(
            place.queue == queue_id, place.annotator == person, place.complete, place.completed >= since
        )
        with alone(self._store.engine) as connection:
            lock(connection, queue_id)
            save = connection.execute(saves.order_by(label.id.desc()).limit(1)).first()
            end = connection.execute(ends.order_by(place.completed.desc()).limit(1)).first()
            is_end = end is not None and (save is None or end.at >= save.at)
            last = end if is_end else save
            if last is None:
                return None
            item = stored_item(connection, queue_id, last.number, last.showing)
            undone = [label.saved == last.at] if is_end else [label.id == last.id]
            of_item = (label.queue == queue_id, *_of_item(item, person))
            connection.execute(update(t.labels).where(*of_item, *undone).values(undone=time_))
            is_labelled = current_labels(connection, queue_id, *_of_item(item, person))
            if is_end or not is_labelled:
                expires = None if is_labelled else time_ + RESERVATION
                values = {"complete": False, "completed": None, "expires": expires}
                where = of_place(queue_id, (item.number, item.showing), person)
                connection.execute(update(t.places).where(*where).values(values))
            return item

    @verb("labels.save", "{item.queue}")
    def complete(self, item: QueueItem, annotator: str, now: float | None = None, *, translated: bool = False) -> None:
        """Marks that a person has finished an item; one without any label gets the choice of none of them.

        `translated` is noted with that choice. What they said under an older version of the taxonomy counts as said
        under the one in use. Raises UsageError where that version does not allow it, and where others have all places
        of the item by now.
        """
        person, time_ = checked_name(annotator, "annotator"), round(time.time() if now is None else now, 6)
        place = (item.number, item.showing)
        with alone(self._store.engine) as connection:
            lock(connection, item.queue)
            queue = stored_queue(connection, item.queue)
            stored = stored_item(connection, item.queue, item.number)
            keep(connection, queue, place, person, time_)
            records = current_labels(connection, queue.id, *_of_item(item, person))
            for record in records:
                if record.version != queue.version:
                    again = replace(record, version=queue.version, saved=time_)
                    check_record(connection, again, stored, None)
                    _append(connection, again)
            if not records:
                _append(connection, _none_of_them(queue, item, person, time_, translated))
            values = {"complete": True, "completed": time_}
            connection.execute(update(t.places).where(*of_place(queue.id, place, person)).values(values))

    def is_complete(self, item: QueueItem, annotator: str) -> bool:
        """Whether a person has finished an item at this showing."""
        place = of_place(item.queue, (item.number, item.showing), checked_name(annotator, "annotator"))
        with self._store.engine.connect() as connection:
            return bool(connection.execute(select(t.places.c.complete).where(*place)).scalar())

    def labels(self, queue_id: str) -> tuple[LabelRecord, ...]:
        """The current labels of a queue, by item, person, showing and part."""
        with self._store.engine.connect() as connection:
            return tuple(current_labels(connection, queue_id))

    def to_review(self, queue_id: str, annotator: str = "") -> tuple[LabelRecord, ...]:
        """The current labels, of one person where named, that a newer version of the taxonomy touches.

        Saving such a label again, under the newer version, settles it.
        """
        conditions = [t.labels.c.annotator == checked_name(annotator, "annotator")] if annotator else []
        with self._store.engine.connect() as connection:
            return tuple(to_review(connection, stored_queue(connection, queue_id), *conditions))


def check_record(connection: Connection, record: LabelRecord, item: QueueItem, text: str | None) -> None:
    """Checks a record against its taxonomy and its texts, and stores a passage's `text`. Raises UsageError."""
    taxonomy = stored_taxonomy(connection, record.taxonomy, record.version)
    if problem := taxonomy.problem(record.labels):
        raise UsageError(problem)
    if len(record.comment) > COMMENT_LIMIT:
        raise UsageError(
            f"The comment has {len(record.comment):,} characters: shorten it to {COMMENT_LIMIT:,} or fewer."
        )
    if HALF_CHARACTER.search(record.comment):
        raise UsageError("The comment contains an invalid character (an unpaired surrogate): type it again.")
    if len(record.spans) > SPANS_LIMIT:
        raise UsageError(f"There are {len(record.spans):,} spans: mark {SPANS_LIMIT} or fewer.")
    place = _text_of(connection, record, item, text)
    for span in record.spans:
        if span.label and span.label not in record.labels:
            raise UsageError(f"A span is of the label “{shorten(span.label)}”, which is not given: give it first.")
        if problem := span_problem(place, span):
            raise UsageError(problem)


def _text_of(connection: Connection, record: LabelRecord, item: QueueItem, text: str | None) -> str:
    """The text that a record's spans lie in."""
    part = record.on
    claim = part.removeprefix(CLAIM) if part.startswith(CLAIM) and len(part) <= PART_LIMIT else ""
    if part == ANSWER or (claim.isascii() and claim.isdecimal()):
        return item.answer
    if part == QUESTION:
        return item.question
    if not part.startswith(PASSAGE) or part == PASSAGE or len(part) > PART_LIMIT:
        raise UsageError(
            f"“{shorten(part)}” is not a part of an item. Allowed: answer, question, claim:<number>, passage:<id>."
        )
    if not record.spans:
        return ""
    p = t.part_texts.c
    where = (p.queue == record.queue, p.number == record.number, p.part == part)
    stored = connection.execute(select(p.text).where(*where)).scalar()
    if stored is None and text is None:
        raise UsageError(f"The text of {part} is not stored here: spans in it cannot be checked.")
    if stored is None:
        stored = nfc(text or "")
        values = {"queue": record.queue, "number": record.number, "part": part, "text": stored}
        connection.execute(insert(t.part_texts).values(values))
    return str(stored)


def _append(connection: Connection, record: LabelRecord) -> LabelRecord:
    """Stores a record, unless what is current there is the same; returns what is stored now."""
    conditions = (*_of_item(record, record.annotator), t.labels.c.part == record.on)
    for stored in current_labels(connection, record.queue, *conditions):
        if {**to_row(stored), "saved": 0} == {**to_row(record), "saved": 0}:
            return stored
    connection.execute(insert(t.labels).values(to_row(record)))
    return record


def _none_of_them(queue: AnnotationQueue, item: QueueItem, person: str, saved: float, translated: bool) -> LabelRecord:
    place = (queue.id, item.number, person, item.showing, ANSWER)
    return LabelRecord(*place, (), "", (), queue.taxonomy, queue.version, saved, translated)


def _of_item(item: QueueItem | LabelRecord, person: str) -> tuple[ColumnElement[bool], ...]:
    label = t.labels.c
    return label.number == item.number, label.showing == item.showing, label.annotator == person


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
                saved=round(time.time(), 6),
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
    is_touched = touched_labels(connection, queue)
    return {part: decision for part, decision in last.items() if not is_touched(decision.version, decision.labels)}


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
