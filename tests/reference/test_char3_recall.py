"""Character 3-gram recall against its plain definition."""

from __future__ import annotations

import pytest

from tests.reference import plain
from tests.reference.texts import LANGUAGES, pairs, real_pairs
from workbench.languages.catalogue import language
from workbench.metrics.answers.char3_recall import char3_recall, char3_recall_paper


def test_the_published_variant_is_the_published_definition_on_random_texts() -> None:
    for answer, golds in pairs(6_000, seed=1):
        assert char3_recall_paper(answer, golds).value == plain.char3_recall_paper(answer, golds), (answer, golds)


def test_the_published_variant_is_the_published_definition_on_long_texts() -> None:
    for answer, golds in pairs(300, seed=2, most=120):
        assert char3_recall_paper(answer, golds).value == plain.char3_recall_paper(answer, golds), (answer, golds)


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_published_variant_is_the_published_definition_on_real_texts(code: str) -> None:
    for answer, golds in real_pairs(code, 300):
        assert char3_recall_paper(answer, golds).value == plain.char3_recall_paper(answer, golds)


@pytest.mark.parametrize("code", ["en", "fr", "zh"])
def test_the_variant_for_every_script_is_its_definition_on_random_texts(code: str) -> None:
    for answer, golds in pairs(2_000, seed=3):
        recall = char3_recall(answer, golds, language=language(code)).value
        assert recall == pytest.approx(plain.char3_recall(answer, golds, code)), (answer, golds)


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_variant_for_every_script_is_its_definition_on_real_texts(code: str) -> None:
    for answer, golds in real_pairs(code, 150):
        recall = char3_recall(answer, golds, language=language(code)).value
        assert recall == pytest.approx(plain.char3_recall(answer, golds, code))
