"""What is done with a queue as a whole: a newer version of its taxonomy, and deleting it, confirmed by its name."""

from __future__ import annotations

import streamlit as st

from workbench.annotation import taxonomies
from workbench.ui.annotate.labelling import LabellingDesk
from workbench.ui.inspect.inspect_state import SESSION, InspectState
from workbench.ui.parts import access, permitted, safe_html
from workbench.ui.parts.badges import chip
from workbench.ui.parts.safe_html import element, escaped

DONE = "inspect_manage_done"
"""The session's key for what was done, for the next run to show."""


@permitted.form("queues.change")
def draw(place: LabellingDesk) -> None:
    """Both, side by side; read only while they are open."""
    with st.expander(
        "Manage this queue", icon=":material/tune:", key="inspect_manage", on_change="rerun", expanded=False
    ) as fold:
        if not fold.open:
            return
        left, right = st.columns(2, gap="large")
        with left, access.guarded():
            _version(place)
        with right, access.guarded():
            _delete(place)


def show_done() -> None:
    """Shows what was done in the last run, once."""
    if words := st.session_state.pop(DONE, ""):
        safe_html.message(words)


def review(place: LabellingDesk, state: InspectState) -> None:
    """The way to what the person labelled under an older version, where the newer one touches it."""
    records = place.labels.to_review(place.queue.id, place.annotator)
    places = list(dict.fromkeys((record.number, record.showing) for record in records))
    if not places:
        return
    later = [item for item in places if item > (state.item, state.showing)]
    number, showing = (later or places)[0]
    words = (
        f"Version {place.queue.version} of the guideline changes labels that you gave: look at {len(places):,} answers "
        "again. Complete and next confirms them."
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="inspect_review"):
        safe_html.message(words)
        st.button(
            "Open the next of them",
            key="inspect_review_open",
            icon=":material/history:",
            on_click=SESSION.change,
            kwargs={"item": number, "showing": showing},
        )


def _version(place: LabellingDesk) -> None:
    """What a newer version of the taxonomy changes, and the button that uses it."""
    st.markdown("**Taxonomy**")
    queue, before = place.queue, place.taxonomy
    newest = next((item for item in taxonomies(access.workbench().settings.home) if item.name == queue.taxonomy), None)
    if newest is None:
        safe_html.message(
            f"The taxonomy “{queue.taxonomy}” is no longer in the workspace: version {queue.version} stays."
        )
        return
    if newest == before:
        st.caption(f"Version {queue.version} is the newest.")
        return
    reopened = place.queues.reopened_by(queue.id, newest)
    touched = newest.touched(before)
    changed = [label.name for label in before.labels if label.key in touched]
    added = [label.name for label in newest.labels if label.key not in before.keys]
    safe_html.show(
        element("div", escaped(f"Version {queue.version} is in use, version {newest.version} is available."))
    )
    for head, names in (("Changed or removed:", changed), ("New:", added)):
        if names:
            safe_html.show(element("div", escaped(head), *map(chip, names), css="wb-row"))
    st.caption(f"{reopened:,} labels will have to be looked at again; decisions on changed labels are open again.")
    if st.button(
        f"Use version {newest.version}",
        key="inspect_use_version",
        icon=":material/upgrade:",
        **permitted.control("queues.change"),
    ):
        count = place.queues.use_version(queue.id, newest)
        st.session_state[DONE] = f"Version {newest.version} is in use: {count:,} labels are to be looked at again."
        st.rerun()


def _delete(place: LabellingDesk) -> None:
    """Deletes the queue once its name is typed."""
    st.markdown("**Delete**")
    name = place.queue.name
    confirmation = st.text_input(
        "Type its name to delete it", key=f"inspect_delete_{place.queue.id}", autocomplete="off"
    )
    st.caption("Its labels, comments and decisions are deleted too. This cannot be undone: download the labels first.")
    if st.button(
        "Delete queue",
        key="inspect_delete_queue",
        icon=":material/delete:",
        **permitted.control("queues.delete", disabled=" ".join(confirmation.split()) != name),
    ):
        count = place.queues.delete(place.queue.id)
        st.session_state[DONE] = f"The queue “{name}” is deleted, with what was said about {count:,} answers."
        SESSION.change(queue="", item=0, showing=1)
        st.rerun()
