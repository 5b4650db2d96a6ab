"""Exact match and F1 against SQuAD's evaluation, written from its description, on English."""

from __future__ import annotations

import random
import re
import string
from collections import Counter

import pytest

from tests.reference.texts import random_text, real_pairs
from workbench.languages.catalogue import language
from workbench.metrics.answers.em_f1 import em, f1

EN = language("en")


def tokens(text: str) -> list[str]:
    """Lower-case, no punctuation, no articles, split at white space."""
    bare = "".join(character for character in text.lower() if character not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", bare).split()


def squad_f1(answer: str, gold: str) -> float:
    shared = (Counter(tokens(answer)) & Counter(tokens(gold))).total()
    if not shared:
        return 0.0
    precision, recall = shared / len(tokens(answer)), shared / len(tokens(gold))
    return 2 * precision * recall / (precision + recall)


def agree(answer: str, gold: str) -> None:
    if not tokens(gold):
        assert em(answer, [gold], language=EN).value is None and f1(answer, [gold], language=EN).value is None
        return
    assert em(answer, [gold], language=EN).value == float(tokens(answer) == tokens(gold)), (answer, gold)
    assert f1(answer, [gold], language=EN).value == pytest.approx(squad_f1(answer, gold)), (answer, gold)


def test_english_answers_are_scored_as_squad_scores_them() -> None:
    checked = 0
    for answer, (gold,) in real_pairs("en", 400):
        if not (answer + gold).isascii():
            continue
        for variant in (answer, gold, f"The {gold}.", gold[: len(gold) // 2]):
            agree(variant, gold)
        checked += 1
    assert checked > 100


def test_random_texts_full_of_edges_are_scored_as_squad_scores_them() -> None:
    generator = random.Random(7)
    checked = 0
    for _ in range(20_000):
        gold, answer = random_text(generator, 4), random_text(generator, 6)
        # Control characters are not punctuation to SQuAD.
        if (gold + answer).isascii() and all(mark.isprintable() or mark.isspace() for mark in gold + answer):
            agree(f"{answer} {gold}" if generator.random() < 0.5 else answer, gold)
            checked += 1
    assert checked > 500
