"""Blind votes: who gets what in which order, that nobody votes twice, and what the votes come to."""

from __future__ import annotations

import csv
import io
from concurrent.futures import ThreadPoolExecutor

import pytest
from scipy.stats import binomtest

from workbench.annotation.votes import (
    EVERY,
    Ballot,
    BallotItem,
    Vote,
    VoteChoice,
    VoteStore,
    answers_as_shown,
    first_is_a,
    preferences,
    sign_test,
    votes_csv,
)
from workbench.core.errors import UsageError
from workbench.core.records import Question
from workbench.experiments.results.result_store import ResultStore
from workbench.experiments.results.writer import CellResult, RunRow, Writer, add_experiment

LANGUAGES = ("en", "fi")
COUNT = 12
TITLES = ("multirag", "trag")


@pytest.fixture
def votes(store: ResultStore) -> VoteStore:
    return VoteStore(store)


@pytest.fixture
def runs(store: ResultStore) -> tuple[int, int]:
    """Two runs over twelve questions in two languages; the twelfth they answer in the same words."""
    rows = [
        RunRow(number, mode, "lights", "lights", mode, "all", "p", "m", 5, "none", "{}", mode)
        for number, mode in enumerate(TITLES)
    ]
    experiment_id = add_experiment(store.engine, "Two", "matrix", "", 4 * COUNT, "none", rows)
    results = [
        CellResult(run, Question(f"q{number}", f"Question {number}?", code), _answer(run, number), code)
        for run in range(2)
        for number in range(COUNT)
        for code in LANGUAGES
    ]
    Writer(store.engine, experiment_id, ()).write("generate", 0, "lights", results)
    first, second = store.of(experiment_id).runs()
    return first.id, second.id


@pytest.fixture
def ballot(votes: VoteStore, runs: tuple[int, int]) -> Ballot:
    return votes.create("Which reads better", runs, TITLES, per_language=5, seed=3)


def _answer(run: int, number: int) -> str:
    return "Nobody knows." if number == COUNT - 1 else f"answer {number} of run {run}"


def _items(*cells: tuple[str, str]) -> list[BallotItem]:
    return [BallotItem("b", number, code, name, "?", "one", "two") for number, (name, code) in enumerate(cells, 1)]


def _votes(*choices: tuple[int, VoteChoice], voter: str = "Ada", is_blind: bool = True) -> list[Vote]:
    return [Vote("b", number, voter, choice, True, 0.0, is_blind) for number, choice in choices]


def test_every_language_has_as_many_questions_as_were_requested(votes: VoteStore, ballot: Ballot) -> None:
    codes = [item.language for item in votes.items(ballot.id)]
    assert {code: codes.count(code) for code in LANGUAGES} == {"en": 5, "fi": 5}


def test_the_order_follows_from_the_seed_alone(votes: VoteStore, runs: tuple[int, int], ballot: Ballot) -> None:
    def order(name: str, seed: int) -> list[tuple[str, str]]:
        again = votes.create(name, runs, TITLES, per_language=5, seed=seed)
        return [(item.question_name, item.language) for item in votes.items(again.id)]

    first = [(item.question_name, item.language) for item in votes.items(ballot.id)]
    assert order("The same seed", 3) == first
    assert order("Another seed", 4) != first


def test_answers_in_the_same_words_are_left_out_and_counted(votes: VoteStore, runs: tuple[int, int]) -> None:
    ballot = votes.create("All", runs, TITLES, per_language=COUNT)
    assert ballot.same_answers == 2
    assert all(item.question_name != f"q{COUNT - 1}" for item in votes.items(ballot.id))


def test_the_sides_differ_from_question_to_question_and_stay_for_one_person(votes: VoteStore, ballot: Ballot) -> None:
    sides = [first_is_a(ballot, item.number, "Ada") for item in votes.items(ballot.id)]
    assert {True, False} == set(sides)
    assert sides == [first_is_a(ballot, item.number, "Ada") for item in votes.items(ballot.id)]


def test_a_vote_for_a_is_a_vote_for_the_run_that_was_shown_as_a(votes: VoteStore, ballot: Ballot) -> None:
    for item in votes.items(ballot.id):
        answer_a, _ = answers_as_shown(ballot, item, "Ada")
        vote = votes.vote(ballot, item.number, "Ada", "a")
        assert answer_a == (item.first_answer if vote.choice == "first" else item.second_answer)


def test_what_was_voted_on_is_no_longer_open(votes: VoteStore, ballot: Ballot) -> None:
    first, second, *_ = votes.open_items(ballot.id, "Ada")
    votes.vote(ballot, first.number, "Ada", "tie")
    assert votes.open_items(ballot.id, "Ada")[0] == second
    assert votes.open_items(ballot.id, "Bo")[0] == first


def test_only_the_languages_that_a_person_reads_are_open(votes: VoteStore, ballot: Ballot) -> None:
    assert {item.language for item in votes.open_items(ballot.id, "Ada", ["fi"])} == {"fi"}


def test_nobody_votes_twice(votes: VoteStore, ballot: Ballot) -> None:
    votes.vote(ballot, 1, "Ada", "a")
    with pytest.raises(UsageError, match="You have voted on question 1 already"):
        votes.vote(ballot, 1, " Ada ", "b")
    assert len(votes.votes(ballot.id)) == 1


def test_of_many_votes_at_once_one_is_stored(votes: VoteStore, ballot: Ballot) -> None:
    def vote(_: int) -> bool:
        try:
            votes.vote(ballot, 1, "Ada", "a")
        except UsageError:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(vote, range(8))) == 1
    assert len(votes.votes(ballot.id)) == 1


def test_a_vote_that_is_taken_back_can_be_cast_again(votes: VoteStore, ballot: Ballot) -> None:
    votes.vote(ballot, 1, "Ada", "a")
    votes.vote(ballot, 2, "Ada", "a")
    assert votes.undo(ballot.id, "Ada") == 2
    assert votes.open_items(ballot.id, "Ada")[0].number == 2
    votes.vote(ballot, 2, "Ada", "both_bad")
    assert [vote.choice for vote in votes.votes(ballot.id)][1] == "both_bad"


def test_undo_takes_back_no_vote_of_somebody_else(votes: VoteStore, ballot: Ballot) -> None:
    votes.vote(ballot, 1, "Ada", "a")
    assert votes.undo(ballot.id, "Bo") == 0
    assert len(votes.votes(ballot.id)) == 1


@pytest.mark.parametrize(("number", "pressed"), [(99, "a"), (1, "left")])
def test_an_impossible_vote_is_refused(votes: VoteStore, ballot: Ballot, number: int, pressed: str) -> None:
    with pytest.raises(UsageError):
        votes.vote(ballot, number, "Ada", pressed)  # type: ignore[arg-type]
    assert votes.votes(ballot.id) == []


def test_a_name_that_is_taken_is_refused(votes: VoteStore, runs: tuple[int, int], ballot: Ballot) -> None:
    with pytest.raises(UsageError, match="exists already"):
        votes.create(ballot.name, runs, TITLES)


def test_a_run_is_not_compared_with_itself(votes: VoteStore, runs: tuple[int, int]) -> None:
    with pytest.raises(UsageError, match="two different runs"):
        votes.create("Itself", (runs[0], runs[0]), TITLES)


@pytest.mark.parametrize("count", [0, -1, 10_000])
def test_another_number_of_questions_is_refused(votes: VoteStore, runs: tuple[int, int], count: int) -> None:
    with pytest.raises(UsageError, match=f"{count} questions per language were requested: choose 1 to "):
        votes.create("Many", runs, TITLES, per_language=count)


def test_runs_of_two_experiments_are_not_compared(votes: VoteStore, store: ResultStore, runs: tuple[int, int]) -> None:
    row = RunRow(0, "trag", "lights", "lights", "trag", "all", "p", "m", 5, "none", "{}", "trag")
    other = store.of(add_experiment(store.engine, "Other", "matrix", "", 0, "none", [row])).runs()[0]
    with pytest.raises(UsageError, match="must answer one dataset in one experiment"):
        votes.create("Across", (runs[0], other.id), TITLES)


def test_runs_that_answer_alike_are_not_compared(votes: VoteStore, store: ResultStore) -> None:
    rows = [RunRow(n, m, "lights", "lights", m, "all", "p", "m", 5, "none", "{}", m) for n, m in enumerate(TITLES)]
    experiment = add_experiment(store.engine, "Alike", "matrix", "", 2, "none", rows)
    cells = [CellResult(run, Question("q", "Who?", "en"), "Nobody knows.", "en") for run in range(2)]
    Writer(store.engine, experiment, ()).write("generate", 0, "lights", cells)
    first, second = store.of(experiment).runs()
    with pytest.raises(UsageError, match="no question with two different answers"):
        votes.create("Alike", (first.id, second.id), TITLES)
    assert votes.ballots() == []


def test_a_ballot_outlives_its_experiment(votes: VoteStore, store: ResultStore, ballot: Ballot) -> None:
    before = votes.items(ballot.id)
    with store.engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM answers")
    assert votes.items(ballot.id) == before


def test_votes_after_the_runs_were_revealed_are_not_blind(votes: VoteStore, ballot: Ballot) -> None:
    votes.vote(ballot, 1, "Ada", "a", now=1.0)
    votes.reveal(ballot.id, "Ada", now=2.0)
    votes.reveal(ballot.id, "Ada", now=9.0)
    votes.vote(ballot, 2, "Ada", "a", now=3.0)
    votes.vote(ballot, 2, "Bo", "a", now=3.0)
    assert [vote.is_blind for vote in votes.votes(ballot.id)] == [True, False, True]
    assert votes.has_seen(ballot.id, "Ada")
    assert not votes.has_seen(ballot.id, "Bo")


@pytest.mark.parametrize(("first", "second"), [(9, 1), (1, 9), (5, 5), (0, 6), (30, 12), (1, 0)])
def test_the_sign_test_is_scipys_exact_binomial_test(first: int, second: int) -> None:
    expected = binomtest(first, first + second, 0.5)
    interval = expected.proportion_ci(0.95, "exact")
    assert sign_test(first, second) == pytest.approx(
        (first / (first + second), interval.low, interval.high, expected.pvalue)
    )


def test_without_a_decided_question_there_is_no_rate_and_no_p() -> None:
    assert sign_test(0, 0) == (None, None, None, None)


def test_ties_and_bad_pairs_are_no_part_of_the_sign_test() -> None:
    items = _items(*((f"q{number}", "en") for number in range(8)))
    choices: list[tuple[int, VoteChoice]] = [(number, "first") for number in range(1, 7)]
    total = preferences(items, _votes(*choices, (7, "tie"), (8, "both_bad")))[0]
    assert (total.first, total.second, total.ties, total.both_bad, total.decided) == (6, 0, 1, 1, 6)
    assert total.p == pytest.approx(2 * 0.5**6)


def test_several_votes_on_a_question_count_as_one_question() -> None:
    votes = [*_votes((1, "first")), *_votes((1, "first"), voter="Bo"), *_votes((1, "second"), voter="Cy")]
    total = preferences(_items(("q1", "en")), votes)[0]
    assert (total.first, total.second, total.votes) == (1, 0, 3)


def test_a_question_in_several_languages_counts_once_over_all_of_them() -> None:
    items = _items(("q1", "en"), ("q1", "fi"), ("q2", "fi"))
    rows = preferences(items, _votes((1, "first"), (2, "first"), (3, "second")))
    counts = {row.language: (row.first, row.second) for row in rows}
    assert counts == {EVERY: (1, 1), "en": (1, 0), "fi": (1, 1)}


def test_votes_that_are_not_blind_are_not_counted() -> None:
    total = preferences(_items(("q1", "en")), _votes((1, "first"), is_blind=False))[0]
    assert (total.first, total.votes) == (0, 0)


def test_the_file_has_a_row_for_each_vote_and_starts_no_formula() -> None:
    ballot = Ballot("b", "=1+1", "e", "d", 0, 1, "multirag", "trag", 5, 0, 0, 0.0)
    rows = list(csv.DictReader(io.StringIO(votes_csv(ballot, _items(("q1", "en")), _votes((1, "second"))))))
    assert len(rows) == 1
    assert (rows[0]["ballot"], rows[0]["better"], rows[0]["answer_a"]) == ("'=1+1", "trag", "multirag")
