"""Annotate: a queue, a person, and one item at a time, until none is left for them."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from workbench.annotation import AnnotationQueue, QueueStore
from workbench.ui.annotate import (
    adjudication_view,
    label_card,
    label_keys,
    label_transfer,
    labelling,
    pace_view,
    queue_forms,
    queue_manage,
    queue_results,
    shares_view,
)
from workbench.ui.dashboard import result_frames
from workbench.ui.inspect import first_steps
from workbench.ui.inspect.inspect_state import SESSION, InspectState
from workbench.ui.parts import permitted, safe_html

DONE = "Nothing is left for you in this queue: thank you. Others may still be at work."


def draw(state: InspectState) -> None:
    """The view from top to bottom, as far as it has come."""
    store = QueueStore(result_frames.store())
    queues = store.queues()
    queue_manage.show_done()
    if queues and _labels_now(store, queues, state):
        # Whoever labels must not see which experiments there are.
        return
    if not queues:
        first_steps.offer()
    queue_forms.create(store)
    if queues:
        label_transfer.upload()


def _labels_now(store: QueueStore, queues: Sequence[AnnotationQueue], state: InspectState) -> bool:
    """One of the queues, with the item that its person has now; whether they have one."""
    left, right = st.columns([1.1, 1], gap="medium", vertical_alignment="bottom")
    with left:
        queue = queue_forms.choose(queues, state)
    if queue.id != state.queue:
        SESSION.choose("queue", queue.id)
        state = SESSION.current
    languages = sorted({item.language for item in store.items(queue.id)})
    place = labelling.desk(queue, state.annotator)
    if not queue_forms.annotator(languages, state):
        _results(place, opened=False)
        return False
    queue_manage.review(place, state)
    item = labelling.open_item(place, state)
    stand = store.progress(queue.id)
    with right:
        queue_results.progress(stand, state.annotator)
    if item is not None:
        label_card.draw(place, item, state)
    else:
        safe_html.message(DONE)
        _after_the_end(place)
        _results(place, opened=True)
    safe_html.show(queue_results.progress_line(stand))
    return item is not None


def _results(place: labelling.LabellingDesk, *, opened: bool) -> None:
    """What came of the queue. It is not for people who still have items to label: they would see what others said."""
    queue_results.draw(place, opened=opened)
    pace_view.draw(place)
    adjudication_view.draw(place)
    shares_view.draw(place)
    queue_manage.draw(place)


def _after_the_end(place: labelling.LabellingDesk) -> None:
    """The ways back from the end."""
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Back", key="inspect_back", icon=":material/chevron_left:", on_click=labelling.back, args=(place, None)
        )
        st.button(
            "Undo",
            key="inspect_undo",
            icon=":material/undo:",
            on_click=labelling.undo,
            args=(place,),
            **permitted.control("labels.save"),
        )
    label_keys.listen(0)
