"""The path of a greedy search under luck: which recipe it ends with where recipes do not differ.

Each node takes the variant with the best luck by the metrics that judged it, with the signs that toss the goal's luck,
too. Where that is another variant than the search took, later variants were measured beside the one taken: their luck
replaces that of recipes which were not measured and which, by assumption, do not differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from workbench.optimise.measurement import FloatArray
from workbench.optimise.selection.paired_scores import PairedScores
from workbench.optimise.selection.selection_rules import selection_values
from workbench.optimise.space.search_space import Selection


@dataclass(frozen=True, slots=True)
class PathStep:
    """A decision: the `rows` of the recipes compared, those it began with and took, and what judged them."""

    rows: tuple[int, ...]
    base: int
    taken: int
    metrics: tuple[str, ...]
    rule: Selection


@dataclass(frozen=True, slots=True)
class GreedyPath:
    """The decisions of a search that came to the recipe in the row `taken`, one of those `compared` by the goal.

    `scores`: by metric, of shape (recipes, questions), higher is better, NaN where unscored.
    """

    taken: int
    compared: tuple[int, ...]
    steps: tuple[PathStep, ...]
    scores: Mapping[str, FloatArray]

    @property
    def recipe(self) -> int:
        """The place of `taken` among those compared."""
        return self.compared.index(self.taken)

    def ends(self, groups: Sequence[str], signs: FloatArray) -> list[int]:
        """The places, among those compared, of what it ends with under signs of shape (groups, draws).

        A recipe that was not compared has the place of the one taken.
        """
        names = {name for step in self.steps for name in step.metrics}
        luck = {name: self._luck(name, groups, signs) for name in names}
        draws = np.arange(signs.shape[1])
        rows = np.full(len(draws), self.steps[0].base)
        for step in self.steps:
            # The recipe come to so far first: of equals it stays.
            others = [row for row in dict.fromkeys(step.rows) if row != step.base]
            candidates = np.column_stack([rows, *(np.full(len(draws), row) for row in others)])
            values = np.stack([luck[name][candidates, draws[:, None]] for name in step.metrics], axis=2)
            # A recipe that these metrics were not measured of has the luck of the one it replaces.
            bases = np.stack([luck[name][step.base] for name in step.metrics], axis=1)
            values[:, 0] = np.where(np.isnan(values[:, 0]), bases, values[:, 0])
            rows = candidates[draws, _places(np.nan_to_num(values, nan=-np.inf), step.rule)]
        places = {row: place for place, row in enumerate(self.compared)}
        return [places.get(row, self.recipe) for row in rows.tolist()]

    def _luck(self, name: str, groups: Sequence[str], signs: FloatArray) -> FloatArray:
        table = PairedScores(self.scores[name], groups)
        luck = table.influences() @ signs
        luck[table.sizes.sum(axis=1) == 0] = np.nan
        return np.asarray(luck, dtype=np.float64)


def _places(values: FloatArray, rule: Selection) -> npt.NDArray[np.int64]:
    """The place of the best variant of each draw; `values` of shape (draws, variants, metrics)."""
    if values.shape[2] == 1 or rule == "mean":  # by one metric, every rule takes the highest
        return np.asarray(values.mean(axis=2).argmax(axis=1))
    return np.array([selection_values(draw, rule).argmax() for draw in values])
