"""Blind votes on the questions that two runs of one experiment answered differently, and what the votes say.

Every vote is a row, and one that is taken back stays as one. A vote is one transaction: when `vote` returns, it
survives the end of the process. Nobody votes twice on an item; the database refuses it, too. Which run is which is
revealed to a person once, and the time is kept: what they vote after that is not blind, and `votes` says so.

The unit of what votes say is the question, not the vote: several people who vote on one question tend to agree, as do
the languages of a question, so that votes counted one by one would look surer than they are. Within a language the
majority of a question's votes for one of the runs decides it; over all languages the majority of the languages that are
decided.

Ties and questions whose answers are both bad say nothing about which run is better, so the sign test (Dixon and Mood,
1946) leaves them out: with w of n decided questions for the first run, p is the exact two-sided binomial probability of
so uneven a split if either were as likely.  The interval of the win rate w / n is Clopper and Pearson's (1934).  The
p-values of single languages are adjusted by Holm's method.
"""

from __future__ import annotations

import heapq
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args
from uuid import uuid4

from sqlalchemy import Connection, RowMapping, Select, func, insert, select, update

from workbench.annotation.queue import checked_name, lot
from workbench.annotation.text_spans import nfc
from workbench.app import Workbench
from workbench.core import Passage, UsageError, shorten, unknown_name
from workbench.experiments import SIBLINGS_LIMIT, Filter, ResultStore, of_question_name
from workbench.metrics import holm
from workbench.workspace import alone, annotation_tables as t, csv_text, result_tables, verb

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
    a, q = result_tables.answers.c, result_tables.questions.c
    statement = (
        select(a.run, q.name, q.language, q.text.label("question"), a.text.label("answer"))
        .join(result_tables.questions, q.id == a.question)
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


PER_LANGUAGE_MOST = 500


class VoteStore:
    """The ballots and votes of a workspace, over the database of its results."""

    def __init__(self, store: ResultStore) -> None:
        self._store = store

    @verb("queues.create", "{name}")
    def create(
        self, name: str, runs: tuple[int, int], titles: tuple[str, str], *, per_language: int = 20, seed: int = 0
    ) -> Ballot:
        """A ballot over two runs (stored ids) with the titles that the results name them by.

        Raises UsageError for a name that is taken or not allowed, for runs that cannot be compared, and where no
        question has two different answers; nothing is stored then.
        """
        title = checked_name(name, "ballot")
        if not 1 <= per_language <= PER_LANGUAGE_MOST:
            raise UsageError(f"{per_language} questions per language were requested: choose 1 to {PER_LANGUAGE_MOST}.")
        stored = {run.id: run for run in self._store.where(Filter(runs=runs)).runs()}
        if len(stored) != 2:
            raise UsageError("A ballot needs two different runs of this workspace: choose two of the list.")
        first, second = stored[runs[0]], stored[runs[1]]
        if (first.experiment_id, first.dataset) != (second.experiment_id, second.dataset):
            raise UsageError("The two runs must answer one dataset in one experiment: choose two such runs.")
        with alone(self._store.engine) as connection:
            if connection.execute(select(t.ballots.c.id).where(t.ballots.c.name == title)).first():
                raise UsageError(f"A ballot “{shorten(title)}” exists already: type another name.")
            rows, same = sample_items(connection, runs, per_language, seed)
            if not rows:
                raise UsageError("These two runs have no question with two different answers: choose other runs.")
            ballot = Ballot(
                uuid4().hex[:12], title, first.experiment_id, first.dataset, first.number, second.number, *titles,
                per_language, seed, same, time.time(),
            )  # fmt: skip
            values = {name: getattr(ballot, name) for name in Ballot.__dataclass_fields__}
            connection.execute(insert(t.ballots).values(values))
            numbered = [{"ballot": ballot.id, "number": number, **row} for number, row in enumerate(rows, start=1)]
            connection.execute(insert(t.ballot_items), numbered)
        return ballot

    def ballots(self) -> list[Ballot]:
        """All ballots, the newest first."""
        with self._store.engine.connect() as connection:
            rows = connection.execute(select(t.ballots).order_by(t.ballots.c.created.desc(), t.ballots.c.id))
            return [Ballot(**row._mapping) for row in rows]

    def items(self, ballot_id: str) -> list[BallotItem]:
        """The items of a ballot, in the order in which everybody gets them."""
        with self._store.engine.connect() as connection:
            return [BallotItem(**row._mapping) for row in connection.execute(_items(ballot_id))]

    def open_items(self, ballot_id: str, voter: str, languages: Collection[str] = ()) -> list[BallotItem]:
        """The items on which a person has not voted, in order; only in `languages` where some are given."""
        v, i = t.votes.c, t.ballot_items.c
        mine = select(v.number).where(
            v.ballot == ballot_id, v.voter == checked_name(voter, "voter"), v.undone.is_(None)
        )
        statement = _items(ballot_id).where(i.number.not_in(mine))
        if languages:
            statement = statement.where(i.language.in_(languages))
        with self._store.engine.connect() as connection:
            return [BallotItem(**row._mapping) for row in connection.execute(statement)]

    def evidence(self, workbench: Workbench, ballot: Ballot, item: BallotItem) -> tuple[tuple[str, ...], list[Passage]]:
        """The gold answers of an item, and the documents that either run was given, by their ids: nothing tells whose.

        () where the results are gone; documents are those that the corpus still has.
        """
        about = Filter(experiments=(ballot.experiment_id,), datasets=(ballot.dataset,))
        rows = self._store.where(about).instances(
            limit=SIBLINGS_LIMIT, conditions=of_question_name(ballot.dataset, item.question_name)
        )
        runs = (ballot.first_run, ballot.second_run)
        mine = [row for row in rows if row.language == item.language and row.run.number in runs]
        passages: dict[str, Passage] = {}
        with suppress(UsageError):
            for row in mine:
                ids = {name for name, _, _ in row.passages}
                passages |= workbench.corpus_as_of(row.run.corpus, row.run.corpus_version).passages_named(ids)
        return (mine[0].golds if mine else ()), [passages[name] for name in sorted(passages)]

    @verb("votes.cast", "{ballot.name}")
    def vote(self, ballot: Ballot, number: int, voter: str, pressed: Pressed, *, now: float | None = None) -> Vote:
        """Stores what a person said about an item, as they saw it.

        Raises UsageError, after which nothing is stored, for an item that the ballot does not have and for one on which
        the person has voted already.
        """
        person = checked_name(voter, "voter")
        if pressed not in PRESSED:
            raise unknown_name("vote", pressed, PRESSED)
        is_first_a = first_is_a(ballot, number, person)
        v = t.votes.c
        with alone(self._store.engine) as connection:
            if connection.execute(_items(ballot.id).where(t.ballot_items.c.number == number)).first() is None:
                raise UsageError(f"The ballot has no item {number}: choose one of its numbers, which count from 1.")
            where = (v.ballot == ballot.id, v.number == number, v.voter == person, v.undone.is_(None))
            if connection.execute(select(v.id).where(*where)).first():
                raise UsageError(f"You have voted on question {number} already: take that vote back to change it.")
            vote = Vote(
                ballot.id,
                number,
                person,
                to_choice(pressed, is_first_a=is_first_a),
                is_first_a,
                round(time.time() if now is None else now, 6),
            )
            names = ("ballot", "number", "voter", "choice", "first_is_a", "saved")
            connection.execute(insert(t.votes).values({name: getattr(vote, name) for name in names}))
        return vote

    @verb("votes.cast", "{ballot_id}")
    def undo(self, ballot_id: str, voter: str, *, now: float | None = None) -> int:
        """Takes back a person's last vote; returns its item's number, 0 where there is none."""
        v, person = t.votes.c, checked_name(voter, "voter")
        last = select(v.id, v.number).where(v.ballot == ballot_id, v.voter == person, v.undone.is_(None))
        with alone(self._store.engine) as connection:
            row = connection.execute(last.order_by(v.id.desc()).limit(1)).first()
            if row is None:
                return 0
            undone = time.time() if now is None else now
            connection.execute(update(t.votes).where(v.id == row.id).values(undone=undone))
            return int(row.number)

    def votes(self, ballot_id: str) -> list[Vote]:
        """The votes of a ballot that were not taken back, in the order in which they were cast."""
        v, r = t.votes.c, t.reveals.c
        statement = (
            select(v.ballot, v.number, v.voter, v.choice, v.first_is_a, v.saved, r.seen)
            .join(t.reveals, (r.ballot == v.ballot) & (r.voter == v.voter), isouter=True)
            .where(v.ballot == ballot_id, v.undone.is_(None))
            .order_by(v.id)
        )
        with self._store.engine.connect() as connection:
            return [_vote(row) for row in connection.execute(statement).mappings()]

    @verb("votes.reveal", "{ballot_id}")
    def reveal(self, ballot_id: str, voter: str, *, now: float | None = None) -> None:
        """Notes that a person sees which run is which; the first time counts."""
        person = checked_name(voter, "voter")
        r = t.reveals.c
        with alone(self._store.engine) as connection:
            if not connection.execute(select(r.seen).where(r.ballot == ballot_id, r.voter == person)).first():
                values = {"ballot": ballot_id, "voter": person, "seen": time.time() if now is None else now}
                connection.execute(insert(t.reveals).values(values))

    def has_seen(self, ballot_id: str, voter: str) -> bool:
        """Whether a person has seen which run is which."""
        r = t.reveals.c
        where = (r.ballot == ballot_id, r.voter == checked_name(voter, "voter"))
        with self._store.engine.connect() as connection:
            return bool(connection.execute(select(func.count()).select_from(t.reveals).where(*where)).scalar())


def _items(ballot_id: str) -> Select[Any]:
    return select(t.ballot_items).where(t.ballot_items.c.ballot == ballot_id).order_by(t.ballot_items.c.number)


def _vote(row: RowMapping) -> Vote:
    values = {name: row[name] for name in ("ballot", "number", "voter", "choice", "first_is_a", "saved")}
    return Vote(**values, is_blind=row["seen"] is None or row["saved"] <= row["seen"])


LEVEL = 0.95
EVERY = ""
"""The language of the row over all languages."""
HEAD = ("ballot", "number", "question_id", "language", "voter", "better", "answer_a", "blind", "saved", "question",
        "first_run", "first_answer", "second_run", "second_answer")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Preference:
    """How often each run's answer is better in a language, `EVERY` for all of them together.

    `first`, `second`, `ties` and `both_bad` count questions; `votes` the votes behind them. `win_rate` is the first
    run's share of the decided questions with its 95 % interval, `p` the sign test's; None where nothing is decided.
    """

    language: str
    first: int
    second: int
    ties: int
    both_bad: int
    votes: int
    win_rate: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None

    @property
    def decided(self) -> int:
        """The questions for one of the runs: n of the sign test."""
        return self.first + self.second


def sign_test(first: int, second: int) -> tuple[float | None, float | None, float | None, float | None]:
    """Win rate of the first, the bounds of its 95 % interval, and p; all None where neither ever won.

    >>> [round(value, 3) for value in sign_test(9, 1)]
    [0.9, 0.555, 0.997, 0.021]
    """
    from scipy.stats import binomtest

    if not first + second:
        return None, None, None, None
    result = binomtest(first, first + second, 0.5)
    interval = result.proportion_ci(LEVEL, method="exact")
    return first / (first + second), float(interval.low), float(interval.high), float(result.pvalue)


def preferences(items: Sequence[BallotItem], votes: Sequence[Vote]) -> list[Preference]:
    """The row over all languages, then one per language that has votes; votes that were not blind are left out.

    Holm's adjustment is over the languages; the first row is a test of its own.
    """
    by_number = {item.number: item for item in items}
    ballots: dict[int, Counter[VoteChoice]] = defaultdict(Counter)
    for vote in votes:
        if vote.is_blind and vote.number in by_number:
            ballots[vote.number][vote.choice] += 1
    verdicts = {number: _verdict(counts) for number, counts in ballots.items()}
    codes = sorted({by_number[number].language for number in verdicts})
    rows = []
    for code in codes:
        numbers = [number for number in verdicts if by_number[number].language == code]
        voices = sum(ballots[number].total() for number in numbers)
        rows.append(_preference(code, (verdicts[number] for number in numbers), voices))
    adjusted = holm([row.p for row in rows])
    by_question: dict[str, list[VoteChoice]] = defaultdict(list)
    for number, verdict in verdicts.items():
        by_question[by_number[number].question_name].append(verdict)
    over_all = (_verdict(Counter(choices)) for choices in by_question.values())
    total = _preference(EVERY, over_all, sum(counts.total() for counts in ballots.values()))
    return [total, *(replace(row, p=p) for row, p in zip(rows, adjusted, strict=True))]


def votes_csv(ballot: Ballot, items: Sequence[BallotItem], votes: Sequence[Vote]) -> str:
    """One row per vote with both answers; `better` names a run, “tie” or “both bad”, `answer_a` the run shown as A."""
    by_number = {item.number: item for item in items}
    titles: Mapping[str, str] = {
        "first": ballot.first_title, "second": ballot.second_title, "tie": "tie", "both_bad": "both bad",
    }  # fmt: skip
    rows: list[Sequence[object]] = [HEAD]
    for vote in votes:
        item = by_number[vote.number]
        rows.append([
            ballot.name, vote.number, item.question_name, item.language, vote.voter, titles[vote.choice],
            titles["first" if vote.first_is_a else "second"], "yes" if vote.is_blind else "no", f"{vote.saved:.0f}",
            item.question, ballot.first_title, item.first_answer, ballot.second_title, item.second_answer,
        ])  # fmt: skip
    return csv_text(rows)


def _verdict(counts: Counter[VoteChoice]) -> VoteChoice:
    """What several votes on one thing come to: the side that is ahead, else both bad where most say so, else a tie."""
    if counts["first"] != counts["second"]:
        return "first" if counts["first"] > counts["second"] else "second"
    return "both_bad" if 2 * counts["both_bad"] > counts.total() else "tie"


def _preference(code: str, verdicts: Iterable[VoteChoice], votes: int) -> Preference:
    counts = Counter(verdicts)
    first, second = counts["first"], counts["second"]
    rate, low, high, p = sign_test(first, second)
    return Preference(code, first, second, counts["tie"], counts["both_bad"], votes, rate, low, high, p)
