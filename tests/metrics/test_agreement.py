"""κ and α worked by hand."""

import pytest

from workbench.metrics.agreement import cohen_kappa, krippendorff_alpha


def test_kappa_of_fifty_answers_by_hand() -> None:
    # yes-yes 20, yes-no 5, no-yes 10, no-no 15: observed 0.7, chance 0.5 · 0.6 + 0.5 · 0.4 = 0.5
    first = ["y"] * 25 + ["n"] * 25
    second = ["y"] * 20 + ["n"] * 5 + ["y"] * 10 + ["n"] * 15
    found = cohen_kappa(first, second)
    assert found.score.value == pytest.approx(0.4) and found.n == 50
    assert found.low is not None and found.high is not None
    assert found.low < 0.4 < found.high


def test_full_agreement_is_one_and_full_disagreement_below_nought() -> None:
    assert cohen_kappa(["a", "b"], ["a", "b"]).score.value == 1.0
    assert cohen_kappa(["a", "b"], ["b", "a"]).score.value == -1.0


def test_answers_that_one_did_not_label_are_left_out() -> None:
    found = cohen_kappa(["a", "b", None, "a"], ["a", "b", "a", None])
    assert (found.score.value, found.n) == (1.0, 2)


def test_one_label_throughout_is_unscored_rather_than_full_agreement() -> None:
    for found in (cohen_kappa(["a", "a"], ["a", "a"]), krippendorff_alpha([["a", "a"], ["a", "a"]])):
        assert found.score.value is None and "chance" in found.score.reason
        assert (found.low, found.high, found.n) == (None, None, 2)


def test_nothing_labelled_twice_is_unscored() -> None:
    assert krippendorff_alpha([["a"], [None, "b"], []]).score.value is None
    assert cohen_kappa([], []).n == 0


def test_alpha_of_krippendorffs_own_example() -> None:
    # Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", part C: nominal α = 0.743
    observers = [
        ["1", "2", "3", "3", "2", "1", "4", "1", "2", ".", ".", "."],
        ["1", "2", "3", "3", "2", "2", "4", "1", "2", "5", ".", "3"],
        [".", "3", "3", "3", "2", "3", "4", "2", "2", "5", "1", "."],
        ["1", "2", "3", "3", "2", "4", "4", "1", "2", "5", "1", "."],
    ]
    units = [[None if label == "." else label for label in unit] for unit in zip(*observers, strict=True)]
    found = krippendorff_alpha(units)
    assert found.score.value == pytest.approx(0.743, abs=5e-4)
    assert found.n == 11


def test_one_answer_has_no_interval() -> None:
    found = krippendorff_alpha([["a", "b"]])
    assert (found.low, found.high, found.n) == (None, None, 1)


def test_the_same_seed_gives_the_same_interval() -> None:
    first, second = ["a", "b", "b", "a"] * 10, ["a", "b", "a", "a"] * 10
    assert cohen_kappa(first, second, seed=3) == cohen_kappa(first, second, seed=3)
