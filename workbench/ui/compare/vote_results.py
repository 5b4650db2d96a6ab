"""What the votes came to, with the runs' names: for people who have voted on all, or who give up voting blindly."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from workbench.annotation import EVERY, Ballot, Preference, VoteStore, preferences, votes_csv
from workbench.ui.compare import compare_state
from workbench.ui.parts import permitted, safe_html
from workbench.ui.parts.badges import language_option
from workbench.ui.parts.safe_html import element, escaped, inline

WARNING = (
    "You have not voted on all questions. The results show which run is which: votes that you cast afterwards are not "
    "blind, and are left out of the results."
)
UNITS = (
    "A question counts once, however many people voted on it: for the run that most of its votes are for. Over all "
    "languages a question counts once for the run that is ahead in most of its languages. p is of the exact two-sided "
    "sign test; ties and pairs that are both bad are left out of it. The interval is Clopper and Pearson’s, 95 %. The "
    "p-values of single languages are adjusted by Holm’s method."
)


def draw(store: VoteStore, ballot: Ballot, voter: str, *, left: int) -> None:
    """The results in a closed expander; where items are `left` for the voter, only after a warning."""
    with st.expander("Results", icon=":material/bar_chart:", key="vote_results", on_change="rerun") as results:
        if not results.open:
            return
        if left and not store.has_seen(ballot.id, voter):
            safe_html.message(WARNING)
            st.button(
                "Show the results, I stop voting blindly",
                key="vote_reveal",
                icon=":material/visibility:",
                on_click=_reveal,
                args=(store, ballot, voter),
                **permitted.control("votes.reveal"),
            )
            return
        store.reveal(ballot.id, voter)
        _results(store, ballot)


def _results(store: VoteStore, ballot: Ballot) -> None:
    items, votes = store.items(ballot.id), store.votes(ballot.id)
    rows = preferences(items, votes)
    names = (
        inline(ballot.first_title, css="wb-title"),
        escaped("against"),
        inline(ballot.second_title, css="wb-title"),
    )
    safe_html.show(element("div", *names, css="wb-row"))
    if rows[0].votes:
        st.dataframe(preference_records(rows, ballot), hide_index=True, key="vote_preferences")
        st.caption(UNITS)
    else:
        safe_html.message("There are no blind votes yet.")
    if late := sum(not vote.is_blind for vote in votes):
        safe_html.message(
            f"{late} vote{' is' if late == 1 else 's are'} not counted: cast after the results were seen."
        )
    if ballot.same_answers:
        safe_html.message(
            f"{ballot.same_answers} answers are the same under both runs; nobody is asked about them, and they are no "
            "part of these figures."
        )
    st.download_button(
        "Votes (CSV)",
        "\ufeff" + votes_csv(ballot, items, votes),
        "votes.csv",
        "text/csv",
        key="vote_csv",
        on_click="ignore",
        icon=":material/download:",
    )


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
