"""Languages of retrieved passages and their bias, counted by hand."""

import pytest

from workbench.core.records import Hit, Ranking
from workbench.metrics.ranking import language_bias, language_shares


def ranked(*languages: str) -> Ranking:
    return tuple(Hit(f"p{row}", row, code, float(-row)) for row, code in enumerate(languages))


def test_every_question_weighs_the_same() -> None:
    # one question with en, one with fi fi fi fi: half each
    assert language_shares([ranked("en"), ranked("fi", "fi", "fi", "fi")]) == {"en": 0.5, "fi": 0.5}


def test_only_the_first_passages_count() -> None:
    assert language_shares([ranked("en", "fi", "fi")], k=1) == {"en": 1.0}


def test_nothing_retrieved_has_no_shares() -> None:
    assert language_shares([]) == {} and language_shares([()]) == {}


def test_the_bias_is_the_share_beyond_that_of_the_gold_passages() -> None:
    bias = language_bias({"q1": ranked("en", "en", "fi", "en")}, {"q1": ["fi", "en"]})
    assert bias.bias == {"en": pytest.approx(0.25), "fi": pytest.approx(-0.25)}
    assert bias.distance == pytest.approx(0.25) and (bias.n, bias.unscored) == (1, 0)


def test_questions_without_gold_or_passages_are_unscored() -> None:
    bias = language_bias({"q1": ranked("en"), "q2": ranked("fi"), "q3": ()}, {"q1": ["en"], "q3": ["fi"]})
    assert (bias.n, bias.unscored, bias.distance) == (1, 2, 0.0)
    assert language_bias({"q": ranked("en")}, {}).distance is None
