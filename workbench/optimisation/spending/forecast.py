"""What a search will take: its steps from those that recipes share, its time, tokens and money by a pilot.

Where it is known which recipes a strategy measures, their steps are counted (see `counting`); of the others it is known
how many they measure at most, and the count is a bound. The pilot measures some recipes on a few questions per
language. It and the count leave their steps in the cache, so the search does not repeat them.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from random import Random
from statistics import median
from typing import Any

from workbench.experiments.index_phase import missing_indexes
from workbench.llm.cost import load_prices
from workbench.optimisation.evaluation.measurement import FIELDS, part_of
from workbench.optimisation.evaluation.recipe_evaluator import RecipeEvaluator, Unwritten
from workbench.optimisation.evaluation.search_material import fixed_fields, material_of
from workbench.optimisation.space.search_space import SearchSpace
from workbench.optimisation.spending.cap import CALLING, Cap, SearchOptions
from workbench.optimisation.spending.counting import CountedSteps, CountingRunner
from workbench.optimisation.spending.step_pace import BatchLog, LoggingGuard, besides, still_to_learn, usual_seconds
from workbench.optimisation.strategies.measuring import BATCH
from workbench.optimisation.strategies.recipe_sampling import DEFAULT_TRIALS, random_recipes
from workbench.pipeline.step_keys import SECONDS
from workbench.recipes.recipe import Recipe
from workbench.workspace.workbench import Workbench

PILOT_QUESTIONS = 3
"""Questions per language of a pilot, at least 2: one more is asked before anything is measured."""
PILOT_BATCHES = 3
"""Batches of recipes of a pilot."""
STEPS_READ = 200
"""Steps of a stage whose seconds are read from the cache where none of them had to be run."""
RECIPES_COUNTED = 1_000
"""Most recipes whose steps are counted for a strategy that measures only some of them, nobody knows which."""
FORESEEN = frozenset({"exhaustive", "random"})
"""The strategies whose recipes are known before they measure any."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a search takes at most or, where `exact`, takes: `recipes` measured on `questions` each.

    `steps` are distinct steps by stage, of which `remaining` are not in the cache; `calls` of the remaining ones ask a
    generator, and `exact_calls` says whether that number is exact. `seconds`, `tokens` and `money` (in `currency`) are
    None without a pilot. `unpriced`: generators without a price. `unindexed`: corpora and encoders whose index will be
    built first, which is not counted. `unmet`: stages that the pilot did not come to. `failed`: its failed answers.
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
    unmet: tuple[str, ...] = ()
    failed: int = 0
    each: Mapping[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The forecast as plain values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Pace:
    """What a pilot measured: seconds a step by stage, and besides, seconds a recipe and language, and seconds a cell.

    `startup` are those of a process's first answers, `learning` those of what is still to be learnt once. `shares`: of
    a stage that is counted inexactly, how many of the steps counted are distinct in truth.
    """

    each: dict[str, float]
    startup: float
    learning: float
    per_chain: float
    per_cell: float
    failed: int
    shares: dict[str, float]


def forecast(
    workbench: Workbench, space: SearchSpace, options: SearchOptions, pilot: int = PILOT_QUESTIONS
) -> Forecast:
    """Counts a search's steps and, by a pilot of that many questions per language, estimates the rest; 0 for none.

    Raises UsageError for a search without questions, or over a dataset or language that does not exist.
    """
    prices = load_prices(workbench.settings.home)
    guard = LoggingGuard(Cap(), prices, lambda stage: evaluator.model_behind(stage.identity))
    guard.batches = BatchLog()
    evaluator = RecipeEvaluator(workbench, material_of(space), fixed_fields(space), guard=guard)
    recipes, bound = _recipes(space, options)
    questions = len(evaluator.questions)
    limit = bound * questions
    counted = count_steps(evaluator, recipes, space.metrics, range(questions))
    pace = _measured(evaluator, guard.batches, recipes, space.metrics, pilot, counted) if pilot else None
    names = [name for name in counted.keys if name not in counted.unkept]
    left = {name: counted.keys[name] - workbench.cache.known(list(counted.keys[name])) for name in names}
    is_complete = len(recipes) >= min(bound, space.size)
    remaining = {name: min(len(keys), limit) if is_complete else limit for name, keys in left.items()}
    exact = options.strategy in FORESEEN and is_complete
    result = Forecast(
        recipes=bound,
        questions=questions,
        exact=exact,
        steps={name: min(len(counted.keys[name]), limit) if is_complete else limit for name in names},
        remaining=remaining,
        calls=sum(number for name, number in remaining.items() if name in CALLING),
        exact_calls=exact and not CALLING & counted.inexact,
        unindexed=missing_indexes(workbench, evaluator.inputs_of(recipes, (), range(questions)).runs),
    )
    if pace is None:
        return result
    each = {**_stored_seconds(workbench, counted, names), **pace.each}
    seconds = pace.startup + pace.learning + pace.per_chain * bound * _places(evaluator) + pace.per_cell * limit
    missing = set().union(*left.values())
    left_calls = {identity: len(keys & missing) for identity, keys in counted.generators.items()}
    share = result.calls / max(1, sum(left_calls.values()))
    used = [(totals, left_calls.get(identity, 0)) for identity, totals in guard.by_generator.items() if totals.calls]
    unpriced = [
        evaluator.model_behind(identity)
        for identity, totals in guard.by_generator.items()
        if totals.tokens and not totals.money
    ]
    return replace(
        result,
        seconds=seconds
        + sum(each.get(name, 0.0) * pace.shares.get(name, 1.0) * number for name, number in remaining.items()),
        tokens=round(share * sum(totals.tokens / totals.calls * number for totals, number in used)),
        money=None if unpriced else share * sum(totals.money / totals.calls * number for totals, number in used),
        currency=prices.currency,
        unpriced=tuple(dict.fromkeys(unpriced)),
        unmet=tuple(name for name, number in remaining.items() if number and name not in each),
        failed=pace.failed,
        each=each,
    )


def count_steps(
    evaluator: RecipeEvaluator, recipes: Sequence[Recipe], metrics: Sequence[str], rows: Sequence[int]
) -> CountedSteps:
    """The distinct steps of measuring recipes on some questions; what costs nothing is run on the way."""
    counted = CountedSteps()
    for start in range(0, len(recipes), BATCH):
        inputs = evaluator.inputs_of(recipes[start : start + BATCH], (), rows)
        runner = CountingRunner(
            evaluator.workbench, inputs, Unwritten(), fields=FIELDS[part_of(metrics)], like=evaluator.runner
        )
        runner.counting.steps = counted
        runner.run()
    return counted


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


def _measured(
    evaluator: RecipeEvaluator,
    log: BatchLog,
    recipes: Sequence[Recipe],
    metrics: Sequence[str],
    pilot: int,
    counted: CountedSteps,
) -> _Pace:
    """The pace of some recipes, in batches as strategies measure them, on a few questions per language.

    One question per language comes first and is not measured: what is loaded with a language's first text belongs to
    the start. Then one more and `pilot` more, so that what a chain takes to build and what an answer takes to read and
    store can be told from each other.
    """
    batches = [recipes[start : start + BATCH] for start in range(0, len(recipes), BATCH)]
    batches = Random(0).sample(batches, min(PILOT_BATCHES, len(batches)))  # noqa: S311  # an order, not a secret
    by_place: dict[tuple[str, str], list[int]] = {}
    for row, place in enumerate(zip(evaluator.questions.datasets, evaluator.questions.languages, strict=True)):
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
        rows = [row for some in by_place.values() for row in some[start:end]]
        if start == 1:
            keys.clear()
        measured += rows if start else []
        log.next_block()
        began, before = time.perf_counter(), worked()
        for batch in batches if rows else ():
            failed += sum(trial.errors for trial in evaluator.evaluate(batch, metrics, rows))
        overheads.append(max(0.0, time.perf_counter() - began - (worked() - before)))
        sizes.append(len(rows))
    number = sum(len(batch) for batch in batches)
    per_cell = max(0.0, overheads[2] - overheads[1]) / max(1, sizes[2] - sizes[1]) / number
    per_chain = max(0.0, overheads[1] / number - per_cell * sizes[1]) / len(by_place)
    kept = [[item for item in block if item.stage not in counted.unkept] for block in log.blocks[1:]]
    first, later = kept[0], [item for block in kept[1:] for item in block]
    each = usual_seconds(later)
    of_pilot = count_steps(evaluator, [recipe for batch in batches for recipe in batch], metrics, measured)
    shares = {name: len(keys[name]) / len(of_pilot.keys[name]) for name in counted.inexact if of_pilot.keys[name]}
    startup = max(0.0, overheads[0] - overheads[1]) + besides([item for item in first if not item.learns], each)
    most = max(len(some) for some in by_place.values())
    learning = still_to_learn(besides(later, each), 1, min(most, 2 + max(pilot, 2)), most)
    return _Pace(each, startup, learning, per_chain, per_cell, failed, shares)


def _stored_seconds(workbench: Workbench, counted: CountedSteps, stages: Sequence[str]) -> dict[str, float]:
    """The median seconds of steps that were run at some time, by stage; without those of which none was."""
    medians: dict[str, float] = {}
    for name in stages:
        if stored := workbench.cache.get(sorted(counted.keys[name])[:STEPS_READ]):
            medians[name] = median(json.loads(item).get(SECONDS, 0.0) for item in stored.values())
    return medians


def _places(evaluator: RecipeEvaluator) -> int:
    """How many pairs of a dataset and a language are asked."""
    return len(set(zip(evaluator.questions.datasets, evaluator.questions.languages, strict=True)))
