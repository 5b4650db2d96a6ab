"""Scores of recipes whose true means are known, as one would measure them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.optimise.measurement import FloatArray

BASE = 0.5
"""The true mean of a recipe without a gain."""


@dataclass(frozen=True, slots=True)
class SimulatedSearch:
    """Scores of recipes on parallel questions, shape (recipes, questions), and what each question translates."""

    scores: FloatArray
    groups: tuple[str, ...]
    gains: FloatArray


def simulated_search(
    rng: np.random.Generator, gains: FloatArray, groups: int, *, translations: int = 1, common: float = 0.6
) -> SimulatedSearch:
    """Right (1) or wrong (0) answers: recipe i is right with probability 0.5 + gains[i].

    A share `common` of an answer's luck is the question's difficulty, which all recipes and all translations share; the
    rest is the recipe's and the language's. That is what makes paired comparisons better than unpaired ones, and groups
    better than single questions.
    """
    recipes = gains.size
    difficulty = np.repeat(rng.normal(size=groups), translations)
    noise = rng.normal(size=(recipes, groups * translations))
    latent = np.sqrt(common) * difficulty + np.sqrt(1 - common) * noise
    # The standard normal's distribution function turns the latent values into uniform ones.
    from scipy.special import ndtr

    scores = (ndtr(latent) < (BASE + gains)[:, None]).astype(np.float64)
    names = tuple(f"group {number // translations}" for number in range(groups * translations))
    return SimulatedSearch(scores, names, gains)


def one_best(recipes: int, gain: float) -> FloatArray:
    """Gains of recipes of which the first is better than all others, which are alike."""
    gains = np.zeros(recipes)
    gains[0] = gain
    return gains


def graded(recipes: int, gain: float) -> FloatArray:
    """Gains that fall evenly from `gain` to 0: many recipes are nearly the best."""
    return np.linspace(gain, 0.0, recipes)
