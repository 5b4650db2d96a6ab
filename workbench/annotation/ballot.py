"""Ballots: the questions that two runs of one experiment answered differently, for blind votes on which is better."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from sqlalchemy import Connection, select

from workbench.annotation.queue_sampling import lot
from workbench.annotation.text_spans import nfc
from workbench.workspace import result_tables as t

VoteChoice = Literal["first", "second", "tie", "both_bad"]
"""Which run's answer is better: the first one's, the second one's, neither because both are good, or both bad."""
Pressed = Literal["a", "b", "tie", "both_bad"]
"""What a person says who does not know which run is which."""
PRESSED: tuple[Pressed, ...] = get_args(Pressed)


@dataclass(frozen=True, slots=True)
class Ballot:
    """Two runs of an experiment, and the questions about which people vote.

    `first_run` and `second_run` are the runs' numbers; `same_answers` counts the questions that both answered in the
    same words, which are left out. `created` is in seconds since 1970.
    """

    id: str
    name: str
    experiment_id: str
    dataset: str
    first_run: int
    second_run: int
    first_title: str
    second_title: str
    per_language: int
    seed: int
    same_answers: int
    created: float


@dataclass(frozen=True, slots=True)
class BallotItem:
    """One question with both answers, as they were when the ballot was created; `number` counts from 1."""

    ballot: str
    number: int
    language: str
    question_name: str
    question: str
    first_answer: str
    second_answer: str


@dataclass(frozen=True, slots=True)
class Vote:
    """What one person said about one item; `is_blind`: before they saw which run is which."""

    ballot: str
    number: int
    voter: str
    choice: VoteChoice
    first_is_a: bool
    saved: float
    is_blind: bool = True


def first_is_a(ballot: Ballot, number: int, voter: str) -> bool:
    """Whether a person sees the first run's answer as A: by lot, the same each time."""
    return int(lot("side", ballot.seed, ballot.id, number, voter), 16) % 2 == 0


def answers_as_shown(ballot: Ballot, item: BallotItem, voter: str) -> tuple[str, str]:
    """The answers A and B as a person sees them."""
    pair = (item.first_answer, item.second_answer)
    return pair if first_is_a(ballot, item.number, voter) else (pair[1], pair[0])


def to_choice(pressed: Pressed, *, is_first_a: bool) -> VoteChoice:
    """What a person means who presses A, B or neither.

    >>> to_choice("a", is_first_a=False)
    'second'
    """
    if pressed == "tie" or pressed == "both_bad":
        return pressed
    return "first" if (pressed == "a") is is_first_a else "second"


def sample_items(
    connection: Connection, runs: tuple[int, int], per_language: int, seed: int
) -> tuple[list[dict[str, Any]], int]:
    """Rows of items, without ballot and number, in order of their lots; and how many answers were the same.

    `runs` are stored ids. Of each language at most `per_language`; failed and empty answers are left out.
    """
    a, q = t.answers.c, t.questions.c
    statement = (
        select(a.run, q.name, q.language, q.text.label("question"), a.text.label("answer"))
        .join(t.questions, q.id == a.question)
        .where(a.run.in_(runs), a.failed.is_(False), a.text != "")
    )
    answers: tuple[dict[tuple[str, str], tuple[str, str]], ...] = ({}, {})
    for row in connection.execute(statement):
        answers[runs.index(row.run)][row.name, row.language] = (nfc(row.question), nfc(row.answer))
    both = [key for key in answers[0] if key in answers[1]]
    differing = [key for key in both if answers[0][key][1].strip() != answers[1][key][1].strip()]
    lots: dict[str, list[tuple[str, tuple[str, str]]]] = {}
    for name, language in differing:
        lots.setdefault(language, []).append((lot("order", seed, name, language), (name, language)))
    drawn = sorted(pair for pairs in lots.values() for pair in heapq.nsmallest(per_language, pairs))
    return [_item(key, answers) for _, key in drawn], len(both) - len(differing)


def _item(key: tuple[str, str], answers: Sequence[dict[tuple[str, str], tuple[str, str]]]) -> dict[str, Any]:
    name, language = key
    question, first = answers[0][key]
    return {
        "language": language,
        "question_name": name,
        "question": question,
        "first_answer": first,
        "second_answer": answers[1][key][1],
    }
