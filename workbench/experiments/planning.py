"""What an experiment will take: its cells, and the steps that are left after sharing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.app import Workbench
from workbench.components import Entry, Registry
from workbench.experiments.chain_builder import ChainBuilder
from workbench.experiments.experiment import Experiment, idle_fields, runs_of
from workbench.experiments.inputs import ExperimentInputs
from workbench.experiments.phases import stage_order
from workbench.pipeline import Recipe, fields_in_chain

NO_CELLS = "The experiment has no cells: its datasets hold no questions in the languages asked for."


@dataclass(frozen=True, slots=True)
class ExperimentPlan:
    """The size of an experiment: `cells` answers of `runs` runs.

    `unshared`: steps by stage if each cell ran alone; `steps`: at most this many are left after sharing (equal texts
    that come up on the way share more). `impossible`: cells that cannot run, by reason. `idle`: a sentence for each
    mode in which fields with several values have no effect, so that they multiply no runs there.
    """

    runs: int
    cells: int
    steps: Mapping[str, int]
    unshared: Mapping[str, int]
    impossible: Mapping[str, int]
    idle: tuple[str, ...] = ()


def plan(workbench: Workbench, experiment: Experiment) -> ExperimentPlan:
    """Counts without running anything. Raises UsageError for a dataset, corpus or language that does not exist."""
    inputs = ExperimentInputs(workbench, experiment)
    builder = ChainBuilder(workbench, experiment.seed)
    steps: Counter[str] = Counter()
    unshared: Counter[str] = Counter()
    impossible: Counter[str] = Counter()
    names: set[tuple[str, ...]] = set()
    for (dataset, language), count in inputs.counts.items():
        paths: set[tuple[str, ...]] = set()
        for chain in builder.build(inputs.runs_over(dataset), language):
            if chain.error:
                impossible[chain.error] += count
            names.add(tuple(stage.name for stage in chain.stages))
            path: tuple[str, ...] = chain.scope
            for stage in chain.stages:
                path = (*path, f"{stage.name} {stage.identity}")
                unshared[stage.name] += count
                if path not in paths:
                    paths.add(path)
                    steps[stage.name] += count
    order = [name for name in stage_order(names) if unshared[name]]
    return ExperimentPlan(
        runs=len(inputs.runs),
        cells=inputs.cells,
        steps={name: steps[name] for name in order},
        unshared={name: unshared[name] for name in order},
        impossible=dict(impossible),
        idle=idle_fields(experiment),
    )


def hosts_of(experiment: Experiment, home: Path) -> tuple[str, ...]:
    """The hosts that questions, documents and, for a judge, answers are sent to; () where all stays on this machine.

    Raises UsageError for a component or a judge whose name means nothing.
    """
    hosts = [host for recipe in _recipes(experiment) for host in Registry(home).check(recipe)]
    of_metrics = [*judge_hosts(experiment.judge, home), *judge_hosts(experiment.semscore_encoder, home)]
    return tuple(dict.fromkeys([*hosts, *of_metrics]))


def unready_components(experiment: Experiment, home: Path) -> tuple[Entry, ...]:
    """Every component of any run, the judge and SemScore's encoder, that cannot be used now; each once.

    Raises UsageError for a component whose name means nothing, DataError for a damaged endpoints.yaml.
    """
    registry = Registry(home)
    recipes = _recipes(experiment)
    if experiment.judge:
        recipes.append(recipes[0].with_(generator=experiment.judge))
    if experiment.semscore_encoder:
        recipes.append(recipes[0].with_(retriever="dense", encoder=experiment.semscore_encoder))
    entries = [entry for recipe in recipes for entry in registry.unready(recipe)]
    return tuple({(entry.role, entry.name): entry for entry in entries}.values())


def judge_hosts(judge: str, home: Path) -> tuple[str, ...]:
    """The host that a judge, or a metric's encoder, sends texts to; () where they stay on this machine."""
    host = Registry(home).host(judge)
    return (host,) if host else ()


def _recipes(experiment: Experiment) -> list[Recipe]:
    """One recipe for each set of components that some run uses."""
    recipes: dict[str, Recipe] = {}
    for run in runs_of(experiment, lambda dataset: dataset):
        # Which corpus is searched changes no component.
        recipes.setdefault(run.recipe.model_dump_json(exclude={*fields_in_chain(), "corpus"}), run.recipe)
    return list(recipes.values())
