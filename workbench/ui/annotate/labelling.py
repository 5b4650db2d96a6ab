"""One item after another: which one is open, and what the buttons save. Every action is stored before it is drawn."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import streamlit as st

from workbench.annotation import (
    ANSWER,
    AnnotationQueue,
    LabelRecord,
    LabelStore,
    QueueItem,
    QueueStore,
    Taxonomy,
    TextSpan,
    marked_span,
)
from workbench.core import UsageError
from workbench.ui.dashboard import result_frames
from workbench.ui.inspect import evidence_view
from workbench.ui.inspect.inspect_state import SESSION, InspectState
from workbench.ui.parts import safe_html

COMMENT = "inspect_comment"
"""How the keys of the comments begin, one for each item."""
COMMENTS = "inspect_comments"
"""The session's key for the keys of the comments that it has drawn."""
ACTIVE = "inspect_active"
"""How the keys of the labels that marks are of begin, one for each item."""
NO_LABEL = "Choose a label first: this taxonomy has one for every answer."


@dataclass(frozen=True, slots=True)
class LabellingDesk:
    """A queue as one person works on it: its stores, its taxonomy, the person's name, since when in this session."""

    queues: QueueStore
    labels: LabelStore
    queue: AnnotationQueue
    taxonomy: Taxonomy
    annotator: str
    since: float

    def record(self, item: QueueItem) -> LabelRecord | None:
        """What the person says about an item's answer so far."""
        records = self.labels.current(item, self.annotator)
        return next((record for record in records if record.on == ANSWER), None)

    def save(
        self,
        item: QueueItem,
        labels: tuple[str, ...] | None = None,
        comment: str | None = None,
        spans: tuple[TextSpan, ...] | None = None,
    ) -> None:
        """Saves what is not None, next to what the person said before. Raises UsageError."""
        record = self.record(item)
        self.labels.save(
            item,
            self.annotator,
            labels if labels is not None else record.labels if record else (),
            comment if comment is not None else record.comment if record else "",
            spans if spans is not None else record.spans if record else (),
            ANSWER,
            self.taxonomy.version,
            translated=evidence_view.shows_english(item.language),
        )


def open_desk(queue: AnnotationQueue, annotator: str) -> LabellingDesk:
    """The desk of a person at a queue."""
    store = result_frames.store()
    queues = QueueStore(store)
    since = st.session_state.setdefault(f"inspect_since_{queue.id}_{annotator}", time.time())
    return LabellingDesk(queues, LabelStore(store), queue, queues.taxonomy_of(queue.id), annotator, since)


def open_item(desk: LabellingDesk, state: InspectState) -> QueueItem | None:
    """The item that the state names, else the person's next one, which the state names from now on; None at the end."""
    if state.item:
        try:
            item = desk.queues.item(desk.queue.id, state.item, state.showing)
            desk.queues.renew(item, desk.annotator)
        except UsageError as error:
            safe_html.message(error.on_screen, "error")
        else:
            return item
    item_now = desk.queues.next_item(desk.queue.id, desk.annotator, state.reads, any_answer=state.others)
    _open(item_now)
    return item_now


def toggle(desk: LabellingDesk, item: QueueItem, key: str) -> None:
    """Gives a label to an item, or takes it back with its marks; where one is allowed it replaces the other.

    What was marked is then about the label that replaces it.
    """
    with SESSION.noticed():
        record = desk.record(item)
        labels = record.labels if record else ()
        others = tuple(label for label in labels if label != key)
        rest = others if desk.taxonomy.several or key in labels else ()
        added = () if key in labels else (key,)
        wanted = {*rest, *added}
        ordered = tuple(label for label in desk.taxonomy.keys if label in wanted)
        before = record.spans if record else ()
        if added and not desk.taxonomy.several:
            spans = tuple(dict.fromkeys(replace(span, label=key) for span in before))
        else:
            spans = tuple(span for span in before if span.label in ("", *ordered))
        desk.save(item, ordered, spans=spans)
        if added:
            st.session_state[active_key(item)] = key


def active_label(desk: LabellingDesk, item: QueueItem, record: LabelRecord | None) -> str:
    """The label that marks are of: the one given last, or selected for it; "" where none is given."""
    labels = record.labels if record else ()
    active = st.session_state.get(active_key(item))
    return active if active in labels else next((key for key in reversed(desk.taxonomy.keys) if key in labels), "")


def mark(desk: LabellingDesk, item: QueueItem, event: object) -> None:
    """Saves what was selected in the answer, as the browser reports it; what is marked already stays as it is."""
    with SESSION.noticed():
        start, end, label, text = _selection(event)
        record = desk.record(item)
        if record is None or label not in record.labels:
            raise UsageError("A mark belongs to a label: give the label first, then select the words.")
        spans = {*record.spans, marked_span(item.answer, start, end, text, label)}
        desk.save(item, spans=tuple(sorted(spans, key=lambda span: (span.start, span.end, span.label))))


def remove_mark(desk: LabellingDesk, item: QueueItem, event: object) -> None:
    """Takes a mark away; one that is gone already is no error."""
    with SESSION.noticed():
        removed = _selection(event)[:3]
        record = desk.record(item)
        if record is not None:
            left = tuple(span for span in record.spans if (span.start, span.end, span.label) != removed)
            desk.save(item, spans=left)


def _selection(event: object) -> tuple[int, int, str, str]:
    """Start, end, label and text of what the browser reports. Raises UsageError for anything else."""
    values = event if isinstance(event, dict) else {}
    start, end, label, text = (values.get(name, "") for name in ("start", "end", "label", "text"))
    if type(start) is not int or type(end) is not int or not isinstance(label, str) or not isinstance(text, str):
        raise UsageError("The selection could not be read: select the words again.")
    return start, end, label, text


def save_comment(desk: LabellingDesk, item: QueueItem) -> None:
    """Saves the comment as it is in its field."""
    with SESSION.noticed():
        desk.save(item, comment=str(st.session_state.get(comment_key(item), "")))


def is_new_comment(key: str) -> bool:
    """Whether a comment's field was not drawn in this session before; from now on it was.

    The browser may have text in it from before the server was started again, and nothing counts as changed then.
    """
    keys: set[str] = st.session_state.setdefault(COMMENTS, set())
    is_new = key not in keys
    keys.add(key)
    return is_new


def complete(desk: LabellingDesk, item: QueueItem) -> None:
    """Completes an item and turns to the next one."""
    with SESSION.noticed():
        record = desk.record(item)
        if not desk.taxonomy.several and not (record and record.labels):
            raise UsageError(NO_LABEL)
        desk.labels.complete(item, desk.annotator, translated=evidence_view.shows_english(item.language))
        _open(None)


def undo(desk: LabellingDesk) -> None:
    """Takes back what the person did last in this session and opens its item."""
    with SESSION.noticed():
        item = desk.labels.undo(desk.queue.id, desk.annotator, since=desk.since)
        if item is None:
            raise UsageError("There is nothing to undo since you opened this queue; Back opens what you did before.")
        for key in (comment_key(item), active_key(item)):
            st.session_state.pop(key, None)
        _open(item)


def back(desk: LabellingDesk, item: QueueItem | None) -> None:
    """Opens the item that the person had before, from the end their last complete one."""
    with SESSION.noticed():
        before = desk.queues.previous(desk.queue.id, desk.annotator, item)
        if before is not None:
            _open(before)


def forward(desk: LabellingDesk, item: QueueItem) -> None:
    """Opens the item that the person had after this one; from the last one a new one, and this one is put off."""
    with SESSION.noticed():
        after = _after(desk, item)
        if after is None and not desk.labels.is_complete(item, desk.annotator):
            desk.queues.skip(item, desk.annotator)
        _open(after)


def _after(desk: LabellingDesk, item: QueueItem) -> QueueItem | None:
    """The item that the person had after another, None after the last one."""
    queue, person, state = desk.queue.id, desk.annotator, SESSION.current
    newest = desk.queues.next_item(queue, person, state.reads, any_answer=state.others)
    for last in (newest, desk.queues.previous(queue, person)):
        after, at = None, last
        while at is not None and _place(at) != _place(item):
            after, at = at, desk.queues.previous(queue, person, at)
        if at is not None:
            return after
    return None


def comment_key(item: QueueItem) -> str:
    """The key of an item's comment field."""
    return f"{COMMENT}_{item.queue}_{item.number}_{item.showing}"


def active_key(item: QueueItem) -> str:
    """The key of the choice which label an item's next mark is of."""
    return f"{ACTIVE}_{item.queue}_{item.number}_{item.showing}"


def _open(item: QueueItem | None) -> None:
    values = {"item": item.number, "showing": item.showing} if item else {"item": 0, "showing": 1}
    SESSION.change(**values)


def _place(item: QueueItem) -> tuple[int, int]:
    return item.number, item.showing
