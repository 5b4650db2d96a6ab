"""ROUGE-1, ROUGE-2 and ROUGE-L: how many of the gold answer's words, word pairs, or words in order are in the answer?

Source: Lin (2004).  Range [0, 1]; higher is better; F1; the best gold counts.  ROUGE-N: P and R over the multisets of
n-grams.  ROUGE-L: P and R from the longest common subsequence.  Words are runs of letters, marks and numbers, folded,
and the characters of scripts without spaces; the usual implementation keeps only a–z and 0–9 and scores identical
Chinese or Russian texts 0.  No stemming.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import count

from workbench.languages import Language
from workbench.metrics.answers.answer_units import units, usable_golds
from workbench.metrics.measure import Measure, Score, best_score, per_case


def rouge_n(answer: str, golds: Sequence[str], n: int, *, language: Language) -> Score:
    """The F1 of n-grams. A gold of fewer than `n` words has none; unscored where no gold has any.

    >>> from workbench.languages import language
    >>> rouge_n("北京", ["北京"], 1, language=language("zh")).value
    1.0
    """
    answer_grams = _grams(units(answer), n)
    gold_grams = [grams for gold in usable_golds(golds, language) if (grams := _grams(units(gold), n))]
    if not gold_grams and usable_golds(golds, language):
        return Score(None, f"No gold answer has {n} words.")
    return best_score(
        2 * (answer_grams & grams).total() / (answer_grams.total() + grams.total()) for grams in gold_grams
    )


def rouge_l(answer: str, golds: Sequence[str], *, language: Language) -> Score:
    """The F1 from the longest common subsequence of words; unscored when no gold survives normalisation."""
    words = units(answer)
    return best_score(
        2 * _common(words, gold) / (len(words) + len(gold))
        for gold in map(units, usable_golds(golds, language))
        if gold
    )


def _grams(words: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(words[start:] for start in range(n)), strict=False))


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the longest common subsequence."""
    from rapidfuzz.distance import LCSseq

    # With numbers for words, words are compared themselves, not by their hashes.
    numbers: dict[str, int] = {}
    next_number = count()
    first, second = ([numbers.setdefault(word, next(next_number)) for word in words] for words in (one, other))
    return int(LCSseq.similarity(first, second))


def _rouge_n(n: int) -> Measure:
    return Measure(
        f"rouge_{n}",
        f"ROUGE-{n}",
        "Lin (2004)",
        per_case(lambda case: rouge_n(case.prediction, case.answers, n, language=case.language)),
    )


MEASURES = (
    _rouge_n(1),
    _rouge_n(2),
    Measure(
        "rouge_l",
        "ROUGE-L",
        "Lin (2004)",
        per_case(lambda case: rouge_l(case.prediction, case.answers, language=case.language)),
    ),
)
"""The measures of this module."""
