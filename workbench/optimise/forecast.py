"""What a search will take: its steps from those that recipes share, its time, tokens and money by a pilot.

Where it is known which recipes a strategy measures, their steps are counted (see `spending.CountingExecutor`); of the
others it is known how many they measure at most, and the count is a bound. Nor is it known before who is a finalist, to
be measured on the held-out questions: what that takes is a bound, and is given by itself. The pilot and the count leave
their steps in the cache, so the search does not repeat them.

A pilot measures some recipes on a few questions. A batch of steps that takes several times as long as most of its
stage's do has learnt or loaded something that later ones use: words of a pair of languages, an index, a model. Such
time is not the pace. How much of it is still to come is extrapolated: after n questions of a language, the next one
brings something new in proportion to n to the power of -3/2, which is how the built-in parts learn pairs of languages
on the sample.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from random import Random
from statistics import median
from typing import Any

import numpy as np

from workbench.app import Workbench
from workbench.core import UsageError
from workbench.experiments import missing_indexes
from workbench.models import PriceTable, load_prices
from workbench.optimise.measurement import FIELDS, part_of
from workbench.optimise.question_split import parts_of
from workbench.optimise.recipe_evaluator import (
    RecipeEvaluator,
    Unwritten,
    fixed_fields,
    material_of,
    unready_recipes,
)
from workbench.optimise.selection.chance import PilotSpread, pilot_spread
from workbench.optimise.space.search_space import SearchSpace
from workbench.optimise.spending import (
    CALLING,
    CallTotals,
    Cap,
    CountedSteps,
    CountingExecutor,
    CountingRunner,
    ModelOf,
    SearchOptions,
    SpendingGuard,
    learns,
)
from workbench.optimise.strategies.measuring import BATCH
from workbench.optimise.strategies.recipe_sampling import DEFAULT_TRIALS, random_recipes
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


class LoggingGuard(SpendingGuard):
    """A spending guard that logs each batch of steps, in order, in `blocks`: one for each block of questions."""

    def __init__(self, cap: Cap, prices: PriceTable, model_of: ModelOf) -> None:
        super().__init__(cap, prices, model_of)
        self.blocks: list[list[StepBatch]] = [[]]

    def ran(self, stage: BoundStage, states: Sequence[State], seconds: float) -> None:
        """Counts steps that were run, and logs them."""
        super().ran(stage, states, seconds)
        if states:
            self.blocks[-1].append(StepBatch(stage.name, len(states), seconds, learns(stage)))


def usual_seconds(batches: Sequence[StepBatch]) -> dict[str, float]:
    """Seconds of a step by stage: the mean over its batches, without those that are UNUSUAL times slower than most.

    >>> usual_seconds([StepBatch("read", 4, 2.0), StepBatch("read", 4, 2.4), StepBatch("read", 1, 9.0)])
    {'read': 0.55}
    """
    by_stage: dict[str, list[StepBatch]] = defaultdict(list)
    for batch in batches:
        by_stage[batch.stage].append(batch)
    usual = {}
    for stage, of_stage in by_stage.items():
        limit = UNUSUAL * _middle(of_stage)
        quick = [batch for batch in of_stage if batch.seconds <= limit * batch.steps]
        usual[stage] = sum(batch.seconds for batch in quick) / sum(batch.steps for batch in quick)
    return usual


def besides(batches: Sequence[StepBatch], usual: dict[str, float]) -> float:
    """The seconds that unusual batches took beyond the pace of their stage."""
    extra = (batch.seconds - usual.get(batch.stage, 0.0) * batch.steps for batch in batches)
    return sum(
        more
        for batch, more in zip(batches, extra, strict=True)
        if more > (UNUSUAL - 1) * usual.get(batch.stage, 0.0) * batch.steps
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
    on_share: OnShare = lambda _phase, _share: None,
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
    pilot: int,
    on_share: OnShare,
) -> SearchPace:
    """The pace of some recipes, in batches as strategies measure them, on a few of the `rows` per language.

    `guard` is the evaluator's. One question per language comes first and is not measured: what is loaded with a
    language's first text belongs to the start. Then one more and `pilot` more, so that what a chain takes to build and
    what an answer takes to read and store can be told from each other.
    """
    batches = [recipes[start : start + BATCH] for start in range(0, len(recipes), BATCH)]
    batches = Random(0).sample(batches, min(PILOT_BATCHES, len(batches)))  # noqa: S311  # an order, not a secret
    by_pair: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        pair = evaluator.questions.datasets[row], evaluator.questions.languages[row]
        by_pair.setdefault(pair, []).append(row)
    counts, failed = evaluator.counts, 0

    def worked() -> float:
        return sum(value for name, value in counts.seconds.items() if name not in counted.unkept)

    overheads: list[float] = []
    sizes: list[int] = []
    keys: dict[str, set[str]] = defaultdict(set)
    evaluator.runner.executor.on_key = lambda stage, key: keys[stage].add(key)
    measured: list[int] = []
    for start, end in ((0, 1), (1, 2), (2, 2 + max(pilot, 2))):
        block = [row for listed in by_pair.values() for row in listed[start:end]]
        if start == 1:
            keys.clear()
        measured += block if start else []
        guard.blocks.append([])
        began, before = time.perf_counter(), worked()
        for number, batch in enumerate(batches if block else ()):
            on_share("pilot", (start + number / len(batches)) / 3)
            failed += sum(trial.errors for trial in evaluator.evaluate(batch, metrics, block))
        overheads.append(max(0.0, time.perf_counter() - began - (worked() - before)))
        sizes.append(len(block))
    number = sum(len(batch) for batch in batches)
    per_cell = max(0.0, overheads[2] - overheads[1]) / max(1, sizes[2] - sizes[1]) / number
    per_chain = max(0.0, overheads[1] / number - per_cell * sizes[1]) / len(by_pair)
    kept = [[item for item in block if item.stage not in counted.unkept] for block in guard.blocks[1:]]
    first, later = kept[0], [item for block in kept[1:] for item in block]
    each = usual_seconds(later)
    of_pilot = count_steps(evaluator, [recipe for batch in batches for recipe in batch], metrics, measured)
    shares = {name: len(keys[name]) / len(of_pilot.keys[name]) for name in counted.inexact if of_pilot.keys[name]}
    startup = max(0.0, overheads[0] - overheads[1]) + besides([item for item in first if not item.learns], each)
    most = max(map(len, by_pair.values()))
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


RECIPES_COUNTED = 1_000
"""Most recipes whose steps are counted for a strategy that measures only some of them, nobody knows which."""
FORESEEN = frozenset({"exhaustive", "random"})
"""The strategies whose recipes are known before they measure any."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What measuring the finalists on the held-out `questions` takes at most: if every recipe were one.

    `seconds`, `tokens` and `money` are None where those of a Forecast are.
    """

    questions: int
    calls: int
    seconds: float | None = None
    tokens: int | None = None
    money: float | None = None


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a search takes at most or, where `exact`, takes: `recipes` measured on `questions` each.

    That is without the held-out questions, which `confirmation` is about.

    `steps` are distinct steps by stage, of which `remaining` are not in the cache; `calls` of the remaining ones ask a
    generator, and `exact_calls` says whether that number is exact. `seconds`, `tokens` and `money` (in `currency`) are
    None without a pilot. `unpriced`: generators without a price. `unindexed`: corpora and encoders whose index will be
    built first, which is not counted. `unready`: by component that cannot be used now, the recipes that need it: they
    fail, and their steps are not counted. `unmet`: stages that the pilot did not come to. `failed`: its failed answers.
    `groups`: of the questions; `spread`: how much the pilot's recipes differ by the objective, None where unknown.
    """

    recipes: int
    questions: int
    exact: bool
    steps: Mapping[str, int]
    remaining: Mapping[str, int]
    calls: int
    exact_calls: bool
    seconds: float | None = None
    tokens: int | None = None
    money: float | None = None
    currency: str = ""
    unpriced: tuple[str, ...] = ()
    unindexed: tuple[tuple[str, str], ...] = ()
    unready: Mapping[str, int] = field(default_factory=dict)
    unmet: tuple[str, ...] = ()
    failed: int = 0
    each: Mapping[str, float] = field(default_factory=dict)
    groups: int = 0
    spread: PilotSpread | None = None
    confirmation: Confirmation | None = None

    def to_json(self) -> dict[str, Any]:
        """The forecast as plain values."""
        return asdict(self)


def forecast(
    workbench: Workbench,
    space: SearchSpace,
    options: SearchOptions,
    pilot: int = PILOT_QUESTIONS,
    on_share: OnShare = lambda _phase, _share: None,
) -> Forecast:
    """Counts a search's steps and, by a pilot of that many questions per language, estimates the rest; 0 for none.

    Raises UsageError for a search without questions, or over a dataset or language that does not exist.
    """
    prices = load_prices(workbench.settings.home)
    guard = LoggingGuard(Cap(), prices, lambda stage: evaluator.model_behind(stage.identity))
    evaluator = RecipeEvaluator(workbench, material_of(space), fixed_fields(space), guard=guard)
    recipes, bound = _recipes(space, options)
    parts = parts_of(evaluator.questions, options.holdout, space.seed)
    is_complete = len(recipes) >= min(bound, space.size)
    exact = options.strategy in FORESEEN and is_complete
    counted = count_steps(evaluator, recipes, space.metrics, parts.search, on_share)
    later = count_steps(evaluator, recipes, space.metrics, parts.holdout, on_share) if parts.holdout else None
    pace = (
        measured_pace(evaluator, guard, recipes, space.metrics, parts.search, counted, pilot, on_share)
        if pilot
        else None
    )
    part = _Part(workbench, counted, bound * len(parts.search), is_complete)
    rest = None if later is None else _Part(workbench, later, bound * len(parts.holdout), is_complete)
    result = Forecast(
        recipes=bound,
        questions=len(parts.search),
        exact=exact,
        steps=part.steps,
        remaining=part.remaining,
        calls=part.calls,
        exact_calls=exact and not CALLING & counted.inexact,
        unindexed=missing_indexes(workbench, [run for run, _ in evaluator.runs_of(recipes, parts.search)]),
        unready=unready_recipes(workbench, recipes),
        groups=len({evaluator.questions.groups[row] for row in parts.search}),
        confirmation=None if rest is None else Confirmation(len(parts.holdout), rest.calls),
    )
    if pace is None:
        return result
    each = {**stored_seconds(workbench, counted, part.names), **pace.each}
    unpriced = [
        evaluator.model_behind(identity)
        for identity, totals in guard.by_generator.items()
        if totals.tokens and not totals.money
    ]
    tokens, money = part.used(guard.by_generator)
    confirmation = result.confirmation
    if rest is not None and confirmation is not None:
        more_tokens, more_money = rest.used(guard.by_generator)
        confirmation = replace(
            confirmation,
            seconds=rest.seconds(pace, each),
            tokens=round(more_tokens),
            money=None if unpriced else more_money,
        )
    return replace(
        result,
        seconds=pace.startup
        + pace.learning
        + pace.per_chain * bound * _language_pairs(evaluator)
        + part.seconds(pace, each),
        tokens=round(tokens),
        money=None if unpriced else money,
        currency=prices.currency,
        unpriced=tuple(dict.fromkeys(unpriced)),
        unmet=tuple(name for name, number in part.remaining.items() if number and name not in each),
        failed=pace.failed,
        each=each,
        spread=pace.spread,
        confirmation=confirmation,
    )


class _Part:
    """What measuring recipes on one part of the questions takes: `cells` answers at most.

    `is_complete`: `counted` is about all recipes that a strategy may measure, so its counts are no estimate.
    """

    def __init__(self, workbench: Workbench, counted: CountedSteps, cells: int, is_complete: bool) -> None:
        self.cells = cells
        self.names = [name for name in counted.keys if name not in counted.unkept]
        left = {name: counted.keys[name] - workbench.cache.stored(counted.keys[name]).keys() for name in self.names}
        self.steps = {name: min(len(counted.keys[name]), cells) if is_complete else cells for name in self.names}
        self.remaining = {name: min(len(keys), cells) if is_complete else cells for name, keys in left.items()}
        self.calls = sum(number for name, number in self.remaining.items() if name in CALLING)
        missing: set[str] = set().union(*left.values())
        self._left = {identity: len(keys & missing) for identity, keys in counted.generators.items()}

    def seconds(self, pace: SearchPace, each: Mapping[str, float]) -> float:
        """The seconds of its steps by stage, and of reading and storing its answers."""
        steps = (each.get(name, 0.0) * pace.shares.get(name, 1.0) * count for name, count in self.remaining.items())
        return pace.per_cell * self.cells + sum(steps)

    def used(self, totals: Mapping[str, CallTotals]) -> tuple[float, float]:
        """The tokens and the money of its calls, by what a pilot's took."""
        share = self.calls / max(1, sum(self._left.values()))
        used = [(item, self._left.get(identity, 0)) for identity, item in totals.items() if item.calls]
        return (
            share * sum(item.tokens / item.calls * number for item, number in used),
            share * sum(item.money / item.calls * number for item, number in used),
        )


def most_recipes(space: SearchSpace, options: SearchOptions) -> int:
    """How many recipes a strategy measures at most."""
    everything = space.size
    if options.strategy in ("greedy", "models-first"):
        # Each node's variants once, and the best of all in the end (m + n, not m × n).
        everything = min(everything, sum(len(variants) for variants in space.variants) + 1)
    elif options.strategy in ("random", "tpe", "multi-objective"):
        everything = min(everything, options.trials or DEFAULT_TRIALS)
    return everything if options.trials is None else min(everything, options.trials)


def _recipes(space: SearchSpace, options: SearchOptions) -> tuple[list[Recipe], int]:
    """The recipes that a strategy chooses among, some of them where they are many; and how many it measures at most."""
    bound = most_recipes(space, options)
    if options.strategy in ("random", "race"):
        return list(islice(random_recipes(space), bound)), bound
    if options.strategy == "exhaustive":
        return list(islice(space.recipes(), bound)), bound
    return list(islice(space.recipes(), RECIPES_COUNTED if space.size <= RECIPES_COUNTED else BATCH)), bound


def _language_pairs(evaluator: RecipeEvaluator) -> int:
    """How many pairs of a dataset and a language are asked."""
    return len(set(zip(evaluator.questions.datasets, evaluator.questions.languages, strict=True)))
