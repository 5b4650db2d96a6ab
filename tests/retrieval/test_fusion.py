"""Fusion rules over scores by passage id."""

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, strategies as st

from workbench.retrieval.hybrid import (
    NORMALISERS,
    convex,
    distribution_based,
    min_max,
    ranks,
    reciprocal_rank,
    theoretical_min_max,
    z_score,
)

SCORES = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 50).map(float), max_size=8)


def order(scores: dict[str, float]) -> list[tuple[float, str]]:
    return sorted((-round(score, 9), id) for id, score in scores.items())


def test_equal_scores_share_the_best_rank_among_them() -> None:
    assert ranks({"a": 3.0, "b": 7.0, "c": 3.0, "d": 1.0}) == {"b": 1, "a": 2, "c": 2, "d": 4}


def test_reciprocal_rank_adds_one_over_k_plus_rank() -> None:
    fused = reciprocal_rank([{"a": 9.0, "b": 5.0}, {"b": 0.3, "c": 0.1}], k=60)
    assert fused == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 1 / 61, "c": 1 / 62})


def test_an_all_zero_ranking_does_not_vote() -> None:
    assert reciprocal_rank([{"a": 0.0, "b": 0.0}, {"c": 0.5}]) == {"c": 1 / 61}


@pytest.mark.parametrize("rule", [min_max, z_score, distribution_based, lambda s: theoretical_min_max(s, 0.0)])
@pytest.mark.parametrize("silent", [{}, {"a": 0.0, "b": 0.0}])
def test_an_empty_or_all_zero_ranking_normalises_to_nothing(
    rule: Callable[[Mapping[str, float]], Mapping[str, float]], silent: dict[str, float]
) -> None:
    assert rule(silent) == {}


def test_min_max_spans_the_candidates() -> None:
    assert min_max({"a": 2.0, "b": 4.0, "c": 3.0}) == {"a": 0.0, "b": 1.0, "c": 0.5}


def test_min_max_of_equal_scores_is_one() -> None:
    assert min_max({"a": 2.0, "b": 2.0}) == {"a": 1.0, "b": 1.0}


def test_theoretical_min_max_starts_at_the_least_possible_score() -> None:
    assert theoretical_min_max({"a": 2.0, "b": 4.0}, 0.0) == {"a": 0.5, "b": 1.0}
    assert theoretical_min_max({"a": 0.0, "b": 0.5}, -1.0) == pytest.approx({"a": 2 / 3, "b": 1.0})


def test_z_score_counts_standard_deviations_from_the_mean() -> None:
    assert z_score({"a": 2.0, "b": 4.0}) == {"a": -1.0, "b": 1.0}


def test_distribution_based_maps_three_deviations_either_side_to_0_and_1() -> None:
    assert distribution_based({"a": 2.0, "b": 4.0}) == pytest.approx({"a": 1 / 3, "b": 2 / 3})


def test_distribution_based_keeps_the_order_of_scores_that_lie_beyond_three_deviations() -> None:
    # 30 zeros, a 20 and a 21: both lie over 3.5 deviations above the mean.
    fused = distribution_based({**{f"z{n}": 0.0 for n in range(30)}, "a": 20.0, "b": 21.0})
    assert fused["b"] > fused["a"] > 1


def test_a_passage_absent_from_a_ranking_gets_nothing_from_it() -> None:
    assert convex({"a": 1.0}, {"b": 1.0}, 0.25) == {"a": 0.25, "b": 0.75}


@given(SCORES)
def test_every_rule_keeps_the_order_of_a_single_ranking(scores: dict[str, float]) -> None:
    for rule in (min_max, z_score, distribution_based):
        assert [id for _, id in order(rule(scores))] == [id for _, id in order(scores)]
    assert [id for _, id in order(reciprocal_rank([scores]))] == [id for _, id in order(scores)]


@given(SCORES, SCORES)
def test_reciprocal_rank_does_not_depend_on_which_ranking_comes_first(
    one: dict[str, float], two: dict[str, float]
) -> None:
    assert reciprocal_rank([one, two]) == pytest.approx(reciprocal_rank([two, one]))


@given(SCORES, SCORES)
def test_reciprocal_rank_sees_ranks_and_not_scores(one: dict[str, float], two: dict[str, float]) -> None:
    stretched = {id: score**2 + 1 for id, score in one.items()}
    assert reciprocal_rank([one, two]) == reciprocal_rank([stretched, two])


@given(SCORES)
def test_an_empty_ranking_changes_nothing(scores: dict[str, float]) -> None:
    assert reciprocal_rank([scores, {}]) == reciprocal_rank([scores])


@given(SCORES, st.floats(0.1, 10), st.floats(-5, 5))
def test_min_max_and_z_score_do_not_see_scale_and_shift(scores: dict[str, float], scale: float, shift: float) -> None:
    moved = {id: scale * (score + 6) + shift for id, score in scores.items()}
    assert z_score(moved) == pytest.approx(z_score(scores), abs=1e-6)
    assert min_max(moved) == pytest.approx(min_max(scores), abs=1e-6)


@given(SCORES)
def test_bounded_rules_stay_between_0_and_1(scores: dict[str, float]) -> None:
    for fused in (min_max(scores), theoretical_min_max(scores, 0.0)):
        assert all(0 <= score <= 1 for score in fused.values())


Array = npt.NDArray[np.float64]
BY_NUMPY: dict[str, Callable[[Array, float], Array]] = {
    "min-max": lambda scores, least: (scores - scores.min()) / (scores.max() - scores.min()),
    "theoretical-min-max": lambda scores, least: (scores - least) / (scores.max() - least),
    "z-score": lambda scores, least: (scores - scores.mean()) / scores.std(),
    "distribution": lambda scores, least: (
        (scores - (scores.mean() - 3 * scores.std()))
        / ((scores.mean() + 3 * scores.std()) - (scores.mean() - 3 * scores.std()))
    ),
}
"""The formulas of Kim et al. (2024), section 2.2.3, and of Bruch et al. (2023), over an array."""


@pytest.mark.parametrize("name", sorted(NORMALISERS))
@given(
    scores=st.lists(st.integers(-99, 999).map(lambda score: score / 100), min_size=2, max_size=12, unique=True),
    below=st.sampled_from([1.0, 0.5]),
)
def test_each_normalisation_is_the_formula_of_its_paper(name: str, scores: list[float], below: float) -> None:
    by_id = {str(place): score for place, score in enumerate(scores)}
    least = min(scores) - below
    by_formula = BY_NUMPY[name](np.array(scores), least)
    ours = NORMALISERS[name](by_id, least)  # type: ignore[index]
    assert [ours[key] for key in by_id] == pytest.approx(by_formula.tolist(), abs=1e-9)
