"""Exact match and F1 against SQuAD's evaluation, written from its description, on English."""

from __future__ import annotations

import re
import string
from collections import Counter

import pytest

from tests.reference.texts import real_pairs
from workbench.languages import language
from workbench.metrics.answers import em, f1

EN = language("en")


def tokens(text: str) -> list[str]:
    kept = "".join(" " if character in string.punctuation else character for character in text.lower())
    return re.sub(r"\b(a|an|the)\b", " ", kept).split()


def squad_f1(answer: str, gold: str) -> float:
    shared = (Counter(tokens(answer)) & Counter(tokens(gold))).total()
    if not shared:
        return 0.0
    precision, recall = shared / len(tokens(answer)), shared / len(tokens(gold))
    return 2 * precision * recall / (precision + recall)


def test_english_answers_are_scored_as_squad_scores_them() -> None:
    checked = 0
    for answer, (gold,) in real_pairs("en", 400):
        if not (answer + gold).isascii():
            continue
        for given in (answer, gold, f"The {gold}.", gold[: len(gold) // 2]):
            assert em(given, [gold], language=EN).value == float(tokens(given) == tokens(gold))
            assert f1(given, [gold], language=EN).value == pytest.approx(squad_f1(given, gold))
        checked += 1
    assert checked > 100
