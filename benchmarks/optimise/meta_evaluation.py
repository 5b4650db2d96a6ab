"""How close each strategy comes to the true optimum, and at what cost: Kim et al. (2024) leave that open.

Every recipe of the space was measured, so the best one is known. A strategy is run over the stored figures; its gain is
that of the recipe it ends with over a base, as a share of the optimum's: 1 is the optimum, 0 no better than the base.
There are two bases, the space's default recipe (the first variant of each node) and the mean of all recipes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.optimise.exhaustive import Measured
from benchmarks.optimise.lookup import LookupEvaluator, over
from workbench.optimise.measurement import FloatArray
from workbench.optimise.selection.paired_scores import PairedRace
from workbench.optimise.space.search_space import SearchSpace, direction
from workbench.optimise.strategies.search_outcome import Budget, SearchStep
from workbench.optimise.strategies.strategy_catalogue import search

SEEDS = 20
RACE_SEEDS = 3
RESAMPLES = 100
SAME = 1e-9


@dataclass(frozen=True, slots=True)
class Contestant:
    """A strategy with its budget. `seeds` is how many seeds it is run with; one where it draws nothing."""

    strategy: str
    trials: int | None = None
    seeds: int = 1

    def __str__(self) -> str:
        return self.strategy if self.trials is None else f"{self.strategy}, {self.trials} recipes"


@dataclass(frozen=True, slots=True)
class Truth:
    """What is known of a set of questions: means of recipes, the optimum, and both bases."""

    means: FloatArray
    optimum: float
    base: float
    mean: float

    def shares(self, value: float) -> tuple[float, float]:
        """A recipe's share of the optimum's gain over the default recipe and over the mean; NaN where there is none."""
        return (
            (value - self.base) / (self.optimum - self.base) if self.optimum - self.base > SAME else float("nan"),
            (value - self.mean) / (self.optimum - self.mean) if self.optimum - self.mean > SAME else float("nan"),
        )


@dataclass(frozen=True, slots=True)
class Attempt:
    """What one run of a strategy came to and spent. `rank` is that of its recipe among all, from 1; ties share it."""

    share: float
    share_over_mean: float
    lost: float
    rank: int
    recipes: int
    calls: int
    rankings: int


def truth_of(space: SearchSpace, evaluator: LookupEvaluator) -> Truth:
    """The truth about the evaluator's questions, by the space's goal; higher is better."""
    means = direction(space.goal) * np.nanmean(evaluator.table(space.goal), axis=1)
    default = space.recipe_of([0] * len(space.nodes))
    base = next(
        mean
        for trial, mean in zip(evaluator.measured.trials, means, strict=True)
        if default is not None and trial.recipe.fingerprint == default.fingerprint
    )
    return Truth(means, float(means.max()), float(base), float(means.mean()))


def attempt(space: SearchSpace, contestant: Contestant, seed: int, evaluator: LookupEvaluator, truth: Truth) -> Attempt:
    """One run of a strategy."""
    seeded = space.model_copy(update={"seed": seed})
    outcome = search(contestant.strategy, seeded, evaluator, Budget(trials=contestant.trials), _unwatched, PairedRace())
    place = next(
        number
        for number, trial in enumerate(evaluator.measured.trials)
        if trial.recipe.fingerprint == outcome.best.fingerprint
    )
    value = float(truth.means[place])
    share, share_over_mean = truth.shares(value)
    rank = 1 + int((truth.means > value + SAME).sum())
    return Attempt(
        share,
        share_over_mean,
        truth.optimum - value,
        rank,
        outcome.spending.trials,
        evaluator.calls,
        evaluator.rankings,
    )


def attempts(space: SearchSpace, measured: Measured, contestant: Contestant, language: str = "") -> list[Attempt]:
    """Runs of a strategy with as many seeds as it has, on the questions as they are."""
    truth = truth_of(space, over(measured, language))
    return [attempt(space, contestant, seed, over(measured, language), truth) for seed in range(contestant.seeds)]


def resampled(space: SearchSpace, measured: Measured, contestant: Contestant, count: int) -> list[Attempt]:
    """Runs on `count` samples of the groups of questions drawn with replacement, each judged by its sample's truth."""
    results = []
    for number in range(count):
        evaluator = over(measured, rng=np.random.default_rng([1, number]))
        results.append(attempt(space, contestant, number, evaluator, truth_of(space, evaluator)))
    return results


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The middle 95 % of some values."""
    low, high = np.nanquantile(np.array(values), [0.025, 0.975])
    return float(low), float(high)


def contestants(space: SearchSpace, measured: Measured) -> list[Contestant]:
    """The strategies, those by draws once with as many recipes as greedy measures and once with 50."""
    (greedy,) = attempts(space, measured, Contestant("greedy"))
    drawing = [
        Contestant(name, trials, SEEDS)
        for name in ("random", "tpe", "multi-objective")
        for trials in (greedy.recipes, 50)
    ]
    return [Contestant("greedy"), Contestant("models-first"), *drawing, Contestant("race", seeds=RACE_SEEDS)]


def meta_evaluation(space: SearchSpace, measured: Measured, resamples: int = RESAMPLES) -> None:
    """Prints all of it as tables in Markdown."""
    evaluator = over(measured)
    truth = truth_of(space, evaluator)
    _print_truth(space, measured, truth)
    fields = contestants(space, measured)
    columns = [
        *("strategy", "share of the gain", "95 % of seeds", "95 % of samples", "share over the mean"),
        *("lost", "rank", "recipes", "answers", "rankings alone"),
    ]
    print(f"\n| {' | '.join(columns)} |\n{'| --- ' * len(columns)}|")
    for contestant in fields:
        runs = attempts(space, measured, contestant)
        samples = [] if contestant.strategy == "race" else resampled(space, measured, contestant, resamples)
        print(_row(contestant, runs, samples), flush=True)
    _print_languages(space, measured, fields)


def _print_truth(space: SearchSpace, measured: Measured, truth: Truth) -> None:
    best = measured.trials[int(truth.means.argmax())].recipe
    default = space.recipe_of([0] * len(space.nodes))
    questions = measured.questions
    print(f"\n{len(truth.means)} recipes, {len(questions)} questions, {len(set(questions.groups))} groups")
    print(f"{space.goal}: optimum {truth.optimum:.4f}, default {truth.base:.4f}, mean {truth.mean:.4f}, ", end="")
    print(f"median {np.median(truth.means):.4f}, worst {truth.means.min():.4f}")
    for name, recipe in (("best", best), ("default", default)):
        if recipe is not None:
            values = recipe.model_dump(mode="json")
            print(f"{name}: { {field: values.get(field) for node in space.nodes for field in node.fields} }")


def _row(contestant: Contestant, runs: Sequence[Attempt], samples: Sequence[Attempt]) -> str:
    def mean(pick: Callable[[Attempt], float], among: Iterable[Attempt]) -> float:
        return float(np.nanmean([pick(item) for item in among]))

    cells = [
        str(contestant),
        f"{mean(lambda one: one.share, runs):.2f}",
        _range([one.share for one in runs]) if len(runs) > 1 else "",
        _range([one.share for one in samples]) if samples else "",
        f"{mean(lambda one: one.share_over_mean, runs):.2f}",
        f"{mean(lambda one: one.lost, runs):.4f}",
        f"{np.median([one.rank for one in runs]):g}",
        f"{mean(lambda one: one.recipes, runs):.0f}",
        f"{mean(lambda one: one.calls, runs):,.0f}",
        f"{mean(lambda one: one.rankings, runs):,.0f}",
    ]
    return "| " + " | ".join(cells) + " |"


def _print_languages(space: SearchSpace, measured: Measured, fields: Sequence[Contestant]) -> None:
    """Each strategy by language, over the language's questions alone and against its optimum."""
    codes = tuple(dict.fromkeys(measured.questions.languages))
    shown = [item for item in fields if item.strategy not in ("models-first", "multi-objective", "race")]
    print("\n| language | optimum | default | " + " | ".join(map(str, shown)) + " |")
    print("| --- " * (len(shown) + 3) + "|")
    for code in codes:
        truth = truth_of(space, over(measured, code))
        cells = [code, f"{truth.optimum:.3f}", f"{truth.base:.3f}"]
        for contestant in shown:
            shares = [one.share for one in attempts(space, measured, contestant, code)]
            if np.isnan(shares).all():
                cells.append("no gain")
                continue
            cells.append(f"{np.mean(shares):.2f}" + (f" ({_range(shares)})" if len(shares) > 1 else ""))
        print("| " + " | ".join(cells) + " |", flush=True)


def _range(values: Sequence[float]) -> str:
    low, high = interval(values)
    return f"{low:.2f} to {high:.2f}"


def _unwatched(step: SearchStep) -> None:
    """Nobody watches."""
