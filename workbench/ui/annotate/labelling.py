"""One item after another: which one is open, and what the buttons save. Every action is stored before it is drawn."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue import ANSWER, AnnotationQueue, LabelRecord, QueueItem
from workbench.annotation.queue_store import QueueStore
from workbench.annotation.taxonomy import Taxonomy
from workbench.errors import UsageError
from workbench.ui.dashboard import result_frames
from workbench.ui.inspect import inspect_session
from workbench.ui.inspect.inspect_url import InspectState
from workbench.ui.shared import safe_html

COMMENT = "inspect_comment"
"""How the keys of the comments begin, one for each item."""
NO_LABEL = "Choose a label first: this taxonomy has one for every answer."


@dataclass(frozen=True, slots=True)
class LabellingDesk:
    """A queue as one person works on it: its stores, its taxonomy and the person's name."""

    queues: QueueStore
    labels: LabelStore
    queue: AnnotationQueue
    taxonomy: Taxonomy
    annotator: str

    def record(self, item: QueueItem) -> LabelRecord | None:
        """What the person says about an item's answer so far."""
        records = self.labels.current(item, self.annotator)
        return next((record for record in records if record.on == ANSWER), None)

    def save(self, item: QueueItem, labels: tuple[str, ...], comment: str) -> None:
        """Saves labels and comment. Raises UsageError."""
        record = self.record(item)
        spans = record.spans if record else ()
        version = self.taxonomy.version
        self.labels.save(item, self.annotator, labels, comment, spans, ANSWER, taxonomy_version=version)


def desk(queue: AnnotationQueue, annotator: str) -> LabellingDesk:
    """The desk of a person at a queue."""
    store = result_frames.store()
    queues = QueueStore(store)
    return LabellingDesk(queues, LabelStore(store), queue, queues.taxonomy_of(queue.id), annotator)


def open_item(place: LabellingDesk, state: InspectState) -> QueueItem | None:
    """The item that the state names, else the person's next one, which the state names from now on; None at the end."""
    if state.item:
        try:
            item = place.queues.item(place.queue.id, state.item, state.showing)
            place.queues.renew(item, place.annotator)
        except UsageError as error:
            safe_html.message(error.on_screen, "error")
        else:
            return item
    item_now = place.queues.next_item(place.queue.id, place.annotator, state.reads)
    _open(item_now)
    return item_now


def toggle(place: LabellingDesk, item: QueueItem, key: str) -> None:
    """Gives a label to an item, or takes it back; where one label is allowed it replaces the other."""
    with inspect_session.noticed():
        record = place.record(item)
        labels = record.labels if record else ()
        others = tuple(label for label in labels if label != key)
        rest = others if place.taxonomy.several or key in labels else ()
        added = () if key in labels else (key,)
        wanted = {*rest, *added}
        ordered = tuple(label for label in place.taxonomy.keys if label in wanted)
        place.save(item, ordered, record.comment if record else "")


def save_comment(place: LabellingDesk, item: QueueItem) -> None:
    """Saves the comment as it is in its field."""
    with inspect_session.noticed():
        record = place.record(item)
        place.save(item, record.labels if record else (), str(st.session_state.get(comment_key(item), "")))


def complete(place: LabellingDesk, item: QueueItem) -> None:
    """Completes an item and turns to the next one."""
    with inspect_session.noticed():
        record = place.record(item)
        if not place.taxonomy.several and not (record and record.labels):
            raise UsageError(NO_LABEL)
        place.labels.complete(item, place.annotator)
        _open(None)


def undo(place: LabellingDesk) -> None:
    """Takes back what the person saved last and opens its item."""
    with inspect_session.noticed():
        item = place.labels.undo(place.queue.id, place.annotator)
        if item is None:
            raise UsageError("There is nothing to undo: you have not saved anything in this queue.")
        st.session_state.pop(comment_key(item), None)
        _open(item)


def back(place: LabellingDesk, item: QueueItem | None) -> None:
    """Opens the item that the person had before, from the end their last complete one."""
    with inspect_session.noticed():
        before = place.queues.previous(place.queue.id, place.annotator, item)
        if before is not None:
            _open(before)


def forward(place: LabellingDesk, item: QueueItem, reads: tuple[str, ...]) -> None:
    """Opens the item that the person had after this one; from the last one a new one, and this one is put off."""
    with inspect_session.noticed():
        after = _after(place, item, reads)
        if after is None and not place.labels.is_complete(item, place.annotator):
            place.queues.skip(item, place.annotator)
        _open(after)


def _after(place: LabellingDesk, item: QueueItem, reads: tuple[str, ...]) -> QueueItem | None:
    """The item that the person had after another, None after the last one."""
    queue, person = place.queue.id, place.annotator
    for last in (place.queues.next_item(queue, person, reads), place.queues.previous(queue, person)):
        after, at = None, last
        while at is not None and _place(at) != _place(item):
            after, at = at, place.queues.previous(queue, person, at)
        if at is not None:
            return after
    return None


def comment_key(item: QueueItem) -> str:
    """The key of an item's comment field."""
    return f"{COMMENT}_{item.queue}_{item.number}_{item.showing}"


def _open(item: QueueItem | None) -> None:
    values = {"item": item.number, "showing": item.showing} if item else {"item": 0, "showing": 1}
    inspect_session.change(**values)


def _place(item: QueueItem) -> tuple[int, int]:
    return item.number, item.showing
