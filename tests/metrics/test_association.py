"""AUC, τ_b, r and κ against other implementations, and intervals that contain the truth."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.metrics.statistics.agreement import (
    association_figure,
    auc,
    auc_reach,
    binary_kappa,
    kendall_tau_b,
    pearson_r,
    question_weights,
)
from workbench.metrics.statistics.intervals import Floats


def columns(seed: int, n: int = 80) -> tuple[Floats, Floats]:
    generator = np.random.default_rng(seed)
    right = (generator.random(n) < 0.4).astype(np.float64)
    return np.round(right * 0.5 + generator.random(n), 1), right


@pytest.mark.parametrize("seed", range(5))
def test_the_figures_equal_those_of_scikit_learn_and_scipy(seed: int) -> None:
    from scipy.stats import kendalltau, pearsonr
    from sklearn.metrics import cohen_kappa_score, roc_auc_score

    values, right = columns(seed)
    once = np.ones((1, len(values)))
    assert auc(values, right, once)[0] == pytest.approx(roc_auc_score(right, values))
    assert kendall_tau_b(values, right, once)[0] == pytest.approx(kendalltau(values, right).statistic)
    assert pearson_r(values, right, once)[0] == pytest.approx(pearsonr(values, right).statistic)
    binary = (values > 0.7).astype(np.float64)
    assert binary_kappa(binary, right, once)[0] == pytest.approx(cohen_kappa_score(binary, right))


def test_a_weight_of_2_is_the_answer_twice() -> None:
    values, right = columns(7, 20)
    weights = np.array([[1.0, 2.0] * 10])
    places = np.repeat(np.arange(20), weights[0].astype(int))
    once = np.ones((1, len(places)))
    for figure in (auc, kendall_tau_b, pearson_r):
        assert figure(values, right, weights)[0] == pytest.approx(figure(values[places], right[places], once)[0])


def test_questions_are_drawn_with_all_their_answers() -> None:
    weights = question_weights(["a", "a", "b"], draws=200)
    assert weights[0].tolist() == [1, 1, 1]
    assert np.array_equal(weights[:, 0], weights[:, 1]) and set(weights[1:, 0]) == {0.0, 1.0, 2.0}
    assert np.array_equal(weights, question_weights(["a", "a", "b"], draws=200))


def test_what_is_not_defined_has_no_value() -> None:
    ones = np.ones(5)
    once = np.ones((1, 5))
    for figure in (auc, kendall_tau_b, pearson_r, binary_kappa):
        assert association_figure(figure(ones, ones, once)).value is None


def test_a_perfect_metric_has_an_interval_of_some_width() -> None:
    right = np.array([1.0] * 20 + [0.0] * 10)
    rows = auc(right, right, question_weights(range(30)))
    figure = association_figure(rows, auc_reach(right, right, 1.0))
    assert figure.value == 1.0 and figure.high == 1.0
    assert figure.low is not None and 0.6 < figure.low < 0.8


@pytest.mark.parametrize(("n", "distance"), [(60, 0.8), (60, 2.0), (200, 1.2)])
def test_about_95_of_100_intervals_contain_the_auc(n: int, distance: float) -> None:
    from statistics import NormalDist

    generator = np.random.default_rng(5)
    true = NormalDist().cdf(distance / np.sqrt(2))
    hits = 0
    for _ in range(200):
        right = np.arange(n) % 3 == 0
        values = generator.normal(size=n) + distance * right
        sides = right.astype(np.float64)
        rows = auc(values, sides, question_weights(range(n), draws=400))
        figure = association_figure(rows, auc_reach(values, sides, float(rows[0])))
        hits += (figure.low or 0) <= true <= (figure.high or 0)
    assert 182 <= hits <= 199
