"""The score chosen on beside the held-out one, and the correction where nothing was held out."""

import numpy as np
import pytest

from workbench.core.errors import UsageError
from workbench.metrics.statistics.intervals import mean_interval
from workbench.optimise.selection.chance import shrinkage


def names(count: int, prefix: str = "question") -> list[str]:
    return [f"{prefix} {number}" for number in range(count)]


def test_shrinkage_is_the_mean_of_the_search_minus_the_one_held_out() -> None:
    search = np.array([[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
    holdout = np.array([[1.0, 0.0], [1.0, 1.0]])
    result = shrinkage(search, names(4), holdout, names(2, "new"))
    assert (result.recipe, result.search, result.holdout, result.shrinkage) == (0, 0.75, 0.5, 0.25)


def test_the_interval_joins_those_of_both_means() -> None:
    rng = np.random.default_rng(1)
    search, holdout = rng.random((1, 40)), rng.random((1, 50))
    result = shrinkage(search, names(40), holdout, names(50, "new"))
    one, other = mean_interval(search[0]), mean_interval(holdout[0])
    assert one and other and result.interval
    below = np.hypot(search.mean() - one.low, other.high - holdout.mean())
    assert result.interval.low == pytest.approx(result.shrinkage - below)
    assert not result.is_beyond_sampling


def test_a_recipe_that_collapses_lost_more_than_sampling_explains() -> None:
    result = shrinkage(np.ones((1, 40)), names(40), np.zeros((1, 40)), names(40, "new"))
    assert result.is_beyond_sampling


def test_a_group_on_both_sides_is_refused() -> None:
    with pytest.raises(UsageError, match="both sides"):
        shrinkage(np.ones((1, 2)), names(2), np.ones((1, 2)), names(2))


def test_a_recipe_without_held_out_scores_is_refused() -> None:
    with pytest.raises(UsageError, match="measure it on both"):
        shrinkage(np.ones((1, 2)), names(2), np.full((1, 2), np.nan), names(2, "new"))
