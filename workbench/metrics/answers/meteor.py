"""METEOR with exact and stem matches, without synonyms: which words of the gold are in the answer, and in what order.

Source: Banerjee and Lavie (2005), computed by NLTK.  Range [0, 1); higher is better; the best gold counts.  With m
matched words in c chunks that lie together in both texts, P = m / words of the answer, R = m / words of the gold:
METEOR = (1 − 0.5 (c / m)³) · PR / (0.9 P + 0.1 R).  Words match when they are equal or have the same Snowball stem.
Synonyms need WordNet, which is English only and a separate download: they are left out in every language, so values
are a little below those of a METEOR with synonyms.

Identical texts of n words have 1 − 0.5 / n³, so an identical answer of one word has 0.5: the formula is made for
sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from workbench.languages import Language
from workbench.metrics.answers.answer_units import units, usable_golds
from workbench.metrics.measure import Measure, Score, best_score, per_case

STEMMED = {
    "ar": "arabic", "da": "danish", "nl": "dutch", "en": "english", "fi": "finnish", "fr": "french", "de": "german",
    "hu": "hungarian", "it": "italian", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "es": "spanish", "sv": "swedish",
}  # fmt: skip
"""Languages that have a Snowball stemmer, under its name; in others only equal words match."""


def meteor(answer: str, golds: Sequence[str], *, language: Language) -> Score:
    """METEOR against the best gold; 0.0 where no word matches; unscored when no gold survives normalisation.

    >>> from workbench.languages import language
    >>> meteor("the cats sat", ["the cat sat"], language=language("en")).value == 1 - 0.5 / 27
    True
    """
    from nltk.translate.meteor_score import single_meteor_score

    words = units(answer)
    stemmer = _stemmer(language.code)
    return best_score(
        float(single_meteor_score(units(gold), words, preprocess=str, stemmer=stemmer, wordnet=_NoSynonyms()))
        for gold in usable_golds(golds, language)
    )


class _NoSynonyms:
    """Replaces WordNet in NLTK."""

    def synsets(self, word: str) -> tuple[()]:
        return ()


class _NoStems:
    """Replaces the stemmer where a language has none."""

    def stem(self, word: str) -> str:
        return word


@cache
def _stemmer(code: str) -> Any:
    from nltk.stem import SnowballStemmer

    return SnowballStemmer(STEMMED[code]) if code in STEMMED else _NoStems()


MEASURES = (
    Measure(
        "meteor",
        "METEOR (exact and stem matches)",
        "Banerjee and Lavie (2005), without synonyms",
        per_case(lambda case: meteor(case.prediction, case.answers, language=case.language)),
    ),
)
"""The measures of this module."""
