"""What Inspect shows before there is anything to label: the way to an experiment, and a first queue in one click."""

from __future__ import annotations

from functools import partial

import streamlit as st

from workbench.annotation import PAPER_TAXONOMY, QueueStore, taxonomy
from workbench.experiments import Filter, run_names
from workbench.ui.dashboard import result_frames
from workbench.ui.inspect.inspect_state import SESSION
from workbench.ui.parts import access, safe_html
from workbench.ui.parts.safe_html import element, escaped, inline
from workbench.ui.parts.verb_button import verb_button

FIRST_COUNT = 10
"""Answers of each language in the queue of one click."""


def no_results() -> None:
    """There are no answers yet: what Inspect is for, and how to get some."""
    st.markdown(
        "There are no answers yet. Here you read the answers of an experiment one by one, with all that led to them, "
        "and label them alone or with others."
    )
    st.markdown("The demonstration on the Dashboard gives you some in about a minute, with one click.")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.page_link("pages/dashboard.py", label="Go to the demonstration", icon=":material/leaderboard:")
        st.page_link("pages/runs.py", label="Run an experiment", icon=":material/tune:")


def offer() -> None:
    """The first queue in one click."""
    results = result_frames.current_state()
    newest = result_frames.experiments(results)[0]
    runs = result_frames.runs(results, Filter(experiments=(newest.id,)))
    if not runs:
        return
    with st.container(border=True, gap="small", key="inspect_offer"):
        st.markdown("**Label answers.** You read an answer with its documents and say what is wrong with it.")
        label, create = f"Label {FIRST_COUNT} answers per language of your latest run", partial(_create, runs[-1].id)
        verb_button(label, "queues.create", create, key="inspect_first_queue", icon="label", kind="primary")
        name = run_names(runs)[runs[-1].id]
        line = (escaped("Latest run: "), inline(name, css="wb-title"), escaped(" of "), inline(newest.name))
        safe_html.show(element("div", *line, css="wb-muted"))


def _create(run: int) -> None:
    """Creates the first queue and opens it; whoever labels reads its name, so it is not the experiment's."""
    with SESSION.noticed():
        workbench = access.workbench()
        store = QueueStore(result_frames.store())
        queue = store.create(
            "First labels",
            taxonomy(PAPER_TAXONOMY, workbench.settings.home),
            [run],
            per_language=FIRST_COUNT,
        )
        SESSION.change(view="annotate", queue=queue.id, item=0)
