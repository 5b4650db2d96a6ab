"""What an experiment will take: its cells, and the steps that are left after sharing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from workbench.pipeline.workbench import Workbench
from workbench.studies.chains import Chains
from workbench.studies.experiment import Experiment
from workbench.studies.material import Material
from workbench.studies.sharing import ORDER

NO_CELLS = "The experiment has no cells: its datasets hold no questions in the languages asked for."


@dataclass(frozen=True, slots=True)
class Plan:
    """`cells` answers of `runs` runs. `unshared`: steps by stage if each cell ran alone; `steps`: at most so many are
    left after sharing (equal texts found on the way share more). `impossible`: cells that cannot run, by reason.
    """

    runs: int
    cells: int
    steps: Mapping[str, int]
    unshared: Mapping[str, int]
    impossible: Mapping[str, int]


def plan(workbench: Workbench, experiment: Experiment) -> Plan:
    """Counts without running anything. Raises UsageError for what is not there."""
    material = Material(workbench, experiment)
    chains = Chains(workbench, experiment.seed)
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
    return Plan(len(material.runs), material.cells, _in_order(steps), _in_order(unshared), dict(impossible))


def _in_order(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: counts[name] for name in ORDER if counts.get(name)}
