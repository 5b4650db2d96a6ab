"""How much of a question's wording a text repeats, in any script.

Texts are compared by character 4-grams inside padded words, so endings and prefixes cost little; Chinese and Japanese
by characters and pairs of them, Korean by pairs of syllables.  A gram weighs by its rarity among the texts compared
(idf as in BM25).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import log

import regex
from anyascii import anyascii

from workbench.languages import ABJAD, DENSE, SPACELESS_BRAHMIC, fold

RUN = regex.compile(rf"[{DENSE}]+|\p{{Hangul}}+|(?:(?![{DENSE}\p{{Hangul}}])[\p{{L}}\p{{M}}\p{{N}}])+")
DENSE_CHARACTER = regex.compile(rf"[{DENSE}]")
HANGUL = regex.compile(r"\p{Hangul}")
BRAHMIC = regex.compile(rf"[{SPACELESS_BRAHMIC}]")
CONSONANTS = regex.compile(rf"[{ABJAD}]")
GRAM_LENGTH = 4
HANGUL_GRAM_LENGTH = 2
"""One syllable of Hangul is written as one character."""
SHORT_GRAM_LENGTH = 3
"""A run of Thai is a phrase of short words, and Arabic writes few vowels."""


@lru_cache(maxsize=1 << 14)
def grams(text: str) -> frozenset[str]:
    """The grams of a text, folded.

    >>> sorted(grams("Kino"))
    [' kin', 'ino ', 'kino']
    """
    result: set[str] = set()
    for run in RUN.findall(fold(text)):
        if DENSE_CHARACTER.match(run):
            result.update(run)
            result.update(run[at : at + 2] for at in range(len(run) - 1))
        else:
            padded = run if BRAHMIC.match(run) else f" {run} "
            length = _gram_length(run)
            result.update(padded[at : at + length] for at in range(max(1, len(padded) - length + 1)))
    return frozenset(result)


def _gram_length(run: str) -> int:
    if HANGUL.match(run):
        return HANGUL_GRAM_LENGTH
    return SHORT_GRAM_LENGTH if BRAHMIC.match(run) or CONSONANTS.match(run) else GRAM_LENGTH


@lru_cache(maxsize=1 << 14)
def romanised(text: str) -> str:
    """The text in ASCII letters, so that names and numbers can be compared across scripts."""
    plain: str = anyascii(text)
    return plain


def rarity_weights(question: frozenset[str], texts: Sequence[frozenset[str]]) -> Mapping[str, float]:
    """The weight (> 0) of each gram of the question that some text has, scaled so that all weights add up to 1."""
    counts = Counter(gram for text in texts for gram in text & question)
    raw = {gram: log(1 + (len(texts) - n + 0.5) / (n + 0.5)) for gram, n in sorted(counts.items())}
    total = sum(raw.values())
    return {gram: weight / total for gram, weight in raw.items()}


def covered_weight(weights: Mapping[str, float], text: frozenset[str]) -> float:
    """The sum of the weights of the grams that `text` has, in [0, 1]."""
    return sum(weight for gram, weight in weights.items() if gram in text)


def union(texts: Iterable[frozenset[str]]) -> frozenset[str]:
    """All grams of several texts."""
    return frozenset().union(*texts)
