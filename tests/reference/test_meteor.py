"""METEOR against its formula, on sentences whose words occur once, so that there is only one alignment."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from workbench.languages.catalogue import language
from workbench.metrics.answers.ngram_overlap import meteor

WORDS = [first + second for first in ("ba", "ko", "mi", "tu", "ve") for second in ("rk", "lm", "nd", "st")]


def plain_meteor(answer: list[str], gold: list[str]) -> float:
    places = [gold.index(word) for word in answer if word in gold]
    if not places:
        return 0.0
    # A chunk continues while neighbours in the answer are neighbours in the gold.
    at = [(place, gold.index(word)) for place, word in enumerate(answer) if word in gold]
    chunks = 1 + sum(one[0] + 1 != two[0] or one[1] + 1 != two[1] for one, two in pairwise(at))
    precision, recall = len(places) / len(answer), len(places) / len(gold)
    mean = precision * recall / (0.9 * precision + 0.1 * recall)
    return mean * (1 - 0.5 * (chunks / len(places)) ** 3)


def test_it_is_its_formula_on_random_sentences() -> None:
    generator = random.Random(11)
    # Vietnamese has no stemmer, so only equal words match.
    known = language("vi")
    for _ in range(500):
        answer, gold = (generator.sample(WORDS, generator.randrange(1, 12)) for _ in range(2))
        value = meteor(" ".join(answer), [" ".join(gold)], language=known).value
        assert value == pytest.approx(plain_meteor(answer, gold))
