"""Intervals and differences of what is stored: whole questions count, on the scale of their metric."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import Engine

from tests.databases import database_url
from tests.screens.results import add_results
from workbench.app.workbench import Workbench
from workbench.core.errors import UsageError
from workbench.core.records import Question
from workbench.experiments.results.filters import Filter
from workbench.experiments.results.result_store import ResultStore, ResultView
from workbench.experiments.results.run_pairs import NORMAL_FROM, metric_correlations, normal_p, run_deltas
from workbench.experiments.results.writer import CellResult, RunRow, Writer, add_experiment
from workbench.metrics.measure import Score
from workbench.metrics.statistics.intervals import mean_interval, permutation_p
from workbench.workspace.database import open_store


def stored(workbench: Workbench) -> ResultView:
    """All results of the workspace."""
    return ResultStore.at(workbench.settings.database_url).of()


def test_means_come_with_interval_n_and_unscored(workbench: Workbench) -> None:
    add_results(workbench)
    first, second = stored(workbench).means_with_intervals("char3_recall")
    # Two answers, both to the one question that there is: nothing says how another one would be answered.
    assert (first.mean, first.low, first.high, first.n, first.unscored) == (0.5, None, None, 2, 0)
    assert (second.mean, second.low, second.n) == (1.0, None, 1)
    assert [item.unscored for item in stored(workbench).means_with_intervals("clr")] == [2, 1]


@pytest.fixture
def translated(tmp_path: Path) -> Engine:
    """Two runs over eight questions in three languages; an answer is as good in each of them."""
    engine = open_store(database_url(tmp_path / "translated.db"))
    runs = [RunRow(number, "run", "d", "c", "drag", "all", "p", "m", 5, "none", "", str(number)) for number in (0, 1)]
    writer = Writer(engine, add_experiment(engine, "Mine", "matrix", "", 48, "", runs), ["recall"])
    better = (0.0, 0.25, 0.5, 0.5, 0.75, 0.25, 0.5, 1.0)
    cells = [
        CellResult(run, Question(f"q{number}", "?", code, ("gold",)), scores={"recall": Score(run * gain)})
        for code in ("ar", "fi", "th")
        for number, gain in enumerate(better)
        for run in (0, 1)
    ]
    writer.write("detect language", 0, "d", cells)
    return engine


def test_an_interval_is_no_narrower_for_the_same_answers_in_more_languages(translated: Engine) -> None:
    store = ResultStore(translated)
    whole, alone = (
        store.where(Filter(runs=(2,), languages=some)).means_with_intervals("recall")[0] for some in ((), ("fi",))
    )
    assert (whole.n, alone.n) == (24, 8)
    assert (whole.mean, whole.low, whole.high) == pytest.approx((alone.mean, alone.low, alone.high))


@pytest.mark.parametrize(
    ("metric", "low", "high"),
    [("recall", 0, 1), ("g_eval@judge", 1, 5), ("code_switch", 0, 1)],
)
def test_an_interval_is_on_the_scale_of_its_metric(tmp_path: Path, metric: str, low: int, high: int) -> None:
    engine = open_store(database_url(tmp_path / "scales.db"))
    runs = [RunRow(number, "run", "d", "c", "drag", "all", "p", "m", 5, "none", "", str(number)) for number in (0, 1)]
    values = (1.0, 1.0, 0.5 * (low + high), 1.0)
    cells = [
        CellResult(
            run, Question(f"q{number}", "?", "fi", ("gold",)), scores={metric: Score(value + run * (number > 2) / 4)}
        )
        for number, value in enumerate(values)
        for run in (0, 1)
    ]
    Writer(engine, add_experiment(engine, "Mine", "matrix", "", 8, "", runs), [metric]).write(
        "detect language", 0, "d", cells
    )
    view = ResultStore(engine).of()
    first = view.means_with_intervals(metric)[0]
    expected = mean_interval(values, low=low, high=high)
    assert expected is not None and (first.low, first.high) == (expected.low, expected.high)
    (delta,) = run_deltas(view, metric, [[(1, 2)]])
    difference = mean_interval([0, 0, 0, 0.25], low=low - high, high=high - low)
    assert difference is not None and (delta.low, delta.high) == pytest.approx((difference.low, difference.high))


def test_a_difference_is_no_surer_for_the_same_answers_in_more_languages(translated: Engine) -> None:
    store = ResultStore(translated)
    ((whole,), (alone,)) = (
        run_deltas(store.where(Filter(languages=some)), "recall", [[(1, 2)]]) for some in ((), ("fi",))
    )
    # Seven questions differ, all in one direction: 2 of the 128 choices of signs are as far from 0.
    assert (whole.n, whole.questions, whole.p) == (24, 8, 2 / 128)
    assert (whole.low, whole.high, whole.detectable) == pytest.approx((alone.low, alone.high, alone.detectable))
    assert alone.p == whole.p


def test_the_best_runs_come_first_and_the_others_are_counted(workbench: Workbench) -> None:
    add_results(workbench)
    best, count = stored(workbench).best_runs("char3_recall", 1)
    assert ([item.mean for item in best], count) == ([1.0], 2)


def test_an_unknown_metric_is_named(workbench: Workbench) -> None:
    add_results(workbench)
    with pytest.raises(UsageError, match="char3_recall"):
        stored(workbench).means_with_intervals("rouge_7")


def test_runs_are_compared_on_the_questions_that_both_were_scored_on(workbench: Workbench) -> None:
    add_results(workbench)
    (delta,) = run_deltas(stored(workbench), "char3_recall", [[(1, 2)]])
    assert (delta.mean, delta.n, delta.left_out, delta.p) == (0.5, 1, 1, 1.0)


def test_the_normal_limit_of_the_permutation_test_is_two_sided() -> None:
    differences = np.concatenate([np.ones(5_100), -np.ones(4_900)])
    # Σd = 200 and √Σd² = 100: z = 2.
    assert normal_p(differences) == pytest.approx(0.0455, abs=1e-4)
    assert normal_p(np.zeros(1_000)) == 1.0


def test_few_differences_among_many_questions_are_tested_exactly(tmp_path: Path) -> None:
    store = open_store(database_url(tmp_path / "few.db"))
    runs = [RunRow(number, "run", "d", "c", "drag", "all", "p", "m", 5, "none", "", str(number)) for number in range(2)]
    writer = Writer(store, add_experiment(store, "Mine", "matrix", "", 4_000, "", runs), ["recall"])
    cells = [
        CellResult(
            run, Question(f"q{number}", "?", "fi", ("gold",)), scores={"recall": Score(float(run and number < 4))}
        )
        for run in range(2)
        for number in range(2 * NORMAL_FROM)
    ]
    writer.write("detect language", 0, "d", cells)
    (delta,) = run_deltas(ResultStore(store).of(), "recall", [[(1, 2)]])
    # 4 of 4 one-sided: 2 of 16 choices of signs
    assert (delta.questions, delta.p) == (2_000, 0.125)


def test_the_normal_limit_agrees_with_tossed_signs_where_it_takes_over() -> None:
    differences = np.random.default_rng(5).normal(0.05, 1.0, size=NORMAL_FROM)
    assert normal_p(differences) == pytest.approx(permutation_p(differences.tolist()), abs=0.01)


def test_two_metrics_agree_over_the_answers_that_both_scored(workbench: Workbench) -> None:
    add_results(workbench)
    (row,) = metric_correlations(stored(workbench), ["char3_recall", "clr"])
    assert (row.first, row.second, row.r, row.n) == ("char3_recall", "clr", None, 0)


def test_lists_name_experiments_and_languages_without_counting_answers(workbench: Workbench) -> None:
    experiment_id = add_results(workbench)
    store = ResultStore.at(workbench.settings.database_url)
    assert [(item.id, item.name) for item in store.experiment_names()] == [(experiment_id, "Made up")]
    assert store.of().languages() == ["en", "fi"]


def test_every_write_of_results_changes_their_state(workbench: Workbench) -> None:
    store = ResultStore.at(workbench.settings.database_url)
    before = store.state()
    add_results(workbench)
    assert store.state() != before
