"""What an experiment will take, before it is run."""

from __future__ import annotations

from tests.studies.experiments import small, stored
from workbench.pipeline.workbench import Workbench
from workbench.storage.store import opened_store
from workbench.studies import results
from workbench.studies.plan import pilot, plan


def test_a_plan_counts_cells_and_what_sharing_leaves(sample_workbench: Workbench) -> None:
    made = plan(sample_workbench, small())
    assert (made.runs, made.cells) == (4, 16)
    assert made.unshared["retrieve"] == 16 and made.steps["retrieve"] == 4  # two modes and two prompts share a search
    assert made.unshared["translate passages"] == 8 and made.steps["translate passages"] == 4
    assert made.unshared["generate"] == made.steps["generate"] == 16
    assert made.impossible == {}


def test_no_more_steps_are_run_than_planned(workbench: Workbench) -> None:
    experiment = small(modes=["baseline", "multirag", "monorag"], scopes=["en", "ul"], questions=1)
    made = plan(workbench, experiment)
    _, runner = stored(workbench, experiment)
    tally = runner.run()
    assert all(tally.run[name] <= count for name, count in made.steps.items())
    assert set(tally.run) <= set(made.steps)


def test_a_pilot_estimates_from_a_few_questions_and_leaves_nothing_behind(workbench: Workbench) -> None:
    made = pilot(workbench, small(questions=10), 1)
    assert (made.cells, made.failed) == (8, 0)
    assert made.seconds > 0 and "generate" in made.each
    assert results.experiments(opened_store(workbench.settings.database_url)) == []
