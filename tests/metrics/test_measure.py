"""Measures as values."""

import pytest

from workbench.languages.catalogue import language
from workbench.metrics.catalogue import MEASURES
from workbench.metrics.measure import Case

NAMES = [
    *("char3_recall", "char3_recall_paper", "char3_recall_romanised", "flexible_em", "flexible_em_paper", "em", "f1"),
    *("clr", "clr_script", "clr_candidates", "clr_any_length", "code_switch"),
    *("rouge_1", "rouge_2", "rouge_l", "meteor", "bleu", "chrf"),
    *("hallucination", "abstention_error"),
]

NEED_NO_GOLD = (
    "clr",
    "clr_script",
    "clr_candidates",
    "clr_any_length",
    "code_switch",
    "flexible_em_paper",
    "abstention_error",
)
"""The last two know no articles, so that “The” is a gold like any other."""


def test_the_catalogue_holds_the_metrics_by_their_published_names() -> None:
    assert list(MEASURES) == NAMES


def test_a_measure_prints_as_its_title() -> None:
    assert str(MEASURES["em"]) == "Answer is the gold (exact match)"


@pytest.mark.parametrize("name", NAMES)
def test_scores_come_in_order_one_per_case_and_within_range(name: str) -> None:
    cases = [
        Case(text, golds, language(code))
        for text, golds, code in (
            ("The tower was built by Gustave Eiffel in Paris.", ("Gustave Eiffel",), "en"),
            ("答案是北京。", ("北京",), "zh"),
            ("", ("Paris",), "fr"),
            ("x", ("?",), "en"),
            ("", (), "ar"),
        )
    ]
    measured = MEASURES[name]
    scores = measured.score(cases)
    assert len(scores) == len(cases)
    for score in scores:
        assert (score.value is None) == bool(score.reason)
        assert score.value is None or measured.low <= score.value <= measured.high


@pytest.mark.parametrize("name", [name for name in NAMES if name not in NEED_NO_GOLD])
def test_no_gold_is_unscored_by_every_metric_that_needs_one(name: str) -> None:
    assert [score.value for score in MEASURES[name].score([Case("The", ("The",), language("en"))])] == [None]
