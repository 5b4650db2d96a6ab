"""What an experiment will take, before it is run."""

from __future__ import annotations

from tests.experiments.experiments import small, stored
from workbench.experiments.plan import plan
from workbench.workspace.workbench import Workbench


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
