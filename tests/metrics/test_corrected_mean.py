"""A judge's mean corrected by labels: against a worked example, the published formula, and the truth in simulation."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.metrics.statistics.intervals import Floats, JudgedSample, corrected_mean


def sample(labels: Floats, judged: Floats, others: Floats, first: int = 0) -> JudgedSample:
    n, more = len(labels), len(others)
    questions = range(first, first + n + more)
    return JudgedSample(labels, judged, others, questions[:n], questions[n:])


def test_an_example_by_hand() -> None:
    # y = 1, 1, 0, 0 with f = 1, 0, 0, 0, and F = 1, 1, 0, 0, 1, 1, 0, 0.  Sums of squared deviations, divided by n²:
    # Cov(y, f) / n = 0.5 / 4² ; Var(f) / n = 0.75 / 4² ; Var(F) / N = 2 / 8².  λ = .03125 / (.046875 + .03125) = .4.
    # θ = .4 · .5 + (.5 − .4 · .25) = .6.
    labels, judged = np.array([1.0, 1, 0, 0]), np.array([1.0, 0, 0, 0])
    mean = corrected_mean([sample(labels, judged, np.array([1.0, 1, 0, 0, 1, 1, 0, 0]))])
    assert mean is not None
    assert mean.power == pytest.approx(0.4) and mean.value == pytest.approx(0.6)
    assert mean.labels_mean == 0.5 and mean.judge_mean == pytest.approx(5 / 12)
    assert mean.rectifier == pytest.approx(0.6 - 5 / 12)


def test_the_power_is_that_of_the_published_formula() -> None:
    generator = np.random.default_rng(2)
    truth = (generator.random(1_100) < 0.6).astype(np.float64)
    judged = np.where(generator.random(1_100) < 0.8, truth, 1 - truth)
    labels, f, others = truth[:100], judged[:100], judged[100:]
    mean = corrected_mean([sample(labels, f, others)])
    assert mean is not None
    covariance = np.mean((labels - labels.mean()) * (f - f.mean()))
    published = covariance / (f.var() + 100 / 1_000 * others.var())
    assert mean.power == pytest.approx(published)
    assert mean.value == pytest.approx(published * others.mean() + np.mean(labels - published * f))


def test_a_useless_judge_leaves_the_interval_of_the_labels() -> None:
    generator = np.random.default_rng(3)
    truth = (generator.random(100) < 0.6).astype(np.float64)
    mean = corrected_mean([sample(truth, 1 - truth, generator.random(500).round())])
    assert mean is not None
    assert mean.power == 0.0 and mean.value == mean.labels_mean
    assert (mean.low, mean.high) == (mean.labels_low, mean.labels_high)


def test_a_perfect_judge_is_taken_at_its_word_over_all_answers() -> None:
    generator = np.random.default_rng(4)
    truth = (generator.random(2_100) < 0.6).astype(np.float64)
    mean = corrected_mean([sample(truth[:100], truth[:100], truth[100:])])
    assert mean is not None
    assert mean.power > 0.9
    assert mean.high - mean.low < 0.4 * (mean.labels_high - mean.labels_low)


def test_languages_weigh_by_their_answers_not_by_their_labels() -> None:
    large = sample(np.array([1.0, 0, 1, 0]), np.zeros(4), np.zeros(96))
    small = sample(np.array([1.0, 1, 1, 0]), np.zeros(4), np.zeros(6), first=1_000)
    mean = corrected_mean([large, small])
    assert mean is not None
    assert mean.labels_mean == pytest.approx((100 * 0.5 + 10 * 0.75) / 110)


def test_several_answers_to_one_question_do_not_count_as_independent() -> None:
    generator = np.random.default_rng(5)
    once = (generator.random(60) < 0.5).astype(np.float64)
    labels, zeros = np.repeat(once, 4), np.zeros(240)
    apart = corrected_mean([JudgedSample(labels, zeros, zeros, range(240), range(240, 480))])
    together = corrected_mean(
        [JudgedSample(labels, zeros, zeros, np.repeat(np.arange(60), 4).tolist(), range(240, 480))]
    )
    assert apart is not None and together is not None
    assert together.high - together.low > 1.8 * (apart.high - apart.low)


def test_equal_labels_have_an_interval_of_some_width() -> None:
    mean = corrected_mean([sample(np.ones(50), np.ones(50), np.ones(200))])
    assert mean is not None
    assert mean.value == 1.0 and 0.85 < mean.low < 0.97


def test_nothing_is_inferred_without_further_answers_or_from_one_label() -> None:
    assert corrected_mean([sample(np.ones(50), np.ones(50), np.array([]))]) is None
    assert corrected_mean([sample(np.ones(1), np.ones(1), np.ones(5))]) is None


@pytest.mark.parametrize("n", [50, 100, 200])
@pytest.mark.parametrize("kind", ["verdicts", "marks", "chance", "nearly all right"])
def test_93_to_97_of_100_intervals_contain_the_mean(n: int, kind: str) -> None:
    generator = np.random.default_rng(7)
    true = 0.9 if kind == "nearly all right" else 0.6
    hits, draws = 0, 1_500
    for _ in range(draws):
        labels = (generator.random(n + 1_000) < true).astype(np.float64)
        if kind == "marks":
            judged = np.round(4 * (0.6 * labels + 0.4 * generator.random(n + 1_000))) / 4
        elif kind == "chance":
            judged = generator.random(n + 1_000)
        else:
            judged = np.where(generator.random(n + 1_000) < 0.8, labels, 1 - labels)
        mean = corrected_mean([sample(labels[:n], judged[:n], judged[n:])])
        hits += mean is not None and mean.low <= true <= mean.high
    assert 0.93 <= hits / draws <= 0.97
