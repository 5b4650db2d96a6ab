"""The simulation of `benchmarks.selection`, short and seeded: what the statistics promise where the truth is known."""

import pytest

from benchmarks.selection.simulated import graded, one_best
from benchmarks.selection.trials import Setting, forecast, luck_rates, race_result, set_rates

TRIALS = 100


@pytest.mark.parametrize("setting", [Setting(2, 50, 1), Setting(12, 40, 2)], ids=str)
def test_the_best_is_in_the_set_and_no_false_winner_is_claimed(setting: Setting) -> None:
    rates = {rate.name: rate.count for rate in set_rates(setting, TRIALS, seed=10, draws=400)}
    assert rates["one best: in the set"] >= 95
    assert rates["graded: best in the set"] >= 95
    assert rates["no best: a winner is claimed"] <= 5
    assert rates["two best: a winner is claimed"] <= 5
    # The promise is 95 %; of 100 trials at that rate, 90 or fewer are kept once in 35.
    assert rates["noisy copies: all in the set"] > 90


def test_luck_covers_noisy_copies_and_not_a_better_recipe() -> None:
    covers, better = luck_rates(Setting(30, 60, 1), TRIALS, seed=20, draws=300)
    assert covers.count > 90
    assert better.count < 20


def test_races_keep_the_best_and_save_cells_where_recipes_differ() -> None:
    setting = Setting(10, 300, 1)
    planted = race_result("planted", one_best(10, 0.2), setting, 20, seed=30, looks=6)
    assert planted.keeps.count >= 19
    assert planted.saves > 0.3
    equal = race_result("equal", graded(10, 0.0), setting, 20, seed=31, looks=6)
    assert equal.keeps.count >= 19


def test_the_questions_that_were_forecast_show_the_gain() -> None:
    result = forecast(6, 0.15, 60, winner=False, seed=40)
    assert result.shows.count >= 42
