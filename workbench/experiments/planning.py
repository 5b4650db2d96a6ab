"""What an experiment will take: its cells, the steps that are left after sharing, and an estimate by a pilot.

A pilot runs the matrix on a few questions of each language. Its steps are cached, so the experiment itself does not do
them again. Its answers are counted and dropped.
"""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from workbench.app import Workbench
from workbench.components import Entry, Registry
from workbench.core import Question, UsageError
from workbench.experiments.chain_builder import ChainBuilder
from workbench.experiments.experiment import Experiment, idle_fields, runs_of, same_runs
from workbench.experiments.inputs import ExperimentInputs
from workbench.experiments.phases import build_indexes, stage_order
from workbench.experiments.results.scoring import STAGE as JUDGING
from workbench.experiments.results.writer import CellResult
from workbench.experiments.runner import OnBatch, Runner, ignore_progress
from workbench.pipeline import SECONDS, Recipe, StepCounts, fields_in_chain
from workbench.workspace import verb

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
        idle=(*idle_fields(experiment), *same_runs(inputs.runs)),
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


REASONS = 3
"""Reasons of failed cells that are reported, the most frequent ones."""
STEPS_READ = 200
"""Steps of a stage whose seconds are read from the cache where none of them had to be run."""


@dataclass(frozen=True, slots=True)
class PilotMeasurement:
    """What a pilot of `cells` cells took. `each`: seconds per step by stage.

    Tokens are those of its cells and of their judge, 0 where these count none. `reasons`: the number of failed cells by
    reason, the most frequent ones; `judged`: the number of replies that a judge was asked for. `startup`: the seconds
    that an experiment takes once, to start and to load its models; `overhead`: seconds per cell besides its steps, to
    read, score and store it.
    """

    cells: int
    failed: int
    each: Mapping[str, float] = field(default_factory=dict)
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)
    judged: int = 0
    startup: float = 0.0
    overhead: float = 0.0


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the complete experiment will take, by a pilot of `cells` cells (see PilotMeasurement).

    `seconds` and tokens are for all of it, with its start. `unmet`: its stages that the pilot never came to, so that
    `seconds` leaves them out.
    """

    cells: int
    failed: int
    seconds: float
    each: Mapping[str, float] = field(default_factory=dict)
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)
    unmet: tuple[str, ...] = ()


def pilot_experiment(experiment: Experiment, questions: int) -> Experiment:
    """The experiment that a pilot of that many questions per language runs; its name is the same for every pilot."""
    limit = min(questions, experiment.questions or questions)
    return experiment.model_copy(update={"name": "Pilot", "questions": limit})


@verb("runs.start", "{experiment.name}")
def measure(
    workbench: Workbench,
    experiment: Experiment,
    *,
    stop: Event | None = None,
    on_batch: OnBatch = ignore_progress,
    spent: float = 0.0,
) -> PilotMeasurement:
    """Runs a small experiment and returns what it took; its answers are not stored.

    Its first question in each language is asked before anything is measured: otherwise what is loaded or learnt with a
    language's first text would be charged to every text of the complete experiment. It belongs to the start-up, as do
    the seconds that its process has `spent` before.

    A stage all of whose steps were in the cache counts by what they took when they were run: a call to a generator by
    its seconds, even if calls ran in parallel. Raises UsageError where there is nothing to ask, and JobStopped where
    `stop` was set.
    """
    stop = stop or Event()
    first_steps: Mapping[str, int] = {}
    first = ExperimentInputs(workbench, pilot_experiment(experiment, 1))
    # Once only, so no part of what the complete experiment takes.
    build_indexes(workbench, first.runs, stop=stop, on_batch=on_batch, counts=StepCounts())
    began = time.perf_counter()
    if experiment.questions != 1:
        first_steps = Runner(workbench, first, _Counted(), stop=stop, on_batch=on_batch).run().ran
    first_seconds = time.perf_counter() - began
    inputs = ExperimentInputs(workbench, experiment)
    if not inputs.cells:
        raise UsageError(NO_CELLS)
    keys: dict[str, set[str]] = defaultdict(set)
    counted = _Counted()
    runner = Runner(
        workbench,
        inputs,
        counted,
        stop=stop,
        on_batch=on_batch,
        on_key=lambda stage, key: keys[stage].add(key),
    )
    began, judge = time.perf_counter(), runner.shared.judge
    counts = runner.run()
    seconds = time.perf_counter() - began
    each = {name: counts.seconds[name] / number for name, number in counts.ran.items() if number}
    for name in keys.keys() - each.keys():
        stored = workbench.cache.get(list(keys[name])[:STEPS_READ])
        if stored:
            each[name] = sum(json.loads(output).get(SECONDS, 0.0) for output in stored.values()) / len(stored)
    return PilotMeasurement(
        cells=inputs.cells,
        failed=counted.reasons.total(),
        each={name: each[name] for name in (*runner.phases[-1].stages, JUDGING) if name in each},
        prompt_tokens=counted.prompt_tokens + (judge.prompt_tokens if judge else 0),
        completion_tokens=counted.completion_tokens + (judge.completion_tokens if judge else 0),
        reasons=dict(counted.reasons.most_common(REASONS)),
        judged=len(keys[JUDGING]),
        startup=spent + max(0.0, first_seconds - sum(each.get(name, 0.0) * ran for name, ran in first_steps.items())),
        overhead=max(0.0, seconds - sum(counts.seconds.values())) / inputs.cells,
    )


def estimate(complete: ExperimentPlan, measured: PilotMeasurement) -> Estimate:
    """What a complete experiment will take, by what a pilot of it took."""
    share = complete.cells / measured.cells
    # What a judge is asked depends on the answers, so no plan counts it.
    steps = {**complete.steps, JUDGING: measured.judged * share}
    return Estimate(
        cells=measured.cells,
        failed=measured.failed,
        seconds=measured.startup
        + measured.overhead * complete.cells
        + sum(measured.each.get(name, 0.0) * count for name, count in steps.items()),
        each=measured.each,
        prompt_tokens=round(measured.prompt_tokens * share),
        completion_tokens=round(measured.completion_tokens * share),
        reasons=measured.reasons,
        unmet=tuple(name for name in complete.steps if name not in measured.each),
    )


class _Counted:
    """Implements `runner.Results`: counts a pilot's results and stores nothing, however its process ends."""

    def __init__(self) -> None:
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self.reasons: Counter[str] = Counter()

    def done(self, phase: str) -> set[int]:
        return set()

    def answered(self, dataset: str, questions: Sequence[Question]) -> set[tuple[int, str]]:
        return set()

    def write(self, phase: str, batch: int, dataset: str, results: Sequence[CellResult]) -> None:
        for result in results:
            self.prompt_tokens += result.prompt_tokens or 0
            self.completion_tokens += result.completion_tokens or 0
            if result.error:
                self.reasons[result.error] += 1
