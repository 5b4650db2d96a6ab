"""Searches as processes: killed, stopped, resumed and deleted, over the real sample."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from sqlalchemy import func, select

from benchmarks.optimise.killing import decisions_of, figures_of, kill_after
from tests.optimise.searches import searched, small_space, to_the_end
from workbench.app.workbench import Workbench
from workbench.core.errors import UsageError
from workbench.core.records import Question
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.optimise.search_figures import mean_figure
from workbench.optimise.search_running import INPUTS_CHANGED
from workbench.optimise.search_store import SearchJobs
from workbench.optimise.spending import Cap, SearchOptions
from workbench.workspace import tables as t

pytestmark = pytest.mark.slow


def create(workbench: Workbench, strategy: str = "exhaustive") -> tuple[SearchJobs, str]:
    jobs = SearchJobs(workbench.settings)
    return jobs, jobs.create(workbench, small_space(), SearchOptions(strategy=strategy, holdout=0.0))


def test_killed_twice_it_resumes_to_the_result_of_an_unbroken_search(workbench: Workbench) -> None:
    jobs, broken = create(workbench, "greedy")
    states = []
    for seconds in (0.5, 0.1):
        jobs.start(broken)
        kill_after(jobs, broken, seconds)
        states.append(jobs.status(broken).state)
    assert states[0] == "interrupted"
    if states[-1] != "done":
        jobs.start(broken)
    ended = to_the_end(jobs, broken)
    workbench.cache.forget()
    _, whole, unbroken = searched(workbench, small_space(), strategy="greedy")
    assert ended.state == unbroken.state == "done"
    assert figures_of(jobs, broken) == figures_of(jobs, whole)
    assert decisions_of(ended) == decisions_of(unbroken)


def test_a_finished_search_shows_its_best_recipe_with_n_and_interval(workbench: Workbench) -> None:
    jobs, search_id, row = searched(workbench, small_space(), strategy="greedy")
    best = row.progress["best"]
    assert best["metrics"]["char3_recall"]["n"] == 6
    assert best["metrics"]["char3_recall"]["low"] < best["metrics"]["char3_recall"]["mean"]
    assert jobs.winner(search_id).fingerprint == best["fingerprint"]
    assert [item["node"] for item in row.outcome["decisions"]] == ["retrieval", "reranker"]
    with pytest.raises(UsageError, match="nothing is left to measure"):
        jobs.start(search_id)


def test_a_search_that_shall_stop_stops_and_can_go_on(workbench: Workbench) -> None:
    jobs, search_id = create(workbench)
    jobs.start(search_id)
    assert jobs.stop(search_id)
    assert to_the_end(jobs, search_id).state == "stopped"
    jobs.start(search_id)
    assert to_the_end(jobs, search_id).state == "done"
    assert jobs.store.measured(search_id) == 6
    assert not jobs.stop(search_id)


def test_a_search_at_work_is_neither_started_again_nor_deleted(workbench: Workbench) -> None:
    jobs, search_id = create(workbench)
    jobs.start(search_id)
    for verb in (jobs.start, jobs.discard):
        with pytest.raises(UsageError, match="is running"):
            verb(search_id)
    assert to_the_end(jobs, search_id).state == "done"


def test_the_cap_stops_a_search_before_it_is_exceeded_and_a_higher_one_lets_it_go_on(workbench: Workbench) -> None:
    jobs, search_id, row = searched(workbench, small_space(), cap=Cap(calls=5))
    assert row.state == "stopped" and 0 < row.spent.calls <= 5
    assert "its limit of 5 calls" in row.error and row.outcome["stopped_early"] == row.error
    jobs.start(search_id, Cap(calls=1_000))
    row = to_the_end(jobs, search_id)
    assert row.state == "done" and row.spent.calls > 5


def test_a_search_whose_questions_changed_refuses_to_go_on(workbench: Workbench) -> None:
    library = DatasetLibrary(workbench.settings.datasets)
    library.add("mine", "sample", [Question("a", "Who invented radio?", "en", ("Marconi",))], aligned=False)
    jobs = SearchJobs(workbench.settings)
    space = small_space(datasets=["mine"], languages=["en"])
    search_id = jobs.create(workbench, space, SearchOptions())
    library.add("mine", "sample", [Question("a", "Who invented the bicycle?", "en", ("Drais",))], aligned=False)
    jobs.start(search_id)
    row = to_the_end(jobs, search_id)
    assert (row.state, row.error) == ("failed", INPUTS_CHANGED)


def test_deleting_a_search_leaves_no_row_or_file_of_it(workbench: Workbench) -> None:
    jobs, search_id, _ = searched(workbench, small_space(), trials=2)
    assert jobs.store.measured(search_id) == 2
    jobs.discard(search_id)
    with jobs.engine.connect() as connection:
        tables: Sequence[int] = [
            connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in (t.searches, t.search_recipes, t.search_measurements)
        ]
    assert tables == [0, 0, 0]
    assert not list((workbench.settings.home / "jobs").glob(f"*{search_id}*"))
    with pytest.raises(UsageError, match="no search"):
        jobs.status(search_id)


def test_an_interval_counts_groups_of_translations_not_answers() -> None:
    import numpy as np

    scores = np.array([0.0, 0.0, 1.0, 1.0, np.nan])
    once = mean_figure(scores, ("a", "a", "b", "b", "c"), "char3_recall")
    twice = mean_figure(scores, ("a", "b", "c", "d", "e"), "char3_recall")
    assert once.n == twice.n == 4 and once.mean == twice.mean == 0.5
    assert None not in (once.low, once.high, twice.low, twice.high)
    assert once.high - once.low > twice.high - twice.low  # type: ignore[operator]
