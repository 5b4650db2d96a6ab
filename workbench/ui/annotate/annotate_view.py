"""Annotate: a queue, a person, and one item at a time, until none is left for them.

Below them is what is done with queues as a whole: making one, a newer version of its taxonomy, and deleting it.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from workbench.annotation import (
    ANNOTATORS_LIMIT,
    PAPER_TAXONOMY,
    PER_LANGUAGE_LIMIT,
    AnnotationQueue,
    QueueStore,
    taxonomies,
)
from workbench.ui.annotate import label_card, label_keys, label_transfer, labelling
from workbench.ui.annotate.labelling import LabellingDesk
from workbench.ui.annotate.queue_results import draw_progress, draw_results, progress_line
from workbench.ui.dashboard import result_frames, view_controls
from workbench.ui.inspect import evidence_view, first_steps
from workbench.ui.inspect.inspect_state import NAME_LIMIT, SESSION, InspectState
from workbench.ui.parts import access, outcome, permitted, safe_html
from workbench.ui.parts.badges import chip, language_option
from workbench.ui.parts.folds import folded
from workbench.ui.parts.safe_html import element, escaped
from workbench.ui.parts.verb_button import verb_button

NO_QUEUE = "The queue that the link names is not in this workspace; the newest one is shown, if there is any."
DONE = "Nothing is left for you in this queue: thank you. Others may still be at work."


def draw(state: InspectState, top: DeltaGenerator) -> None:
    """The view from top to bottom, as far as it has come; `top` is the page's first line, which has room left."""
    store = QueueStore(result_frames.store())
    queues = store.queues()
    outcome.show(QUEUE)
    if state.queue and state.queue not in {queue.id for queue in queues}:
        safe_html.message(NO_QUEUE, "error")
    if queues and _labels_now(store, queues, state, top):
        # Whoever labels must not see which experiments there are.
        return
    if not queues:
        first_steps.offer()
    create_queue(store)
    if queues:
        label_transfer.upload()


def _labels_now(store: QueueStore, queues: Sequence[AnnotationQueue], state: InspectState, top: DeltaGenerator) -> bool:
    """One of the queues, with the item that its person has now; whether they have one."""
    with top:
        queue = choose_queue(queues, state)
    if queue.id != state.queue:
        SESSION.choose("queue", queue.id)
        state = SESSION.current
    desk = labelling.open_desk(queue, state.annotator)
    left, right = st.columns([1.5, 1], gap="medium")
    line = left.container(horizontal=True, vertical_alignment="center")
    with line:
        is_known = known_annotator(store.languages(queue.id), state)
    if not is_known:
        SESSION.show_notice()
        draw_results(desk, opened=False)
        draw_management(desk)
        return False
    item, stand = labelling.open_item(desk, state), store.progress(queue.id)
    with top:
        draw_progress(stand, state.annotator)
    with left:
        offer_review(desk, state)
        offer_other_answers(desk, state)
    if item is None:
        SESSION.show_notice()
        safe_html.message(DONE)
        _after_the_end(desk)
        draw_results(desk, opened=True)
        draw_management(desk)
    else:
        with line:
            in_english = evidence_view.reads_english()
        with left:
            label_card.draw_texts(desk, item, in_english=in_english)
        with right:
            label_card.draw_panel(desk, item)
    safe_html.show(progress_line(stand))
    if item is not None:
        st.button(
            "Agreement, results and downloads",
            key="inspect_results_of_all",
            icon=":material/handshake:",
            type="tertiary",
            help="What everybody has said so far. You stop labelling; Start goes on under your name.",
            on_click=SESSION.change,
            kwargs={"annotator": "", "item": 0, "showing": 1},
        )
    return item is not None


def offer_other_answers(desk: LabellingDesk, state: InspectState) -> None:
    """How many answers a person is not given because they are in other languages, and the switch that includes them."""
    counts = desk.queues.other_answers(desk.queue.id, state.reads)
    if counts:
        words = ", ".join(f"{language_option(code)} {count:,}" for code, count in counts.items())
        st.toggle(
            f"Also answers in other languages ({sum(counts.values()):,})",
            **SESSION.control("others"),
            help=f"Answers to questions that you read, in languages that you do not: {words}. "
            "Off, they wait for people who read both.",
        )


def _after_the_end(desk: labelling.LabellingDesk) -> None:
    """The ways back from the end."""
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Back", key="inspect_back", icon=":material/chevron_left:", on_click=labelling.back, args=(desk, None)
        )
        label_card.draw_undo(desk)
    label_keys.listen(0)


FORM_KEY, QUEUE = "inspect_queue_", "inspect_queue"
"""How the keys of the form begin, and the place where it is said what became of a queue."""


def choose_queue(queues: Sequence[AnnotationQueue], state: InspectState) -> AnnotationQueue:
    """The box of queues, of which there is at least one; the newest where the link names an unknown one."""
    names = {queue.id: queue.name for queue in queues}
    queue = state.queue if state.queue in names else queues[0].id
    st.selectbox(
        "Queue",
        list(names),
        format_func=names.__getitem__,
        label_visibility="collapsed",
        width=260,
        **SESSION.control("queue", shown=queue),
    )
    return next(item for item in queues if item.id == queue)


@permitted.form("queues.create")
@folded("Create a queue", "playlist_add", "inspect_new_queue")
def create_queue(store: QueueStore) -> None:
    """The form of a new queue: runs, taxonomy, answers of each language, people per answer."""
    experiment, titles = view_controls.runs_of_one(f"{FORM_KEY}experiment")
    shipped = {taxonomy.name: taxonomy for taxonomy in taxonomies(access.workbench().settings.home)}
    with st.form(f"{FORM_KEY}form", border=False):
        name = st.text_input("Name of the queue", key=f"{FORM_KEY}name", max_chars=80, placeholder="Pilot, first round")
        selection = st.multiselect(
            "Runs", list(titles), key=f"{FORM_KEY}runs_{experiment}", format_func=titles.__getitem__, placeholder="All"
        )
        kind = st.selectbox(
            "Taxonomy",
            sorted(shipped, key=lambda item: item != PAPER_TAXONOMY),
            key=f"{FORM_KEY}taxonomy",
            format_func=lambda item: shipped[item].title,
            help="The question that people answer about each answer, and the labels that they choose from.",
        )
        left, middle, right = st.columns(3)
        with left:
            size = st.number_input("Answers per language", 1, PER_LANGUAGE_LIMIT, 10, key=f"{FORM_KEY}size")
        with middle:
            people = st.number_input("Annotators per answer", 1, ANNOTATORS_LIMIT, 2, key=f"{FORM_KEY}people")
        with right:
            twice = st.number_input(
                "Shown twice (%)",
                0,
                100,
                0,
                key=f"{FORM_KEY}twice",
                help="The share of answers that the same person sees again later, to measure how steady they are.",
            )
        if not verb_button("Create queue", "queues.create", key=f"{FORM_KEY}create", icon="add", submits=True):
            return
    queue = store.create(
        name,
        shipped[kind],
        selection or list(titles),
        per_language=int(size),
        annotators_per_item=int(people),
        twice_share=twice / 100,
    )
    items = store.progress(queue.id).items
    outcome.keep(QUEUE, f"The queue “{queue.name}” is created: {items:,} answers, for {int(people):,} people each.")
    SESSION.change(queue=queue.id, item=0, showing=1)
    st.rerun()


def known_annotator(languages: Sequence[str], state: InspectState) -> bool:
    """Who labels: the form where that is not known yet, else a line. True where it is known."""
    return permitted.known_person(
        state.annotator,
        state.reads,
        languages,
        lambda name, reads: SESSION.change(annotator=name, reads=reads, item=0, showing=1),
        key="inspect",
        limit=NAME_LIMIT,
        verb="labels.save",
        work="labels",
    )


@permitted.form("queues.change")
@folded("Manage this queue", "tune", "inspect_manage")
def draw_management(desk: LabellingDesk) -> None:
    """A newer version of its taxonomy, and its end, side by side."""
    left, right = st.columns(2, gap="large")
    with left, access.guarded():
        _version(desk)
    with right, access.guarded():
        _delete(desk)


def offer_review(desk: LabellingDesk, state: InspectState) -> None:
    """The way to what the person labelled under an older version, where the newer one touches it."""
    records = desk.labels.to_review(desk.queue.id, desk.annotator)
    places = list(dict.fromkeys((record.number, record.showing) for record in records))
    if not places:
        return
    later = [item for item in places if item > (state.item, state.showing)]
    number, showing = (later or places)[0]
    words = (
        f"Version {desk.queue.version} of the guideline changes labels that you gave: look at {len(places):,} answers "
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


def _version(desk: LabellingDesk) -> None:
    """What a newer version of the taxonomy changes, and the button that uses it."""
    st.markdown("**Taxonomy**")
    queue, before = desk.queue, desk.taxonomy
    newest = next(
        (taxonomy for taxonomy in taxonomies(access.workbench().settings.home) if taxonomy.name == queue.taxonomy), None
    )
    if newest is None:
        safe_html.message(
            f"The taxonomy “{queue.taxonomy}” is no longer in the workspace: version {queue.version} stays."
        )
        return
    if newest == before:
        st.caption(f"Version {queue.version} is the newest.")
        return
    reopened = desk.queues.reopened_by(queue.id, newest)
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
    label = f"Use version {newest.version}"
    if verb_button(label, "queues.change", key="inspect_use_version", icon="upgrade"):
        count = desk.queues.use_version(queue.id, newest)
        outcome.keep(QUEUE, f"Version {newest.version} is in use: {count:,} labels are to be looked at again.")
        st.rerun()


def _delete(desk: LabellingDesk) -> None:
    """Deletes the queue once its name is typed."""
    st.markdown("**Delete**")
    name = desk.queue.name
    confirmation = st.text_input(
        "Type its name to delete it", key=f"inspect_delete_{desk.queue.id}", autocomplete="off"
    )
    st.caption("Its labels, comments and decisions are deleted too. This cannot be undone: download the labels first.")
    is_sure = " ".join(confirmation.split()) == name
    if verb_button("Delete queue", "queues.delete", key="inspect_delete_queue", icon="delete", disabled=not is_sure):
        count = desk.queues.delete(desk.queue.id)
        outcome.keep(QUEUE, f"The queue “{name}” is deleted, with what was said about {count:,} answers.")
        SESSION.change(queue="", item=0, showing=1)
        st.rerun()
