"""A pilot: an experiment's matrix on a few questions of each language, run to estimate the whole.

Its steps are kept in the cache, so the experiment itself does not do them again. Its answers are counted and let go.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event

from workbench.errors import UsageError
from workbench.experiments.cells import ORDER
from workbench.experiments.experiment import Experiment
from workbench.experiments.inputs import ExperimentInputs
from workbench.experiments.plan import NO_CELLS, ExperimentPlan
from workbench.experiments.runner import OnBatch, Runner, ignore_progress
from workbench.pipeline.step_keys import SECONDS
from workbench.records import Question
from workbench.results.judging import STAGE as JUDGING
from workbench.results.writer import CellResult
from workbench.workspace.workbench import Workbench

REASONS = 3
"""Reasons of failed cells that are kept, the most frequent ones."""
READ = 200
"""Steps of a stage whose seconds are read from the cache where none of them had to be run."""


@dataclass(frozen=True, slots=True)
class PilotMeasurement:
    """What a pilot of `cells` cells found. `each`: seconds a step by stage; tokens are those of its cells and of their
    judge, 0 where these count none; `reasons`: how many cells failed, by the most frequent reasons; `judged`: how many
    replies a judge was asked for.
    """

    cells: int
    failed: int
    each: Mapping[str, float] = field(default_factory=dict)
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)
    judged: int = 0


@dataclass(frozen=True, slots=True)
class Estimate:
    """From a pilot of `cells` cells (see Measured): `seconds` and tokens are for the whole. `unmet`: stages of it that
    the pilot never got to, so that `seconds` leaves them out.
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
    """The experiment that a pilot of so many questions a language runs; the name of the whole does not matter to it."""
    asked = min(questions, experiment.questions or questions)
    return experiment.model_copy(update={"name": "Pilot", "questions": asked})


def measure(
    workbench: Workbench, experiment: Experiment, *, stop: Event | None = None, on_batch: OnBatch = ignore_progress
) -> PilotMeasurement:
    """Runs a small experiment and says what it took; its answers are not stored.

    Its first question in each language is asked before anything is measured: what is loaded or learnt with a language's
    first text would else be charged to every text of the whole.

    A stage all of whose steps were in the cache counts by what they took when they were run: for a call to a generator
    its own seconds, though such calls may run side by side. Raises UsageError where there is nothing to ask, and
    StoppedError where `stop` was set.
    """
    stop = stop or Event()
    if experiment.questions != 1:
        first = ExperimentInputs(workbench, pilot_experiment(experiment, 1))
        Runner(workbench, first, _Counted(), stop=stop, on_batch=on_batch).run()
    material = ExperimentInputs(workbench, experiment)
    if not material.cells:
        raise UsageError(NO_CELLS)
    keys: dict[str, set[str]] = defaultdict(set)
    counted = _Counted()
    runner = Runner(
        workbench,
        material,
        counted,
        stop=stop,
        on_batch=on_batch,
        on_key=lambda stage, key: keys[stage].add(key),
    )
    tally = runner.run()
    each = {name: tally.seconds[name] / tally.run[name] for name in ORDER if tally.run[name]}
    for name in keys.keys() - each.keys():
        stored = workbench.cache.get(list(keys[name])[:READ])
        if stored:
            each[name] = sum(json.loads(output).get(SECONDS, 0.0) for output in stored.values()) / len(stored)
    return PilotMeasurement(
        cells=material.cells,
        failed=counted.reasons.total(),
        each={name: each[name] for name in ORDER if name in each},
        prompt_tokens=counted.prompt_tokens + (runner.judge.prompt_tokens if runner.judge else 0),
        completion_tokens=counted.completion_tokens + (runner.judge.completion_tokens if runner.judge else 0),
        reasons=dict(counted.reasons.most_common(REASONS)),
        judged=len(keys[JUDGING]),
    )


def estimate(whole: ExperimentPlan, measured: PilotMeasurement) -> Estimate:
    """What a whole experiment will take, by what a pilot of it took."""
    share = whole.cells / measured.cells
    # What a judge is asked hangs on the answers, so no plan counts it.
    steps = {**whole.steps, JUDGING: measured.judged * share}
    return Estimate(
        cells=measured.cells,
        failed=measured.failed,
        seconds=sum(measured.each.get(name, 0.0) * count for name, count in steps.items()),
        each=measured.each,
        prompt_tokens=round(measured.prompt_tokens * share),
        completion_tokens=round(measured.completion_tokens * share),
        reasons=measured.reasons,
        unmet=tuple(name for name in whole.steps if name not in measured.each),
    )


class _Counted:
    """Implements `runner.Results`: counts what a pilot gives and stores nothing. However its process ends, no result of
    it is left.
    """

    def __init__(self) -> None:
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self.reasons: Counter[str] = Counter()

    def done(self, phase: int) -> set[int]:
        return set()

    def answered(self, dataset: str, questions: Sequence[Question]) -> set[tuple[int, str]]:
        return set()

    def write(self, phase: int, batch: int, dataset: str, given: Sequence[CellResult]) -> None:
        for item in given:
            self.prompt_tokens += item.prompt_tokens or 0
            self.completion_tokens += item.completion_tokens or 0
            if item.error:
                self.reasons[item.error] += 1
