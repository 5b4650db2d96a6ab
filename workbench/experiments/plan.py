"""What an experiment will take: its cells, and the steps that are left after sharing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.components.inventory import check
from workbench.components.makers import sends_to
from workbench.experiments.cells import ORDER
from workbench.experiments.chain_builder import ChainBuilder
from workbench.experiments.experiment import Experiment, runs_of
from workbench.experiments.inputs import ExperimentInputs
from workbench.workspace.workbench import Workbench

NO_CELLS = "The experiment has no cells: its datasets hold no questions in the languages asked for."


@dataclass(frozen=True, slots=True)
class ExperimentPlan:
    """`cells` answers of `runs` runs. `unshared`: steps by stage if each cell ran alone; `steps`: at most so many are
    left after sharing (equal texts found on the way share more). `impossible`: cells that cannot run, by reason.
    """

    runs: int
    cells: int
    steps: Mapping[str, int]
    unshared: Mapping[str, int]
    impossible: Mapping[str, int]


def plan(workbench: Workbench, experiment: Experiment) -> ExperimentPlan:
    """Counts without running anything. Raises UsageError for what is not there."""
    material = ExperimentInputs(workbench, experiment)
    chains = ChainBuilder(workbench, experiment.seed)
    steps: Counter[str] = Counter()
    unshared: Counter[str] = Counter()
    impossible: Counter[str] = Counter()
    for (dataset, code), count in material.counts.items():
        seen: set[tuple[str, ...]] = set()
        for line in chains.lines(material.runs_over(dataset), code, ()):
            if line.error:
                impossible[line.error] += count
            way: tuple[str, ...] = line.scope
            for one in line.links:
                way = (*way, f"{one.name} {one.identity}")
                unshared[one.name] += count
                if way not in seen:
                    seen.add(way)
                    steps[one.name] += count
    return ExperimentPlan(len(material.runs), material.cells, _in_order(steps), _in_order(unshared), dict(impossible))


def _in_order(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: counts[name] for name in ORDER if counts.get(name)}


def hosts_of(experiment: Experiment, home: Path) -> tuple[str, ...]:
    """The hosts that questions, documents and, for a judge, answers are sent to; () where all stays on this machine.

    Raises UsageError for a component or a judge whose name means nothing.
    """
    # Which corpus is searched changes no component, and of the components only the generator differs between runs.
    recipes = {run.recipe.generator: run.recipe for run in runs_of(experiment, lambda dataset: dataset)}
    found = [host for recipe in recipes.values() for host in check(recipe, home)]
    return tuple(dict.fromkeys([*found, *judge_hosts(experiment.judge, home)]))


def judge_hosts(judge: str, home: Path) -> tuple[str, ...]:
    """The host that questions, passages, answers and gold answers are sent to by a judge; () where they stay here."""
    host = sends_to(judge, home)
    return (host,) if host else ()
