"""Blind votes on two runs: a ballot, a person, and one question at a time, until none is left for them."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from workbench.annotation import PRESSED, Ballot, BallotItem, Pressed, VoteStore, answers_as_shown
from workbench.core import UsageError
from workbench.ui.compare import ballot_forms, compare_state, vote_keys, vote_results
from workbench.ui.compare.compare_state import CompareState
from workbench.ui.dashboard import result_frames
from workbench.ui.parts import permitted, safe_html
from workbench.ui.parts.badges import language_badge
from workbench.ui.parts.safe_html import Html, element, escaped, text_block

NO_RESULTS = "There are no answers yet. Run an experiment with two recipes, then vote on their answers here."
SEEN = "You have seen which run is which: votes that you cast now are kept, and left out of the results."
DONE = "Nothing is left for you in this ballot: thank you."


def draw(state: CompareState) -> None:
    """The view from top to bottom, as far as it has come."""
    store = VoteStore(result_frames.store())
    ballots = store.ballots()
    has_results = bool(result_frames.experiments(result_frames.current_state()))
    if ballots:
        _ballot(store, ballots, state)
    elif not has_results:
        safe_html.message(NO_RESULTS)
        st.page_link("pages/runs.py", label="Run an experiment", icon=":material/play_circle:")
        return
    else:
        safe_html.message("There are no ballots yet: make one of two runs of an experiment.")
    if has_results:
        ballot_forms.create(store, opened=not ballots)


def _ballot(store: VoteStore, ballots: Sequence[Ballot], state: CompareState) -> None:
    ballot = ballot_forms.choose(ballots, state)
    languages = sorted({item.language for item in store.items(ballot.id)})
    if not ballot_forms.voter(languages, state):
        return
    open_items = store.open_items(ballot.id, state.voter, state.reads)
    count = sum(not state.reads or item.language in state.reads for item in store.items(ballot.id))
    st.progress(
        (count - len(open_items)) / count if count else 1.0, text=f"{count - len(open_items)} of {count} by you"
    )
    if open_items:
        if store.has_seen(ballot.id, state.voter):
            safe_html.message(SEEN)
        _item(store, ballot, open_items[0], state.voter)
    else:
        safe_html.message(DONE)
        _undo(store, ballot, state.voter)
    vote_keys.listen()
    # Questions in languages that somebody does not read today, they may vote on tomorrow.
    left = len(store.open_items(ballot.id, state.voter))
    vote_results.draw(store, ballot, state.voter, left=left)


def _item(store: VoteStore, ballot: Ballot, item: BallotItem, voter: str) -> None:
    """A question with both answers; nothing tells which run an answer is from."""
    label = element("span", escaped("Question"), css="wb-label")
    line = element("div", label, language_badge(item.language), css="wb-row")
    safe_html.show(
        element("section", line, text_block(item.question, item.language, "wb-said wb-long"), css="wb-answer")
    )
    answers = answers_as_shown(ballot, item, voter)
    for column, name, answer in zip(st.columns(2, gap="medium"), ("A", "B"), answers, strict=True):
        with column:
            safe_html.show(answer_card(name, answer, item.language))
    with st.container(horizontal=True, gap="small", key="vote_buttons"):
        for pressed in PRESSED:
            st.button(
                vote_keys.LABELS[pressed],
                key=f"{vote_keys.VOTE}{pressed}",
                type="primary" if pressed in ("a", "b") else "secondary",
                on_click=_vote,
                args=(store, ballot, item.number, voter, pressed),
                **permitted.control("votes.cast"),
            )
        _undo(store, ballot, voter)
    safe_html.show(vote_keys.keys_line())


def answer_card(name: str, answer: str, code: str) -> Html:
    """One of the two answers under the letter that it is shown as."""
    return element(
        "section",
        element("div", escaped(name), css="wb-column"),
        text_block(answer, code, "wb-long"),
        css="wb-answer wb-side",
    )


def _undo(store: VoteStore, ballot: Ballot, voter: str) -> None:
    st.button(
        "Undo",
        key=vote_keys.UNDO,
        icon=":material/undo:",
        on_click=_take_back,
        args=(store, ballot, voter),
        **permitted.control("votes.cast"),
    )


def _vote(store: VoteStore, ballot: Ballot, number: int, voter: str, pressed: Pressed) -> None:
    with compare_state.SESSION.noticed():
        store.vote(ballot, number, voter, pressed)


def _take_back(store: VoteStore, ballot: Ballot, voter: str) -> None:
    with compare_state.SESSION.noticed():
        if not store.undo(ballot.id, voter):
            raise UsageError("There is nothing to undo: you have no vote in this ballot.")
