"""BLEU and chrF of one answer against the gold answers, computed by sacreBLEU.

Sources: Papineni et al. (2002, BLEU), Popović (2015, chrF), Post (2018, sacreBLEU).  Range [0, 1], a hundredth of what
sacreBLEU prints; higher is better.  BLEU uses all golds as references at once, chrF counts the best one.

BLEU is that of one sentence: exponential smoothing, without the orders that the answer is too short for (sacreBLEU's
`effective_order`).  Its words are sacreBLEU's `zh` in Chinese, single characters in other scripts without spaces, and
`intl`, which knows the punctuation of every script, elsewhere.  chrF uses character 1- to 6-grams, β 2, no words.
Texts are composed (NFC) first, so that composed and decomposed letters agree.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Any

from workbench.languages import Language
from workbench.metrics.answers.answer_units import usable_golds
from workbench.metrics.measure import NO_GOLD, Measure, Score, per_case

PERCENT = 100.0


def bleu(answer: str, golds: Sequence[str], *, language: Language) -> Score:
    """Sentence BLEU in [0, 1]; unscored when no gold survives normalisation."""
    return _sacre(_bleu(_tokeniser(language)), answer, golds, language)


def chrf(answer: str, golds: Sequence[str], *, language: Language) -> Score:
    """Character F-score (chrF) in [0, 1]; unscored when no gold survives normalisation."""
    return _sacre(_chrf(), answer, golds, language)


def _sacre(metric: Any, answer: str, golds: Sequence[str], language: Language) -> Score:
    references = [unicodedata.normalize("NFC", gold) for gold in usable_golds(golds, language)]
    if not references:
        return NO_GOLD
    score = metric.sentence_score(unicodedata.normalize("NFC", answer), references).score
    # Rounding lifts identical texts a hair over 100.
    return Score(min(score / PERCENT, 1.0))


def _tokeniser(language: Language) -> str:
    if language.code == "zh":
        return "zh"
    return "char" if language.spaceless else "intl"


@cache
def _bleu(tokeniser: str) -> Any:
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(tokenize=tokeniser, effective_order=True)


@cache
def _chrf() -> Any:
    from sacrebleu.metrics.chrf import CHRF

    return CHRF()


MEASURES = (
    Measure(
        "bleu",
        "BLEU",
        "Papineni et al. (2002); Post (2018)",
        per_case(lambda case: bleu(case.prediction, case.answers, language=case.language)),
    ),
    Measure(
        "chrf",
        "chrF",
        "Popović (2015); Post (2018)",
        per_case(lambda case: chrf(case.prediction, case.answers, language=case.language)),
    ),
)
"""The measures of this module."""
