"""What blind votes say: how often which run's answer is better, and whether that is more than chance.

The unit is the question, not the vote: several people who vote on one question tend to agree, as do the languages of a
question, so that votes counted one by one would look surer than they are.  Within a language the majority of a
question's votes for one of the runs decides it; over all languages the majority of the languages that are decided.

Ties and questions whose answers are both bad say nothing about which run is better, so the sign test (Dixon and Mood,
1946) leaves them out: with w of n decided questions for the first run, p is the exact two-sided binomial probability of
so uneven a split if either were as likely.  The interval of the win rate w / n is Clopper and Pearson's (1934).  The
p-values of single languages are adjusted by Holm's method.
"""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.annotation.ballot import Ballot, BallotItem, Vote, VoteChoice
from workbench.metrics import holm
from workbench.workspace import safe_cell

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
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL)
    writer.writerow(HEAD)
    for vote in votes:
        item = by_number[vote.number]
        texts = [
            ballot.name, vote.number, item.question_name, item.language, vote.voter, titles[vote.choice],
            titles["first" if vote.first_is_a else "second"], "yes" if vote.is_blind else "no", f"{vote.saved:.0f}",
            item.question, ballot.first_title, item.first_answer, ballot.second_title, item.second_answer,
        ]  # fmt: skip
        writer.writerow(map(safe_cell, texts))
    return out.getvalue()


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
