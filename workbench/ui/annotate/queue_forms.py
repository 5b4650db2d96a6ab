"""Choosing a queue, creating one, and saying who labels."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from workbench.annotation import ANNOTATORS_LIMIT, PER_LANGUAGE_LIMIT, AnnotationQueue, QueueStore, taxonomies
from workbench.experiments import Filter
from workbench.ui.dashboard import result_frames, run_frames, view_controls
from workbench.ui.inspect.inspect_state import NAME_LIMIT, SESSION, InspectState
from workbench.ui.parts import access, permitted, safe_html

KEY = "inspect_queue_"


def choose(queues: Sequence[AnnotationQueue], state: InspectState) -> AnnotationQueue:
    """The box of queues, of which there is at least one; the newest where the link names an unknown one."""
    names = {queue.id: queue.name for queue in queues}
    if state.queue and state.queue not in names:
        safe_html.message("The queue that the link names is not in this workspace; the newest one is shown.", "error")
    queue = state.queue if state.queue in names else queues[0].id
    st.selectbox("Queue", list(names), format_func=names.__getitem__, **SESSION.control("queue", shown=queue))
    return next(item for item in queues if item.id == queue)


@permitted.form("queues.create")
def create(store: QueueStore) -> None:
    """The form of a new queue in an expander."""
    with st.expander("Make a queue", icon=":material/playlist_add:", key="inspect_new_queue"), access.guarded():
        _form(store)


def _form(store: QueueStore) -> None:
    """The form: runs, taxonomy, answers of each language, people per answer."""
    results = result_frames.current_state()
    experiments = view_controls.distinct_names(result_frames.experiments(results))
    experiment = st.selectbox(
        "Experiment", list(experiments), key=f"{KEY}experiment", format_func=experiments.__getitem__
    )
    runs = result_frames.runs(results, Filter(experiments=(experiment,)))
    titles = run_frames.run_titles(runs)
    shipped = {item.name: item for item in taxonomies(access.workbench().settings.home)}
    with st.form(f"{KEY}form", border=False):
        name = st.text_input("Name of the queue", key=f"{KEY}name", max_chars=80, placeholder="Pilot, first round")
        selection = st.multiselect(
            "Runs", list(titles), key=f"{KEY}runs_{experiment}", format_func=titles.__getitem__, placeholder="All"
        )
        kind = st.selectbox(
            "Taxonomy", list(shipped), key=f"{KEY}taxonomy", format_func=lambda item: shipped[item].title
        )
        left, middle, right = st.columns(3)
        with left:
            size = st.number_input("Answers per language", 1, PER_LANGUAGE_LIMIT, 10, key=f"{KEY}size")
        with middle:
            people = st.number_input("Annotators per answer", 1, ANNOTATORS_LIMIT, 2, key=f"{KEY}people")
        with right:
            twice = st.number_input(
                "Shown twice (%)",
                0,
                100,
                0,
                key=f"{KEY}twice",
                help="The share of answers that the same person sees again later, to measure how steady they are.",
            )
        if not st.form_submit_button(
            "Create queue", key=f"{KEY}create", icon=":material/add:", **permitted.control("queues.create")
        ):
            return
    queue = store.create(
        name,
        shipped[kind],
        selection or [run.id for run in runs],
        per_language=int(size),
        annotators_per_item=int(people),
        twice_share=twice / 100,
    )
    SESSION.change(queue=queue.id, item=0, showing=1)
    st.rerun()


def annotator(languages: Sequence[str], state: InspectState) -> bool:
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
