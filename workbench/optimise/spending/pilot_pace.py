"""The pace of a search: some recipes measured on a few questions, whose steps stay in the cache.

A batch of steps that takes several times as long as most of its stage's do has learnt or loaded something that later
ones use: words of a pair of languages, an index, a model. Such time is not the pace. How much of it is still to come is
extrapolated: after n questions of a language, the next one brings something new in proportion to n to the power of
-3/2, which is how the built-in parts learn pairs of languages on the sample.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from statistics import median

import numpy as np

from workbench.app import Workbench
from workbench.core import UsageError
from workbench.models import PriceTable
from workbench.optimise.evaluation.measurement import FIELDS, part_of
from workbench.optimise.evaluation.recipe_evaluator import RecipeEvaluator, Unwritten
from workbench.optimise.selection.sample_size import PilotSpread, pilot_spread
from workbench.optimise.spending.cap import Cap, ModelOf, SpendingGuard
from workbench.optimise.spending.counting import CountedSteps, CountingExecutor, CountingRunner, learns
from workbench.optimise.strategies.measuring import BATCH
from workbench.pipeline import SECONDS, BoundStage, Recipe, State

UNUSUAL = 3.0
"""Times the usual pace from which a batch of steps has done something besides."""


@dataclass(frozen=True, slots=True)
class StepBatch:
    """Steps of a stage that were run together: their number, and the seconds of all of them.

    `learns`: what they did besides stays in the workspace; else it is done again by each process.
    """

    stage: str
    steps: int
    seconds: float
    learns: bool = False


@dataclass(slots=True)
class BatchLog:
    """The batches of a pilot, in order, block of questions by block."""

    blocks: list[list[StepBatch]] = field(default_factory=lambda: [[]])

    def next_block(self) -> None:
        """Begins a block."""
        self.blocks.append([])


class LoggingGuard(SpendingGuard):
    """A spending guard that logs each batch of steps."""

    def __init__(self, cap: Cap, prices: PriceTable, model_of: ModelOf) -> None:
        super().__init__(cap, prices, model_of)
        self.batches = BatchLog()

    def ran(self, stage: BoundStage, states: Sequence[State], seconds: float) -> None:
        """Counts steps that were run, and logs them."""
        super().ran(stage, states, seconds)
        if states:
            self.batches.blocks[-1].append(StepBatch(stage.name, len(states), seconds, learns(stage)))


def usual_seconds(batches: Sequence[StepBatch]) -> dict[str, float]:
    """Seconds of a step by stage: the mean over its batches, without those that are UNUSUAL times slower than most.

    >>> usual_seconds([StepBatch("read", 4, 2.0), StepBatch("read", 4, 2.4), StepBatch("read", 1, 9.0)])
    {'read': 0.55}
    """
    by_stage: dict[str, list[StepBatch]] = defaultdict(list)
    for batch in batches:
        by_stage[batch.stage].append(batch)
    usual = {}
    for stage, some in by_stage.items():
        limit = UNUSUAL * _middle(some)
        kept = [item for item in some if item.seconds <= limit * item.steps]
        usual[stage] = sum(item.seconds for item in kept) / sum(item.steps for item in kept)
    return usual


def besides(batches: Sequence[StepBatch], usual: dict[str, float]) -> float:
    """The seconds that unusual batches took beyond the pace of their stage."""
    extra = (item.seconds - usual.get(item.stage, 0.0) * item.steps for item in batches)
    return sum(
        more
        for item, more in zip(batches, extra, strict=True)
        if more > (UNUSUAL - 1) * usual.get(item.stage, 0.0) * item.steps
    )


def still_to_learn(seconds: float, before: int, after: int, questions: int) -> float:
    """What is left to learn, in seconds, until a language's `questions` are seen.

    `seconds` were spent on learning between the question number `before` and `after` of each language.

    >>> round(still_to_learn(8.0, 1, 4, 16), 6), still_to_learn(8.0, 1, 4, 4)
    (4.0, 0.0)
    """
    if questions <= after or after <= before:
        return 0.0
    left, seen = after**-0.5 - questions**-0.5, max(1, before) ** -0.5 - after**-0.5
    return float(seconds * left / seen)


def _middle(batches: Sequence[StepBatch]) -> float:
    """The median of the seconds of a step over batches, each counted as often as it has steps."""
    ranked = sorted(batches, key=lambda item: item.seconds / item.steps)
    half, seen = sum(item.steps for item in ranked) / 2, 0
    for item in ranked:
        seen += item.steps
        if seen >= half:
            return item.seconds / item.steps
    return 0.0


PILOT_QUESTIONS = 3
"""Questions per language of a pilot, at least 2: one more is asked before anything is measured."""
PILOT_BATCHES = 3
"""Batches of recipes of a pilot."""
STEPS_READ = 200
"""Steps of a stage whose seconds are read from the cache where none of them had to be run."""

OnShare = Callable[[str, float], None]
"""Is called with what is being done, in a word or two, and the share of it that is done, from 0 to 1."""


def unwatched(_phase: str, _share: float) -> None:
    """For whoever does not watch."""


@dataclass(frozen=True, slots=True)
class SearchPace:
    """What a pilot measured: seconds a step by stage, and besides, seconds a recipe and language, and seconds a cell.

    `startup` are those of a process's first answers, `learning` those of what is still to be learnt once. `shares`: of
    a stage that is counted inexactly, how many of the steps counted are distinct in truth. `spread`: how much the
    pilot's recipes differ from question to question, None where it had too few of either.
    """

    each: dict[str, float]
    startup: float
    learning: float
    per_chain: float
    per_cell: float
    failed: int
    shares: dict[str, float]
    spread: PilotSpread | None


def count_steps(
    evaluator: RecipeEvaluator,
    recipes: Sequence[Recipe],
    metrics: Sequence[str],
    rows: Sequence[int],
    on_share: OnShare = unwatched,
) -> CountedSteps:
    """The distinct steps of measuring recipes on some questions; what costs nothing is run on the way."""
    shared = evaluator.runner.shared
    counted = CountedSteps()
    context = replace(shared, executor=CountingExecutor(shared.executor.cache, "isolate", steps=counted))
    for start in range(0, len(recipes), BATCH):
        on_share("counting", start / len(recipes))
        runs = evaluator.runs_of(recipes[start : start + BATCH], rows)
        inputs = evaluator.inputs_of([run for run, _ in runs], (), rows)
        CountingRunner(evaluator.workbench, inputs, Unwritten(), fields=FIELDS[part_of(metrics)], context=context).run()
    return counted


def measured_pace(
    evaluator: RecipeEvaluator,
    guard: LoggingGuard,
    recipes: Sequence[Recipe],
    metrics: Sequence[str],
    rows: Sequence[int],
    counted: CountedSteps,
    pilot: int = PILOT_QUESTIONS,
    on_share: OnShare = unwatched,
) -> SearchPace:
    """The pace of some recipes, in batches as strategies measure them, on a few of the `rows` per language.

    `guard` is the evaluator's. One question per language comes first and is not measured: what is loaded with a
    language's first text belongs to the start. Then one more and `pilot` more, so that what a chain takes to build and
    what an answer takes to read and store can be told from each other.
    """
    batches = [recipes[start : start + BATCH] for start in range(0, len(recipes), BATCH)]
    batches = Random(0).sample(batches, min(PILOT_BATCHES, len(batches)))  # noqa: S311  # an order, not a secret
    by_place: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        place = evaluator.questions.datasets[row], evaluator.questions.languages[row]
        by_place.setdefault(place, []).append(row)
    counts, failed = evaluator.counts, 0

    def worked() -> float:
        return sum(value for name, value in counts.seconds.items() if name not in counted.unkept)

    overheads: list[float] = []
    sizes: list[int] = []
    keys: dict[str, set[str]] = defaultdict(set)
    evaluator.runner.executor.on_key = lambda stage, key: keys[stage].add(key)
    measured: list[int] = []
    for start, end in ((0, 1), (1, 2), (2, 2 + max(pilot, 2))):
        some = [row for listed in by_place.values() for row in listed[start:end]]
        if start == 1:
            keys.clear()
        measured += some if start else []
        guard.batches.next_block()
        began, before = time.perf_counter(), worked()
        for number, batch in enumerate(batches if some else ()):
            on_share("pilot", (start + number / len(batches)) / 3)
            failed += sum(trial.errors for trial in evaluator.evaluate(batch, metrics, some))
        overheads.append(max(0.0, time.perf_counter() - began - (worked() - before)))
        sizes.append(len(some))
    number = sum(len(batch) for batch in batches)
    per_cell = max(0.0, overheads[2] - overheads[1]) / max(1, sizes[2] - sizes[1]) / number
    per_chain = max(0.0, overheads[1] / number - per_cell * sizes[1]) / len(by_place)
    kept = [[item for item in block if item.stage not in counted.unkept] for block in guard.batches.blocks[1:]]
    first, later = kept[0], [item for block in kept[1:] for item in block]
    each = usual_seconds(later)
    of_pilot = count_steps(evaluator, [recipe for batch in batches for recipe in batch], metrics, measured)
    shares = {name: len(keys[name]) / len(of_pilot.keys[name]) for name in counted.inexact if of_pilot.keys[name]}
    startup = max(0.0, overheads[0] - overheads[1]) + besides([item for item in first if not item.learns], each)
    most = max(len(some) for some in by_place.values())
    learning = still_to_learn(besides(later, each), 1, min(most, 2 + max(pilot, 2)), most)
    piloted = [recipe for batch in batches for recipe in batch]
    spread = _spread(evaluator, piloted, metrics, measured)
    return SearchPace(each, startup, learning, per_chain, per_cell, failed, shares, spread)


def _spread(
    evaluator: RecipeEvaluator, recipes: Sequence[Recipe], metrics: Sequence[str], rows: Sequence[int]
) -> PilotSpread | None:
    """How much recipes differ in the first metric on questions that they were measured on."""
    trials = evaluator.evaluate(recipes, metrics, rows)
    scores = np.array([trial.scores[metrics[0]][list(rows)] for trial in trials])
    try:
        return pilot_spread(scores, [evaluator.questions.groups[row] for row in rows])
    except UsageError:
        return None


def stored_seconds(workbench: Workbench, counted: CountedSteps, stages: Sequence[str]) -> dict[str, float]:
    """The median seconds of steps that were run at some time, by stage; without those of which none was."""
    medians: dict[str, float] = {}
    for name in stages:
        if stored := workbench.cache.get(sorted(counted.keys[name])[:STEPS_READ]):
            medians[name] = median(json.loads(item).get(SECONDS, 0.0) for item in stored.values())
    return medians
