"""ROUGE, METEOR, BLEU and chrF: the words or characters, in sequence, that an answer and a gold answer share.

Each has the range [0, 1]; higher is better.

**ROUGE-1, ROUGE-2 and ROUGE-L** (Lin 2004): F1; the best gold counts. ROUGE-N: P and R over the multisets of n-grams.
ROUGE-L: P and R from the longest common subsequence. Words are runs of letters, marks and numbers, folded, and the
characters of scripts without spaces; the usual implementation keeps only a–z and 0–9 and scores identical Chinese or
Russian texts 0. No stemming.

**METEOR** (Banerjee and Lavie 2005), computed by NLTK, with exact and stem matches; the best gold counts. With m
matched words in c chunks that lie together in both texts, P = m / words of the answer, R = m / words of the gold:
METEOR = (1 − 0.5 (c / m)³) · PR / (0.9 P + 0.1 R). Words match when they are equal or have the same Snowball stem.
Synonyms need WordNet, which is English only and a separate download: they are left out in every language, so values are
a little below those of a METEOR with synonyms. Identical texts of n words have 1 − 0.5 / n³, so an identical answer of
one word has 0.5: the formula is made for sentences.

**BLEU and chrF** (Papineni et al. 2002; Popović 2015), computed by sacreBLEU (Post 2018): a hundredth of what it
prints. BLEU uses all golds as references at once, chrF counts the best one. BLEU is that of one sentence: exponential
smoothing, without the orders that the answer is too short for (sacreBLEU's `effective_order`). Its words are
sacreBLEU's `zh` in Chinese, single characters in other scripts without spaces, and `intl`, which knows the punctuation
of every script, elsewhere. chrF uses character 1- to 6-grams, β 2, no words. Texts are composed (NFC) first, so that
composed and decomposed letters agree.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import count
from typing import Any

from workbench.languages import Language
from workbench.metrics.answers.flexible_em import units, usable_golds
from workbench.metrics.measure import NO_GOLD, Measure, Score, best_score, per_case


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
        f"{'Words' if n == 1 else 'Word pairs'} shared with the gold (ROUGE-{n})",
        "Lin (2004)",
        per_case(lambda case: rouge_n(case.prediction, case.answers, n, language=case.language)),
    )


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
    _rouge_n(1),
    _rouge_n(2),
    Measure(
        "rouge_l",
        "Word sequence shared with the gold (ROUGE-L)",
        "Lin (2004)",
        per_case(lambda case: rouge_l(case.prediction, case.answers, language=case.language)),
    ),
    Measure(
        "meteor",
        "Words and stems shared with the gold (METEOR)",
        "Banerjee and Lavie (2005), without synonyms",
        per_case(lambda case: meteor(case.prediction, case.answers, language=case.language)),
    ),
    Measure(
        "bleu",
        "Phrases shared with the gold (BLEU)",
        "Papineni et al. (2002); Post (2018)",
        per_case(lambda case: bleu(case.prediction, case.answers, language=case.language)),
    ),
    Measure(
        "chrf",
        "Letters shared with the gold (chrF)",
        "Popović (2015); Post (2018)",
        per_case(lambda case: chrf(case.prediction, case.answers, language=case.language)),
    ),
)
"""The measures of this module, in the order in which they are listed."""
