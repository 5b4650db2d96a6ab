"""What an experiment will take, before it is run."""

from __future__ import annotations

from tests.experiments.experiments import small, stored
from workbench.app.workbench import Workbench
from workbench.experiments.planning import plan


def test_a_plan_counts_cells_and_what_sharing_leaves(sample_workbench: Workbench) -> None:
    planned = plan(sample_workbench, small())
    assert (planned.runs, planned.cells) == (4, 16)
    assert planned.unshared["retrieve"] == 16 and planned.steps["retrieve"] == 4
    assert planned.unshared["translate passages"] == 8 and planned.steps["translate passages"] == 4
    assert planned.unshared["generate"] == planned.steps["generate"] == 16
    assert planned.impossible == {}


def test_no_more_steps_are_run_than_planned(workbench: Workbench) -> None:
    experiment = small(modes=["baseline", "multirag", "monorag"], scopes=["en", "ul"], questions=1)
    planned = plan(workbench, experiment)
    _, runner = stored(workbench, experiment)
    counts = runner.run()
    assert all(counts.ran[name] <= count for name, count in planned.steps.items())
    assert set(counts.ran) <= set(planned.steps)


def test_modes_that_do_the_same_in_a_scope_are_named(sample_workbench: Workbench) -> None:
    planned = plan(sample_workbench, small(modes=["monorag", "multirag"], scopes=["all", "ul"], questions=1))
    assert "monoRAG, all languages and MultiRAG, all languages are the same" in " ".join(planned.idle)
    assert plan(sample_workbench, small(modes=["monorag", "crossrag"], questions=1)).idle == ()
