"""Blind votes on two runs: a ballot, a person, and one question at a time, until none is left for them.

The results name the runs: they are for people who have voted on all, or who give up voting blindly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import streamlit as st

from workbench.annotation import (
    EVERY,
    PER_LANGUAGE_MOST,
    PRESSED,
    Ballot,
    BallotItem,
    Preference,
    Pressed,
    VoteStore,
    answers_as_shown,
    preferences,
    votes_csv,
)
from workbench.core import UsageError
from workbench.ui.compare import compare_state
from workbench.ui.compare.compare_state import NAME_LIMIT, CompareState
from workbench.ui.dashboard import result_frames, view_controls
from workbench.ui.data import data_view
from workbench.ui.parts import access, downloads, folds, keyboard, permitted, safe_html
from workbench.ui.parts.badges import chip, language_badge, language_option
from workbench.ui.parts.data_table import data_table
from workbench.ui.parts.folds import folded
from workbench.ui.parts.safe_html import Html, element, escaped, inline, text_block
from workbench.ui.parts.verb_button import Kind, verb_button

NO_BALLOT = "The ballot that the link names is not in this workspace; the newest one is shown, if there is any."
NO_RESULTS = "There are no answers yet. Run an experiment with two recipes, then vote on their answers here."
SEEN = "You have seen which run is which: votes that you cast now are stored, but left out of the results."
DONE = "Nothing is left for you in this ballot: thank you."


def draw(state: CompareState) -> None:
    """The view from top to bottom, as far as it has come."""
    store = VoteStore(result_frames.store())
    ballots = store.ballots()
    if state.ballot and state.ballot not in {ballot.id for ballot in ballots}:
        safe_html.message(NO_BALLOT, "error")
    has_results = bool(result_frames.experiments(result_frames.current_state()))
    if ballots:
        _ballot(store, ballots, state)
    elif not has_results:
        safe_html.message(NO_RESULTS)
        st.page_link("pages/runs.py", label="Run an experiment", icon=":material/play_circle:")
        return
    else:
        safe_html.message("There are no ballots yet: create one from two runs of an experiment.")
    if has_results:
        create_ballot(store, opened=not ballots)


def _ballot(store: VoteStore, ballots: Sequence[Ballot], state: CompareState) -> None:
    ballot = choose_ballot(ballots, state)
    languages = sorted({item.language for item in store.items(ballot.id)})
    if not known_voter(languages, state):
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
    keyboard.listen(KEYBOARD)
    # Questions in languages that somebody does not read today, they may vote on tomorrow.
    left = len(store.open_items(ballot.id, state.voter))
    draw_results(store, ballot, state.voter, left=left)


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
            kind: Kind = "primary" if pressed in ("a", "b") else "secondary"
            vote = partial(_vote, store, ballot, item.number, voter, pressed)
            verb_button(VOTE_LABELS[pressed], "votes.cast", vote, key=f"{VOTE_KEY}{pressed}", kind=kind)
        _undo(store, ballot, voter)
    safe_html.show(keyboard.keys_line(*KEYS))
    _background(store, ballot, item)


@folded("Gold answers, and the documents that either run was given", "menu_book", "vote_evidence")
def _background(store: VoteStore, ballot: Ballot, item: BallotItem) -> None:
    """Gold answers, and the documents of both answers in one list: whose they are would tell the runs apart."""
    golds, passages = store.evidence(access.workbench(), ballot, item)
    shown = [inline(gold, item.language, "wb-chip") for gold in golds] or [chip("none is known")]
    safe_html.show(element("div", element("span", escaped("Gold answers"), css="wb-label"), *shown, css="wb-row"))
    safe_html.show(data_view.passages_list(passages, ids=False))


def answer_card(name: str, answer: str, code: str) -> Html:
    """One of the two answers under the letter that it is shown as."""
    return element(
        "section",
        element("div", escaped(name), css="wb-column"),
        text_block(answer, code, "wb-long"),
        css="wb-answer wb-side",
    )


def _undo(store: VoteStore, ballot: Ballot, voter: str) -> None:
    verb_button("Undo", "votes.cast", _take_back, store, ballot, voter, key=UNDO_KEY, icon="undo")


def _vote(store: VoteStore, ballot: Ballot, number: int, voter: str, pressed: Pressed) -> None:
    with compare_state.SESSION.noticed():
        store.vote(ballot, number, voter, pressed)


def _take_back(store: VoteStore, ballot: Ballot, voter: str) -> None:
    with compare_state.SESSION.noticed():
        if not store.undo(ballot.id, voter):
            raise UsageError("There is nothing to undo: you have no vote in this ballot.")


KEY = "vote_form_"
SEED_MOST = 999_999


def choose_ballot(ballots: Sequence[Ballot], state: CompareState) -> Ballot:
    """The box of ballots, of which there is at least one; the newest where the state names none of them."""
    names = {ballot.id: ballot.name for ballot in ballots}
    ballot = state.ballot if state.ballot in names else ballots[0].id
    if ballot != state.ballot:
        compare_state.SESSION.set(state.with_(ballot=ballot))
    control = compare_state.SESSION.control("ballot")
    st.selectbox("Ballot", list(names), format_func=names.__getitem__, **control)
    return next(item for item in ballots if item.id == ballot)


@permitted.form("queues.create")
def create_ballot(store: VoteStore, *, opened: bool) -> None:
    """The form of a new ballot in an expander, which is open at first where `opened`."""
    folds.draw("Create a ballot", "how_to_vote", "vote_new", lambda: _ballot_form(store), expanded=opened)


def _ballot_form(store: VoteStore) -> None:
    """The form: an experiment's two runs, and how many questions of each language."""
    experiment, titles = view_controls.runs_of_one(f"{KEY}experiment")
    if len(titles) < 2:
        safe_html.message("This experiment has one run: choose one with two or more.")
        return
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
        if not verb_button("Create ballot", "queues.create", key=f"{KEY}create", icon="add", submits=True):
            return
    if not name.strip():
        raise UsageError("Type a name: the ballot is listed under it.")
    ballot = store.create(
        name, (first, second), (titles[first], titles[second]), per_language=int(size), seed=int(seed)
    )
    compare_state.SESSION.change(ballot=ballot.id)
    st.rerun()


def known_voter(languages: Sequence[str], state: CompareState) -> bool:
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


VOTE_KEY, UNDO_KEY = "vote_", "vote_undo"
"""How the keys of the buttons begin, and the key of Undo; the keyboard presses them."""
VOTE_LABELS: Mapping[Pressed, str] = {"a": "A is better", "b": "B is better", "tie": "Tie", "both_bad": "Both bad"}

KEYBOARD = Path(__file__).with_name("vote_keys.js").read_text("utf-8")


KEYS = (("A ←", "A is better"), ("B →", "B is better"), ("T ↓", "tie"), ("X 0", "both bad"), ("U", "undo"))


WARNING = (
    "You have not voted on all questions. The results show which run is which: votes that you cast afterwards are not "
    "blind, and are left out of the results."
)
UNITS = (
    "A question counts once, for the run with most of its votes; over all languages, for the run that is ahead in most "
    "of them. Ties and pairs that are both bad are left out of p (exact sign test; Holm’s adjustment for single "
    "languages) and of the 95 % interval (Clopper and Pearson). More: docs/compare.md."
)


@folded("Results", "bar_chart", "vote_results")
def draw_results(store: VoteStore, ballot: Ballot, voter: str, *, left: int) -> None:
    """The results; where items are `left` for the voter, only after a warning."""
    if left and not store.has_seen(ballot.id, voter):
        safe_html.message(WARNING)
        label, reveal = "Show the results, I stop voting blindly", partial(_reveal, store, ballot, voter)
        verb_button(label, "votes.reveal", reveal, key="vote_reveal", icon="visibility")
        return
    store.reveal(ballot.id, voter)
    items, votes = store.items(ballot.id), store.votes(ballot.id)
    rows = preferences(items, votes)
    names = (
        inline(ballot.first_title, css="wb-title"),
        escaped("against"),
        inline(ballot.second_title, css="wb-title"),
    )
    safe_html.show(element("div", *names, css="wb-row"))
    if rows[0].votes:
        data_table(preference_records(rows, ballot), hide_index=True, key="vote_preferences")
        st.caption(UNITS)
    else:
        safe_html.message("There are no blind votes yet.")
    if late := sum(not vote.is_blind for vote in votes):
        safe_html.message(
            f"{late} vote{' is' if late == 1 else 's are'} not counted: cast after the results were seen."
        )
    if ballot.same_answers:
        safe_html.message(
            f"{ballot.same_answers} answers are the same under both runs; nobody is asked about them, and they do not "
            "count here."
        )
    downloads.button("Votes (CSV)", votes_csv(ballot, items, votes), "votes.csv", "vote_csv")


def preference_records(rows: Sequence[Preference], ballot: Ballot) -> list[dict[str, object]]:
    """One record per language, all languages first: questions for each run, and the test."""
    return [
        {
            "Language": "All languages" if row.language == EVERY else language_option(row.language),
            f"For {ballot.first_title}": row.first,
            f"For {ballot.second_title}": row.second,
            "Ties": row.ties,
            "Both bad": row.both_bad,
            "Votes": row.votes,
            f"Win rate of {ballot.first_title}": "nothing decided"
            if row.win_rate is None
            else f"{row.win_rate:.0%} [{row.low:.0%}, {row.high:.0%}]",
            "Sign test": "–" if row.p is None else f"{_p_text(row.p)}, n = {row.decided}",
        }
        for row in rows
    ]


def _p_text(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def _reveal(store: VoteStore, ballot: Ballot, voter: str) -> None:
    with compare_state.SESSION.noticed():
        store.reveal(ballot.id, voter)
