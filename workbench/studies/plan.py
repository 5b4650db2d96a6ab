"""What an experiment will take: its cells, the steps that are left after sharing, and an estimate from a pilot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.pipeline.workbench import Workbench
from workbench.storage.store import opened_store
from workbench.studies import results
from workbench.studies.chains import Chains
from workbench.studies.experiment import Experiment, experiment_to_yaml
from workbench.studies.filters import Filter
from workbench.studies.material import Material
from workbench.studies.runner import Runner
from workbench.studies.sharing import ORDER
from workbench.studies.writing import Writer, add_experiment, remove, row_of

PILOT = "pilot"


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


@dataclass(frozen=True, slots=True)
class Estimate:
    """From a pilot of `cells` cells: `each` are seconds a step by stage, `seconds` what the whole will take, steps that
    the pilot did not meet left out. Tokens are for the whole; 0 where the generator counts none."""

    cells: int
    failed: int
    seconds: float
    each: Mapping[str, float] = field(default_factory=dict)
    prompt_tokens: int = 0
    completion_tokens: int = 0


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


def pilot(workbench: Workbench, experiment: Experiment, questions: int) -> Estimate:
    """Runs the matrix on so many questions of each language and estimates the whole from it.

    What it computes is kept in the step cache, so the experiment itself does not do it again. A stage all of whose
    steps were in the cache already tells nothing of its time, and is left out.
    """
    whole = plan(workbench, experiment)
    small = experiment.model_copy(update={"questions": min(questions, experiment.questions or questions)})
    material = Material(workbench, small)
    engine = opened_store(workbench.settings.database_url)
    rows = [row_of(run) for run in material.runs]
    identity = add_experiment(
        engine, small.name, PILOT, experiment_to_yaml(small), material.cells, material.fingerprint, rows
    )
    try:
        runner = Runner(workbench, material, Writer(engine, identity, small.metrics))
        tally = runner.run()
        (effort,) = results.effort(engine, Filter(experiments=(identity,)), ("experiment",))
    finally:
        remove(engine, identity)
    each = {name: tally.seconds[name] / tally.run[name] for name in ORDER if tally.run[name]}
    share = whole.cells / max(material.cells, 1)
    return Estimate(
        cells=material.cells,
        failed=effort.failed,
        seconds=sum(each.get(name, 0.0) * count for name, count in whole.steps.items()),
        each=each,
        prompt_tokens=round(effort.prompt_tokens * share),
        completion_tokens=round(effort.completion_tokens * share),
    )


def _in_order(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: counts[name] for name in ORDER if counts.get(name)}
