"""κ against scikit-learn's, α against its definition over pairs and against the package krippendorff."""

from __future__ import annotations

import random
from itertools import permutations

import numpy as np
import pytest

from workbench.metrics.statistics.agreement import cohen_kappa, krippendorff_alpha

LABELS = "abc"


def labelled(people: int, seed: int, gaps: float = 0.0) -> list[list[str | None]]:
    """Twenty answers, labelled alike more often than not."""
    generator = random.Random(seed)
    units: list[list[str | None]] = []
    for _ in range(20):
        truth = generator.choice(LABELS)
        labels = [truth if generator.random() < 0.6 else generator.choice(LABELS) for _ in range(people)]
        units.append([None if generator.random() < gaps else label for label in labels])
    return units


def pairwise_alpha(units: list[list[str | None]]) -> float:
    """1 - observed over expected disagreement, pair by pair."""
    pairable = [[label for label in unit if label] for unit in units]
    pairable = [unit for unit in pairable if len(unit) > 1]
    every = [label for unit in pairable for label in unit]
    observed = sum(
        sum(one != other for one, other in permutations(unit, 2)) / (len(unit) - 1) for unit in pairable
    ) / len(every)
    expected = sum(one != other for one, other in permutations(every, 2)) / (len(every) * (len(every) - 1))
    return 1 - observed / expected


@pytest.mark.parametrize("seed", range(8))
def test_kappa_agrees_with_scikit_learns(seed: int) -> None:
    from sklearn.metrics import cohen_kappa_score

    first, second = zip(*labelled(2, seed), strict=True)
    assert cohen_kappa(first, second).score.value == pytest.approx(cohen_kappa_score(first, second))


@pytest.mark.parametrize("seed", range(8))
def test_alpha_is_its_definition_with_gaps(seed: int) -> None:
    units = labelled(4, seed, gaps=0.3)
    assert krippendorff_alpha(units).score.value == pytest.approx(pairwise_alpha(units))


@pytest.mark.parametrize("seed", range(4))
def test_alpha_agrees_with_the_package(seed: int) -> None:
    peer = pytest.importorskip("krippendorff", reason="krippendorff is not installed")
    units = labelled(3, seed, gaps=0.2)
    table = np.array([[np.nan if label is None else LABELS.index(label) for label in unit] for unit in units]).T
    expected = peer.alpha(reliability_data=table, level_of_measurement="nominal")
    assert krippendorff_alpha(units).score.value == pytest.approx(expected)


def test_the_interval_is_that_of_resampled_answers() -> None:
    units = labelled(3, seed=1)
    alpha = krippendorff_alpha(units)
    generator = random.Random(0)
    resampled = [pairwise_alpha(generator.choices(units, k=len(units))) for _ in range(600)]
    assert (alpha.low, alpha.high) == pytest.approx(tuple(np.quantile(resampled, (0.025, 0.975))), abs=0.06)
