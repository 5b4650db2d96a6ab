"""Means by language, and whether one winner per language pays on questions that no winner was taken on."""

import numpy as np
import pytest

from workbench.core.errors import UsageError
from workbench.optimise.selection.importance import language_means, specialisation

LANGUAGES = ("en", "fi")


def parallel(groups: int) -> tuple[list[str], list[str]]:
    return [f"g{group}" for group in range(groups) for _ in LANGUAGES], list(LANGUAGES) * groups


def specialists(groups: int, seed: int) -> np.ndarray:
    """Two recipes, each right in 9 of 10 questions of its language and in 3 of 10 of the other's."""
    rates = np.tile(np.array([[0.9, 0.3], [0.3, 0.9]]), groups)
    return (np.random.default_rng(seed).random(rates.shape) < rates).astype(float)


def test_languages_count_alike_however_many_questions_they_have() -> None:
    scores = np.array([[1.0, 1.0, 1.0, 0.0]])
    codes, means = language_means(scores, ["en", "en", "en", "fi"])
    assert codes == ("en", "fi")
    assert means.tolist() == [[1.0, 0.0]]


def test_a_language_without_scores_has_no_mean() -> None:
    _, means = language_means(np.array([[1.0, np.nan]]), ["en", "fi"])
    assert means[0, 0] == 1.0 and np.isnan(means[0, 1])


def test_specialising_pays_where_each_language_has_its_recipe() -> None:
    groups, languages = parallel(80)
    rows = range(160)
    result = specialisation(specialists(80, 1), groups, languages, rows[:80], rows[80:])
    assert [gain.winner for gain in result.languages] == [0, 1]
    # The single winner loses .6 in one of two languages.
    assert result.gain == pytest.approx(0.3, abs=0.1)
    assert result.pays
    assert result.groups == 40
    other = next(gain for gain in result.languages if gain.winner != result.single)
    assert other.gain == pytest.approx(0.6, abs=0.2)
    assert other.p is not None and other.p < 0.01


def test_specialising_pays_nothing_where_one_recipe_is_best_everywhere() -> None:
    groups, languages = parallel(40)
    scores = np.vstack([np.ones(80), np.zeros(80)])
    result = specialisation(scores, groups, languages, range(40), range(40, 80))
    assert (result.gain, result.p, result.pays) == (0.0, 1.0, False)


def test_luck_on_the_search_does_not_pay_on_new_questions() -> None:
    pays = 0
    for seed in range(40):
        groups, languages = parallel(40)
        scores = (np.random.default_rng(seed).random((20, 80)) < 0.5).astype(float)
        pays += specialisation(scores, groups, languages, range(40), range(40, 80)).pays
    assert pays <= 4


def test_five_held_out_groups_are_named_as_too_few() -> None:
    groups, languages = parallel(25)
    result = specialisation(specialists(25, 2), groups, languages, range(40), range(40, 50))
    assert result.is_too_few
    assert result.p is None and result.interval is None and not result.pays
    assert result.gain is not None
    assert all(gain.is_too_few for gain in result.languages)


def test_a_language_that_was_not_searched_is_left_out() -> None:
    result = specialisation(np.ones((1, 3)), ["a", "b", "c"], ["en", "en", "fi"], [0], [1, 2])
    assert [gain.language for gain in result.languages] == ["en"]
    assert result.groups == 1


def test_no_held_out_questions_or_shared_groups_are_refused() -> None:
    with pytest.raises(UsageError, match="hold some out"):
        specialisation(np.ones((1, 2)), ["a", "b"], ["en", "en"], [0, 1], [])
    with pytest.raises(UsageError, match="both sides"):
        specialisation(np.ones((1, 2)), ["a", "a"], ["en", "fi"], [0], [1])
