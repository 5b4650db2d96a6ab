"""chrF and BLEU against their formulas, written from the papers."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest

from workbench.languages.catalogue import language
from workbench.metrics.answers.ngram_overlap import bleu, chrf

EN = language("en")
WORDS = ("tower", "river", "built", "old", "stone", "by", "was", "it")


def ngrams(items: str | list[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(items[at : at + n]) for at in range(len(items) - n + 1))


def plain_chrf(answer: str, gold: str) -> float:
    """Character 1- to 6-grams without white space; F2 of the precisions and recalls averaged over shared orders."""
    one, other = "".join(answer.split()), "".join(gold.split())
    shares = []
    for n in range(1, 7):
        a, g = ngrams(one, n), ngrams(other, n)
        if a and g:
            shared = (a & g).total()
            shares.append((shared / a.total(), shared / g.total()))
    if not shares:
        return 0.0
    precision, recall = (sum(column) / len(shares) for column in zip(*shares, strict=True))
    return 5 * precision * recall / (4 * precision + recall) if precision + recall else 0.0


def plain_bleu(answer: str, gold: str) -> float:
    """Geometric mean over the orders that the answer has, halving smoothed for each order without a match."""
    a, g = answer.split(), gold.split()
    smoothing, logs = 1.0, []
    for n in range(1, min(4, len(a)) + 1):
        offered = ngrams(a, n)
        shared = (offered & ngrams(g, n)).total()
        if not shared:
            smoothing *= 2
        logs.append(math.log(shared / offered.total() if shared else 1 / (smoothing * offered.total())))
    if not (ngrams(a, 1) & ngrams(g, 1)):
        return 0.0
    return math.exp(sum(logs) / len(logs)) * min(1.0, math.exp(1 - len(g) / len(a)))


def sentences() -> list[tuple[str, str]]:
    generator = random.Random(13)
    return [
        (
            " ".join(generator.choices(WORDS, k=generator.randrange(1, 9))),
            " ".join(generator.choices(WORDS, k=generator.randrange(1, 9))),
        )
        for _ in range(300)
    ]


def test_chrf_is_its_formula() -> None:
    for answer, gold in sentences():
        assert chrf(answer, [gold], language=EN).value == pytest.approx(plain_chrf(answer, gold)), (answer, gold)


def test_bleu_is_its_formula() -> None:
    for answer, gold in sentences():
        assert bleu(answer, [gold], language=EN).value == pytest.approx(plain_bleu(answer, gold)), (answer, gold)
