"""Many scores as one figure: the mean of what was scored, and what was not."""

import pytest

from workbench.metrics.case_report import ScoreTally, aggregate
from workbench.metrics.measure import Score


def test_unscored_answers_are_in_no_mean_and_counted_by_reason() -> None:
    figure = aggregate([Score(1.0), Score(None, "short"), Score(0.0), Score(None, "no gold"), Score(None, "short")])
    assert (figure.mean, figure.n, figure.unscored) == (0.5, 2, 3)
    assert list(figure.reasons.items()) == [("short", 2), ("no gold", 1)]


def test_nothing_scored_has_no_mean_rather_than_zero() -> None:
    figure = aggregate([Score(None, "short")])
    assert (figure.mean, figure.low, figure.high, figure.n, figure.unscored) == (None, None, None, 0, 1)
    assert aggregate([]).mean is None


def test_one_value_has_a_mean_without_an_interval() -> None:
    figure = aggregate([Score(0.7)])
    assert (figure.mean, figure.low, figure.high) == (0.7, None, None)


def test_the_interval_holds_the_mean() -> None:
    figure = aggregate(Score(value / 40) for value in range(41))
    assert figure.low is not None and figure.high is not None
    assert 0.0 < figure.low < 0.5 < figure.high < 1.0


def test_answers_to_one_question_count_once() -> None:
    alone, twice = ScoreTally(), ScoreTally()
    for number, value in enumerate((1.0, 0.0, 0.5, 1.0, 0.25, 0.0, 1.0, 0.75)):
        alone.add(Score(value), number)
        for _ in ("fi", "th"):
            twice.add(Score(value), number)
    one, two = alone.aggregate(), twice.aggregate()
    assert (one.n, two.n) == (8, 16)
    assert (two.mean, two.low, two.high) == pytest.approx((one.mean, one.low, one.high))


def test_the_interval_is_on_the_scale_of_the_metric() -> None:
    figure = aggregate((Score(mark) for mark in (5.0, 5.0, 5.0)), low=1, high=5)
    assert figure.low is not None and 1 < figure.low < 5 and figure.high == 5
