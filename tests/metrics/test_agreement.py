"""κ and α worked out by hand, and how often their intervals hold the true agreement."""

import numpy as np
import pytest

from workbench.metrics.statistics.agreement import cohen_kappa, krippendorff_alpha


def test_kappa_of_fifty_answers_by_hand() -> None:
    # yes-yes 20, yes-no 5, no-yes 10, no-no 15: observed 0.7, chance 0.5 · 0.6 + 0.5 · 0.4 = 0.5
    first = ["y"] * 25 + ["n"] * 25
    second = ["y"] * 20 + ["n"] * 5 + ["y"] * 10 + ["n"] * 15
    agreement = cohen_kappa(first, second)
    assert agreement.score.value == pytest.approx(0.4) and agreement.n == 50
    assert agreement.low is not None and agreement.high is not None
    assert agreement.low < 0.4 < agreement.high


def test_full_agreement_is_one_and_full_disagreement_is_below_zero() -> None:
    assert cohen_kappa(["a", "b"], ["a", "b"]).score.value == 1.0
    assert cohen_kappa(["a", "b"], ["b", "a"]).score.value == -1.0


def test_answers_that_one_did_not_label_are_left_out() -> None:
    agreement = cohen_kappa(["a", "b", None, "a"], ["a", "b", "a", None])
    assert (agreement.score.value, agreement.n) == (1.0, 2)


def test_one_label_throughout_is_unscored_rather_than_full_agreement() -> None:
    for agreement in (cohen_kappa(["a", "a"], ["a", "a"]), krippendorff_alpha([["a", "a"], ["a", "a"]])):
        assert agreement.score.value is None and "chance" in agreement.score.reason
        assert (agreement.low, agreement.high, agreement.n) == (None, None, 2)


def test_nothing_labelled_twice_is_unscored() -> None:
    assert krippendorff_alpha([["a"], [None, "b"], []]).score.value is None
    assert cohen_kappa([], []).n == 0


def test_alpha_of_krippendorffs_example() -> None:
    # Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", part C: nominal α = 0.743
    observers = [
        ["1", "2", "3", "3", "2", "1", "4", "1", "2", ".", ".", "."],
        ["1", "2", "3", "3", "2", "2", "4", "1", "2", "5", ".", "3"],
        [".", "3", "3", "3", "2", "3", "4", "2", "2", "5", "1", "."],
        ["1", "2", "3", "3", "2", "4", "4", "1", "2", "5", "1", "."],
    ]
    units = [[None if label == "." else label for label in unit] for unit in zip(*observers, strict=True)]
    agreement = krippendorff_alpha(units)
    assert agreement.score.value == pytest.approx(0.743, abs=5e-4)
    assert agreement.n == 11


def test_one_answer_has_no_interval() -> None:
    agreement = krippendorff_alpha([["a", "b"]])
    assert (agreement.low, agreement.high, agreement.n) == (None, None, 1)


def test_full_agreement_of_ten_answers_may_still_be_less() -> None:
    # Observed agreement 1 of 10: Wilson's lower bound is 0.72247; chance 0.5.
    agreement = cohen_kappa(["a", "b"] * 5, ["a", "b"] * 5)
    assert (agreement.low, agreement.high) == pytest.approx(((0.72247 - 0.5) / 0.5, 1.0), abs=1e-4)


def test_two_people_without_gaps_have_intervals_alike_in_kappa_and_alpha() -> None:
    first, second = ["a", "b", "b", "a", "c"] * 20, ["a", "b", "a", "a", "c"] * 20
    kappa, alpha = cohen_kappa(first, second), krippendorff_alpha(list(zip(first, second, strict=True)))
    assert (alpha.score.value, alpha.low, alpha.high) == pytest.approx(
        (kappa.score.value, kappa.low, kappa.high), abs=0.02
    )


@pytest.mark.parametrize("n", [10, 20, 60])
@pytest.mark.parametrize("sure", [0.6, 0.9, 0.97])
def test_about_95_of_100_intervals_hold_the_agreement(sure: float, n: int) -> None:
    rng = np.random.default_rng(n)
    # Two people who each know the label with probability `sure` and guess one of three otherwise: κ = sure².
    covered = 0
    for _ in range(300):
        truth = rng.integers(0, 3, n)
        people = [np.where(rng.random(n) < sure, truth, rng.integers(0, 3, n)).astype(str) for _ in range(2)]
        agreement = cohen_kappa(people[0].tolist(), people[1].tolist())
        covered += (
            agreement.low is not None and agreement.high is not None and agreement.low <= sure**2 <= agreement.high
        )
    assert covered >= 0.9 * 300
