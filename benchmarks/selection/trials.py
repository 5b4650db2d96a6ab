"""Each promise of `workbench.optimise.selection` as a count over simulated searches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist

import numpy as np

from benchmarks.selection.simulated import graded, one_best, simulated_search
from workbench.metrics.statistics.intervals import wilson_bounds
from workbench.optimise.measurement import FloatArray
from workbench.optimise.selection.chance import groups_needed, luck_gauge, pilot_spread
from workbench.optimise.selection.paired_scores import PairedRace, recipe_confidence_set


@dataclass(frozen=True, slots=True)
class Rate:
    """How often something happened in simulated searches, with Wilson's interval of 95 %."""

    name: str
    count: int
    trials: int
    promise: str

    @property
    def interval(self) -> tuple[float, float]:
        """The bounds of the true rate."""
        return wilson_bounds(self.count / self.trials, self.trials, NormalDist().inv_cdf(0.975))


@dataclass(frozen=True, slots=True)
class Setting:
    """The size of a simulated search."""

    recipes: int
    groups: int
    translations: int

    def __str__(self) -> str:
        return f"{self.recipes} recipes, {self.groups} questions × {self.translations} languages"


def share(name: str, trials: int, seed: int, promise: str, happens: Callable[[np.random.Generator], bool]) -> Rate:
    """How often `happens` is true, each trial with its draws of a seed."""
    count = sum(happens(np.random.default_rng([seed, trial])) for trial in range(trials))
    return Rate(name, count, trials, promise)


def set_rates(setting: Setting, trials: int, seed: int = 0, draws: int = 1_000) -> list[Rate]:
    """The set not told apart: does it hold the planted best, all equal ones, and does it claim no false winner?"""

    def compare(rng: np.random.Generator, gains: FloatArray) -> tuple[tuple[int, ...], int | None]:
        search = simulated_search(rng, gains, setting.groups, translations=setting.translations)
        result = recipe_confidence_set(search.scores, search.groups, draws=draws, seed=int(rng.integers(1 << 30)))
        return result.members, result.winner

    null, gap = np.zeros(setting.recipes), 0.12
    pair = np.where(np.arange(setting.recipes) < 2, gap, 0.0)
    best, equal = one_best(setting.recipes, gap), setting.recipes
    return [
        share("one best: in the set", trials, seed, "≥ 95 %", lambda r: 0 in compare(r, best)[0]),
        share("graded: best in the set", trials, seed + 1, "≥ 95 %", lambda r: 0 in compare(r, graded(equal, gap))[0]),
        share("no best: a winner is claimed", trials, seed + 2, "≤ 5 %", lambda r: compare(r, null)[1] is not None),
        share("two best: a winner is claimed", trials, seed + 3, "≤ 5 %", lambda r: compare(r, pair)[1] is not None),
        share("noisy copies: all in the set", trials, seed + 4, "≥ 95 %", lambda r: len(compare(r, null)[0]) == equal),
    ]


def luck_rates(setting: Setting, trials: int, seed: int = 0, draws: int = 500) -> list[Rate]:
    """The luck gauge: does it cover the gain of noisy copies, and not that of a better recipe?"""

    def is_luck(rng: np.random.Generator, gains: FloatArray) -> bool:
        search = simulated_search(rng, gains, setting.groups, translations=setting.translations)
        return luck_gauge(search.scores, search.groups, draws=draws, seed=int(rng.integers(1 << 30))).is_luck

    null, planted = np.zeros(setting.recipes), one_best(setting.recipes, 0.25)
    return [
        share("noisy copies: luck covers the gain", trials, seed, "≥ 95 %", lambda r: is_luck(r, null)),
        share("one best by .25: luck covers the gain", trials, seed + 1, "low", lambda r: is_luck(r, planted)),
    ]


@dataclass(frozen=True, slots=True)
class RaceResult:
    """How often a race kept the best recipe to its end, and the mean share of the cells that it did not measure."""

    keeps: Rate
    saves: float


def race_result(
    name: str, gains: FloatArray, setting: Setting, trials: int, seed: int = 0, looks: int = 20
) -> RaceResult:
    """Races over simulated searches, with `looks` looks in even steps."""
    race, keeps, saves = PairedRace(), 0, []
    for trial in range(trials):
        search = simulated_search(
            np.random.default_rng([seed, trial]), gains, setting.groups, translations=setting.translations
        )
        table, alive, cells = np.full_like(search.scores, np.nan), list(range(gains.size)), 0
        steps = np.linspace(0, setting.groups, looks + 1).astype(int) * setting.translations
        for start, stop in pairwise(steps.tolist()):
            table[alive, start:stop] = search.scores[alive, start:stop]
            cells += len(alive) * (stop - start)
            alive = list(race.survivors(table[:, :stop], search.groups[:stop]))
            if len(alive) == 1:
                break
        keeps += 0 in alive
        saves.append(1 - cells / search.scores.size)
    return RaceResult(Rate(name, keeps, trials, "≥ 95 %"), float(np.mean(saves)))


@dataclass(frozen=True, slots=True)
class Forecast:
    """The questions forecast from pilots (their median), and how often that number showed the gain."""

    groups: int
    shows: Rate


def forecast(recipes: int, gain: float, trials: int, *, winner: bool, seed: int = 0, pilot: int = 40) -> Forecast:
    """Pilots of `pilot` questions forecast how many a search needs; searches of that size are then run."""
    sizes, shows = [], 0
    for trial in range(trials):
        rng = np.random.default_rng([seed, trial])
        gains = one_best(recipes, gain)
        first = simulated_search(rng, gains, pilot)
        size = groups_needed(pilot_spread(first.scores, first.groups).value, gain, recipes, winner=winner)
        search = simulated_search(rng, gains, size)
        result = recipe_confidence_set(search.scores, search.groups, draws=1_000, seed=trial)
        # Recipe 1 stands for any recipe that the best one leads.
        shows += (result.winner == 0) if winner else (result.p_values[1] < result.alpha)
        sizes.append(size)
    kind = "the best is claimed" if winner else "a rival is out"
    return Forecast(int(np.median(sizes)), Rate(f"{recipes} recipes, gain {gain:g}: {kind}", shows, trials, "80 %"))
