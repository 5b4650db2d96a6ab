"""Flexible exact match against its plain definition: every place in the normalised answer is tried."""

from __future__ import annotations

import pytest

from tests.reference import plain
from tests.reference.texts import LANGUAGES, pairs, real_pairs
from workbench.languages.catalogue import language
from workbench.metrics.answers.flexible_em import flexible_em


@pytest.mark.parametrize("code", ["en", "fr", "zh", "th", "tr"])
def test_it_is_its_definition_on_random_texts(code: str) -> None:
    for answer, golds in pairs(2_000, seed=5):
        value = flexible_em(answer, golds, language=language(code)).value
        assert value == plain.flexible_em(answer, golds, code), (answer, golds)


@pytest.mark.parametrize("code", [code for code in LANGUAGES if code != "ar"])
def test_it_is_its_definition_on_real_texts(code: str) -> None:
    for answer, golds in real_pairs(code, 300):
        assert flexible_em(answer, golds, language=language(code)).value == plain.flexible_em(answer, golds, code)


@pytest.mark.parametrize("code", LANGUAGES)
def test_nearly_all_real_answers_match_in_their_context(code: str) -> None:
    scores = [
        flexible_em(answer, golds, language=language(code)).value or 0.0 for answer, golds in real_pairs(code, 300)
    ]
    # Some answers are longer than the context, and some are inside a word.
    assert sum(scores) / len(scores) > 0.9
