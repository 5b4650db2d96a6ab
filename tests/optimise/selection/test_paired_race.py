"""The race: wealth by hand, what it keeps, and what it never does."""

import numpy as np
import pytest

from workbench.core.errors import UsageError
from workbench.optimise.selection.paired_scores import BETS, PairedRace


def names(count: int) -> list[str]:
    return [f"question {number}" for number in range(count)]


def test_the_evidence_is_the_mean_wealth_of_the_bets() -> None:
    # The first leads by 1, 1 and −1 on three questions.
    scores = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    wealth = np.mean([(1 + bet) ** 2 * (1 - bet) for bet in BETS])
    evidence = PairedRace().log_evidence(scores, names(3))
    assert evidence[1] == pytest.approx(np.log(wealth))
    assert evidence[0] == -np.inf


def test_rivals_share_the_stake() -> None:
    scores = np.array([[1.0], [0.0], [0.0]])
    wealth = np.mean([1 + bet for bet in BETS]) / 2
    assert PairedRace().log_evidence(scores, names(1))[1] == pytest.approx(np.log(wealth))


def test_a_recipe_that_is_far_behind_is_stopped_and_stays_stopped_without_further_scores() -> None:
    scores = np.array([[1.0] * 30, [0.0] * 30, [1.0] * 30])
    race = PairedRace()
    assert race.survivors(scores[:, :3], names(3)) == (0, 1, 2)
    stop = next(n for n in range(1, 31) if race.survivors(scores[:, :n], names(n)) == (0, 2))
    scores[1, stop:] = np.nan
    assert race.survivors(scores, names(30)) == (0, 2)


def test_copies_all_survive() -> None:
    answers = (np.random.default_rng(1).random(500) < 0.5).astype(float)
    assert PairedRace().survivors(np.tile(answers, (10, 1)), names(500)) == tuple(range(10))


def test_translations_count_once() -> None:
    scores = np.array([[1.0] * 40, [0.0] * 40])
    race = PairedRace()
    assert race.survivors(scores, names(40)) == (0,)
    assert race.survivors(scores, [name for name in names(4) for _ in range(10)]) == (0, 1)


def test_the_scale_of_the_metric_is_taken_into_account() -> None:
    scores = np.array([[1.0] * 40, [0.0] * 40])
    assert PairedRace(high=100).survivors(scores, names(40)) == (0, 1)
    assert PairedRace(low=1, high=5).survivors(scores * 4 + 1, names(40)) == (0,)
    with pytest.raises(UsageError, match="scale from 0 to 1"):
        PairedRace().survivors(scores * 4 + 1, names(40))


def test_a_recipe_that_was_not_measured_may_still_be_the_best() -> None:
    scores = np.array([[1.0] * 40, [0.0] * 40, [np.nan] * 40])
    assert PairedRace().survivors(scores, names(40)) == (0, 2)


def test_settings_that_make_no_race_are_refused() -> None:
    with pytest.raises(UsageError, match=r"0\.05 is usual"):
        PairedRace(0)
    with pytest.raises(UsageError, match="lower to a higher"):
        PairedRace(low=1, high=1)


def test_of_two_equal_recipes_looked_at_after_each_question_few_are_ever_stopped() -> None:
    race, stops = PairedRace(), 0
    for trial in range(60):
        scores = (np.random.default_rng(trial).random((2, 120)) < 0.5).astype(float)
        stops += any(0 not in race.survivors(scores[:, :n], names(n)) for n in range(8, 121, 8))
    assert stops <= 3
