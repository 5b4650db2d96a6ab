"""The order of runs over common questions: ranks, ties, coverage, and runs that are not ranked."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from workbench.app.workbench import Workbench
from workbench.core.records import Question
from workbench.experiments.results.filters import Filter
from workbench.experiments.results.result_store import ResultStore, ResultView
from workbench.experiments.results.summaries.findings import standings
from workbench.experiments.results.writer import CellResult, RunRow, Writer, add_experiment
from workbench.metrics.measure import Score
from workbench.workspace.database import opened_store

Scores = Mapping[str, float | None]


def view_of(workbench: Workbench, *runs: Scores, datasets: tuple[str, ...] = ()) -> ResultView:
    """One run per mapping of question ids to scores, None for unscored."""
    engine = opened_store(workbench.settings.database_url)
    names = datasets or ("sample",) * len(runs)
    rows = [
        RunRow(number, f"run {number}", name, "sample", "trag", "en", "p", "m", 5, "none", "", str(number))
        for number, name in enumerate(names)
    ]
    experiment_id = add_experiment(engine, "Made up", "matrix", "", 0, "none", rows)
    writer = Writer(engine, experiment_id, ("em",))
    for number, scores in enumerate(runs):
        cells = [
            CellResult(
                number, Question(name, "Who?", "en", ("x",)), "x", "en", (), 0.1, 1, 1, scores={"em": _score(value)}
            )
            for name, value in scores.items()
        ]
        writer.write("detect language", number, names[number], cells)
    return ResultStore(engine).where(Filter(experiments=(experiment_id,)))


def _score(value: float | None) -> Score:
    return Score(None, "Too short.") if value is None else Score(value)


def test_runs_are_compared_on_the_questions_that_all_of_them_have_a_score_for(workbench: Workbench) -> None:
    easy, hard = {"a": 1.0, "b": 1.0, "c": None}, {"a": 1.0, "b": 1.0, "c": 0.0}
    rows, _ = standings(view_of(workbench, easy, hard), "em", 10)
    assert [(row.rank, row.mean, row.n, row.common) for row in rows] == [(1, 1.0, 2, True), (1, 1.0, 2, True)]


def test_without_common_questions_each_run_has_the_mean_of_its_questions(workbench: Workbench) -> None:
    easy, hard = {"a": 1.0, "b": 1.0, "c": None}, {"a": 1.0, "b": 1.0, "c": 0.0}
    rows, _ = standings(view_of(workbench, easy, hard), "em", 10, common=False)
    assert [(row.rank, row.n) for row in rows] == [(1, 2), (2, 3)]


def test_a_run_that_answered_few_of_the_questions_is_not_ranked(workbench: Workbench) -> None:
    few, all_ = {"a": 1.0}, dict.fromkeys("abcdefghij", 0.5)
    rows, count = standings(view_of(workbench, few, all_), "em", 10)
    assert count == 2
    assert [(row.rank, row.n, row.is_partial) for row in rows] == [(1, 10, False), (None, 1, True)]
    assert (rows[1].answered, rows[1].questions) == (1, 10)


def test_equal_means_share_a_rank_and_the_next_rank_is_left_out(workbench: Workbench) -> None:
    good, bad = {"a": 1.0, "b": 1.0}, {"a": 0.0, "b": 1.0}
    rows, _ = standings(view_of(workbench, good, bad, good), "em", 10)
    assert [row.rank for row in rows] == [1, 1, 3]


def test_a_run_without_scores_has_no_rank(workbench: Workbench) -> None:
    rows, _ = standings(view_of(workbench, {"a": None}, {"a": 0.0}), "em", 10)
    assert [row.rank for row in rows] == [1, None]


def test_runs_over_different_datasets_are_ranked_separately(workbench: Workbench) -> None:
    view = view_of(workbench, {"a": 1.0}, {"a": 0.5}, datasets=("easy", "difficult"))
    rows, _ = standings(view, "em", 10)
    assert [(row.dataset, row.rank) for row in rows] == [("easy", 1), ("difficult", 1)]


def test_runs_without_a_question_in_common_keep_the_means_of_their_questions(workbench: Workbench) -> None:
    rows, _ = standings(view_of(workbench, {"a": 1.0, "b": None}, {"a": None, "b": 0.5}), "em", 10)
    assert [(row.mean, row.common) for row in rows] == [(1.0, False), (0.5, False)]


def test_the_interval_over_common_questions_contains_the_mean(workbench: Workbench) -> None:
    one = {str(number): float(number % 2) for number in range(20)}
    rows, _ = standings(view_of(workbench, one, {**one, "0": None}), "em", 10)
    assert rows[0].n == 19
    assert rows[0].mean == pytest.approx(10 / 19)
    assert rows[0].low is not None
    assert rows[0].high is not None
    assert rows[0].low < 10 / 19 < rows[0].high
