"""Choosing a ballot, making one, and saying who votes."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from workbench.annotation import PER_LANGUAGE_MOST, Ballot, VoteStore
from workbench.core import UsageError
from workbench.experiments import Filter
from workbench.ui.compare import compare_state
from workbench.ui.compare.compare_state import NAME_LIMIT, CompareState
from workbench.ui.dashboard import result_frames, run_frames, view_controls
from workbench.ui.parts import access, permitted, safe_html

KEY = "vote_form_"
BALLOT = "vote_ballot"
SEED_MOST = 999_999


def choose(ballots: Sequence[Ballot], state: CompareState) -> Ballot:
    """The box of ballots, of which there is at least one; the newest where the link names an unknown one."""
    names = {ballot.id: ballot.name for ballot in ballots}
    if state.ballot and state.ballot not in names:
        safe_html.message("The ballot that the link names is not in this workspace; the newest one is shown.", "error")
    ballot = state.ballot if state.ballot in names else ballots[0].id
    if ballot != state.ballot:
        compare_state.SESSION.change(ballot=ballot)
    st.session_state[BALLOT] = ballot
    st.selectbox(
        "Ballot",
        list(names),
        key=BALLOT,
        format_func=names.__getitem__,
        on_change=lambda: compare_state.SESSION.change(ballot=st.session_state[BALLOT]),
    )
    return next(item for item in ballots if item.id == ballot)


@permitted.form("queues.create")
def create(store: VoteStore, *, opened: bool) -> None:
    """The form of a new ballot in an expander, which is open at first where `opened`."""
    form = st.expander("Make a ballot", icon=":material/how_to_vote:", key="vote_new", expanded=opened)
    with form, access.guarded():
        _form(store)


def _form(store: VoteStore) -> None:
    """The form: an experiment's two runs, and how many questions of each language."""
    results = result_frames.current_state()
    experiments = view_controls.distinct_names(result_frames.experiments(results))
    experiment = st.selectbox(
        "Experiment", list(experiments), key=f"{KEY}experiment", format_func=experiments.__getitem__
    )
    runs = result_frames.runs(results, Filter(experiments=(experiment,)))
    if len(runs) < 2:
        safe_html.message("This experiment has one run: choose one with two or more.")
        return
    titles = run_frames.run_titles(runs)
    with st.form(f"{KEY}form", border=False):
        name = st.text_input("Name of the ballot", key=f"{KEY}name", max_chars=80, placeholder="Which reads better")
        left, right = st.columns(2, gap="medium")
        with left:
            first = st.selectbox(
                "First run", list(titles), key=f"{KEY}first_{experiment}", format_func=titles.__getitem__
            )
            size = st.number_input("Questions per language", 1, PER_LANGUAGE_MOST, 20, key=f"{KEY}size")
        with right:
            second = st.selectbox(
                "Second run", list(titles), 1, key=f"{KEY}second_{experiment}", format_func=titles.__getitem__
            )
            seed = st.number_input(
                "Seed", 0, SEED_MOST, 0, key=f"{KEY}seed", help="The questions and their order follow from it."
            )
        if not st.form_submit_button(
            "Make ballot", key=f"{KEY}create", icon=":material/add:", **permitted.control("queues.create")
        ):
            return
    if not name.strip():
        raise UsageError("Type a name: the ballot is listed under it.")
    ballot = store.create(
        name, (first, second), (titles[first], titles[second]), per_language=int(size), seed=int(seed)
    )
    compare_state.SESSION.change(ballot=ballot.id)
    st.rerun()


def voter(languages: Sequence[str], state: CompareState) -> bool:
    """Who votes: the form where that is not known yet, else a line. True where it is known."""
    return permitted.known_person(
        state.voter,
        state.reads,
        languages,
        lambda name, reads: compare_state.SESSION.change(voter=name, reads=reads),
        key="vote",
        limit=NAME_LIMIT,
        verb="votes.cast",
        work="votes",
    )
