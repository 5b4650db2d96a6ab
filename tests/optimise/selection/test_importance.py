"""Importance of choices: a factorial table by hand, gaps, confounded fields, and what chance must not explain."""

from itertools import product

import numpy as np
import pytest

from workbench.core.errors import UsageError
from workbench.optimise.selection.importance import importances

FACTORIAL = [{"mode": mode, "depth": depth} for mode, depth in product("ab", ("1", "2", "3"))]


def names(count: int) -> list[str]:
    return [f"question {number}" for number in range(count)]


def constant(means: list[float], questions: int = 10) -> np.ndarray:
    """Recipes with the same score on every question: nothing is left to chance."""
    return np.repeat(np.array(means)[:, None], questions, axis=1)


def test_shares_of_a_complete_table_are_those_of_the_analysis_of_variance() -> None:
    # Mode b adds .4, depth adds 0, .1, .2: variances .04 and .02/3, their sum .14/3.
    means = [0.1, 0.2, 0.3, 0.5, 0.6, 0.7]
    (overall, english) = importances(FACTORIAL, constant(means), names(10), ["en"] * 10)
    assert [field.field for field in overall.fields] == ["mode", "depth"]
    assert [field.share for field in overall.fields] == pytest.approx([6 / 7, 1 / 7])
    assert overall.complete and overall.interactions == pytest.approx(0, abs=1e-9)
    mode = overall.fields[0]
    assert [(value.value, value.recipes) for value in mode.values] == [("a", 3), ("b", 3)]
    assert [value.effect for value in mode.values] == pytest.approx([-0.2, 0.2])
    assert mode.spread == pytest.approx(0.4)
    assert (overall.language, english.language, overall.recipes, overall.groups) == ("", "en", 6, 10)


def test_what_no_sum_explains_is_interaction() -> None:
    crossed = [{"x": x, "y": y} for x, y in product("ab", "ab")]
    (overall, _) = importances(crossed, constant([1.0, 0.0, 0.0, 1.0]), names(10), ["en"] * 10)
    assert overall.interactions == pytest.approx(1.0)
    assert [field.share for field in overall.fields] == pytest.approx([0.0, 0.0], abs=1e-9)


def test_effects_of_a_table_with_gaps_are_adjusted_for_the_other_fields() -> None:
    # Without (a, 3) and (b, 1), plain marginal means would give mode b depth's gain too.
    rows = [0, 1, 4, 5]
    means = [0.1, 0.2, 0.6, 0.7]
    (overall, _) = importances([FACTORIAL[row] for row in rows], constant(means), names(10), ["en"] * 10)
    assert not overall.complete
    mode = next(field for field in overall.fields if field.field == "mode")
    assert mode.separable
    assert mode.values[1].effect - mode.values[0].effect == pytest.approx(0.4)


def test_fields_that_only_changed_together_get_no_share() -> None:
    choices = [{"x": value, "y": value, "z": other} for value, other in product("ab", "ab")]
    (overall, _) = importances(choices, constant([0.0, 0.1, 0.5, 0.6]), names(10), ["en"] * 10)
    shares = {field.field: (field.separable, field.share is None) for field in overall.fields}
    assert shares == {"x": (False, True), "y": (False, True), "z": (True, False)}


def test_a_choice_matters_in_the_language_where_it_matters() -> None:
    choices = [{"x": value, "y": other} for value, other in product("ab", "ab")]
    english, finnish = constant([0.0, 0.0, 1.0, 1.0], 8), constant([0.0, 1.0, 0.0, 1.0], 8)
    results = importances(choices, np.hstack([english, finnish]), names(16), ["en"] * 8 + ["fi"] * 8)
    tops = {item.language: item.fields[0].field for item in results if item.language}
    assert tops == {"en": "x", "fi": "y"}


def test_chance_explains_little_and_the_interval_reaches_zero() -> None:
    rng = np.random.default_rng(5)
    lows = []
    for _ in range(30):
        scores = (rng.random((6, 100)) < np.repeat([0.4, 0.6], 3)[:, None]).astype(float)
        (overall, _) = importances(FACTORIAL, scores, names(100), ["en"] * 100, draws=200)
        shares = {field.field: field for field in overall.fields}
        depth = shares["depth"].interval
        assert depth is not None
        lows.append(depth.low)
        assert shares["mode"].share is not None and shares["mode"].share > 0.5
    assert np.mean(np.array(lows) <= 0.01) >= 0.9


def test_recipes_that_do_not_differ_have_no_important_choice() -> None:
    (overall, _) = importances(FACTORIAL, constant([0.5] * 6), names(10), ["en"] * 10)
    assert all(field.share is None for field in overall.fields)
    assert overall.interactions is None


def test_unscored_recipes_are_left_out_and_counted() -> None:
    scores = constant([0.1, 0.2, 0.3, 0.5, 0.6, 0.7])
    scores[5] = np.nan
    assert importances(FACTORIAL, scores, names(10), ["en"] * 10)[0].recipes == 5


def test_choices_that_are_no_table_are_refused() -> None:
    scores = constant([0.1, 0.2])
    with pytest.raises(UsageError, match="same fields"):
        importances([{"x": "a"}, {"y": "a"}], scores, names(10), ["en"] * 10)
    with pytest.raises(UsageError, match="takes two values"):
        importances([{"x": "a"}, {"x": "a"}], scores, names(10), ["en"] * 10)
    with pytest.raises(UsageError, match="as many lists"):
        importances([{"x": "a"}], scores, names(10), ["en"] * 10)
