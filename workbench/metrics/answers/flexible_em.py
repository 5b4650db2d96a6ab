"""Flexible exact match: does the answer contain a complete gold answer?

Source: Ranaldi et al. (2025, D-RAG) and Ranaldi et al. (2025, CrossRAG), there called accuracy.  Value 1 where a
normalised gold is contained in the normalised answer, else 0; higher is better.  The match must lie on token borders
where the script has them, so `art` is not in `party`; Chinese, Japanese, Thai and similar scripts have none.  Korean
particles and Arabic prefixes are joined to the word: where the language has `enclitics` a match may end inside a token
of letters, and where it has `proclitics` it may follow one or two of them.  That accepts a few wrong compounds (한국 in
한국어).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import regex

from workbench.languages.language import Language
from workbench.languages.normalise import answer_form
from workbench.languages.scripts import SPACELESS
from workbench.metrics.answers.answer_units import gold_form
from workbench.metrics.measure import NO_GOLD, Measure, Score, per_case

SPACELESS_CHARACTER = regex.compile(rf"[{SPACELESS}]")
ARABIC_ARTICLE = "ال"
SHORTEST_STEM = 3


def flexible_em(answer: str, golds: Sequence[str], *, language: Language) -> Score:
    """1.0 if `answer` contains a gold on token borders, else 0.0; unscored when no gold survives normalisation.

    >>> from workbench.languages import language
    >>> flexible_em("It was Marconi, in 1895.", ["Guglielmo Marconi", "Marconi"], language=language("en")).value
    1.0
    >>> flexible_em("a party", ["art"], language=language("en")).value
    0.0
    """
    stems = [stem for gold in golds for stem in _stems(gold, language)]
    if not stems:
        return NO_GOLD
    plain = answer_form(answer, language)
    return Score(float(any(_contains(plain, stem, language) for stem in stems)))


@lru_cache(maxsize=1 << 16)
def _stems(gold: str, language: Language) -> tuple[str, ...]:
    """The normalised gold, and without its Arabic article: للقاهرة is القاهرة with a prefix. () if nothing is left."""
    normal = gold_form(gold, language)
    if not normal:
        return ()
    bare = normal.removeprefix(ARABIC_ARTICLE)
    articled = ARABIC_ARTICLE in language.proclitics and bare != normal and len(bare) >= SHORTEST_STEM
    return (normal, bare) if articled else (normal,)


def _contains(answer: str, gold: str, language: Language) -> bool:
    at = answer.find(gold)
    while at >= 0:
        if _starts_token(answer, at, language) and _ends_token(answer, at + len(gold), language):
            return True
        at = answer.find(gold, at + 1)
    return False


def _is_border(answer: str, at: int) -> bool:
    """Whether a token border lies before character `at`."""
    if at in (0, len(answer)):
        return True
    before, after = answer[at - 1], answer[at]
    return " " in (before, after) or bool(SPACELESS_CHARACTER.match(before) or SPACELESS_CHARACTER.match(after))


def _starts_token(answer: str, at: int, language: Language) -> bool:
    if _is_border(answer, at):
        return True
    prefix = answer[answer.rfind(" ", 0, at) + 1 : at]
    return any(
        prefix == first or (prefix.startswith(first) and prefix[len(first) :] in language.proclitics)
        for first in language.proclitics
    )


def _ends_token(answer: str, at: int, language: Language) -> bool:
    return _is_border(answer, at) or (language.enclitics and answer[at].isalpha())


MEASURES = (
    Measure(
        "flexible_em",
        "Flexible exact match",
        "Ranaldi et al. (2025, D-RAG) and Ranaldi et al. (2025, CrossRAG), there: accuracy",
        per_case(lambda case: flexible_em(case.prediction, case.answers, language=case.language)),
    ),
)
"""The measures of this module."""
