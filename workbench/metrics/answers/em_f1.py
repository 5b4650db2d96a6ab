"""Exact match and F1 of a short answer against the gold answers, as in SQuAD, in any script.

Source: Rajpurkar et al. (2016, SQuAD); every language's articles, Unicode punctuation, and characters as tokens in
scripts without spaces: Lewis et al. (2020, MLQA). Range [0, 1]; higher is better; the best gold counts.  Both sides
are folded (`languages.folds`), punctuation and symbols are deleted (so `U.S.` is `US` and `1,000` is `1000`, unlike in
`languages.answer_form`, where they separate words), and the articles of the language dropped, elided ones too
(`l'Italia`).  With t the number of tokens that both have, repetitions counted, P = t / tokens of the answer and
R = t / tokens of the gold, F1 = 2PR / (P + R).
"""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

import regex

from workbench.languages import TONAL, Language, final_tones, fold, fold_letters, stated_years
from workbench.metrics.answers.flexible_em import CHARACTER
from workbench.metrics.measure import Measure, Score, best_score, per_case

MARKS = regex.compile(r"[\p{P}\p{S}\p{C}]+")
ASCII_MARKS = str.maketrans(
    "", "", "".join({chr(code) for code in range(128)} - {*string.ascii_letters, *string.digits})
)
GROUPED_BY_SPACES = regex.compile(
    r"(?<=(?<![0-9]|[0-9] )[1-9][0-9]{0,2}(?: [0-9]{3})*) (?=(?:[0-9]{3} )*[0-9]{3}(?![0-9]| [0-9]))"
)
"""A space between thousands; other separators are punctuation, which is deleted."""
APOSTROPHE = regex.compile("['’]")
ELIDED = frozenset(("l", "un"))
"""Articles that are joined to the next word by an apostrophe."""


def em(answer: str, golds: Sequence[str], *, language: Language) -> Score:
    """1.0 if `answer` is a gold after normalisation, else 0.0; unscored when no gold survives normalisation.

    >>> from workbench.languages import language
    >>> em("The Eiffel Tower!", ["Eiffel tower"], language=language("en")).value
    1.0
    """
    return best_score(float(tokens == gold) for tokens, gold in _pairs(answer, golds, language))


def f1(answer: str, golds: Sequence[str], *, language: Language) -> Score:
    """The F1 of tokens; 0.0 for an answer of which nothing is left; unscored when no gold survives normalisation.

    >>> from workbench.languages import language
    >>> f1("in Paris, France", ["Paris"], language=language("en")).value
    0.5
    """
    return best_score(_f1(tokens, gold) for tokens, gold in _pairs(answer, golds, language))


def _f1(answer: Sequence[str], gold: Sequence[str]) -> float:
    shared = (Counter(answer) & Counter(gold)).total()
    # 2PR / (P + R) without the division by zero.
    return 2 * shared / (len(answer) + len(gold))


def _pairs(answer: str, golds: Sequence[str], language: Language) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The tokens of the answer and of each gold of which something is left; those of stated Thai years in both eras."""
    thai = language.code == "th"
    answers = [_tokens(form, language) for form in (stated_years(answer) if thai else (answer,))]
    for gold in golds:
        for form in stated_years(gold) if thai else (gold,):
            if tokens := _cached_gold_tokens(form, language):
                yield from ((one, tokens) for one in answers)


def _tokens(text: str, language: Language) -> tuple[str, ...]:
    folded = fold(text)
    if not text.isascii():
        folded = fold_letters(folded, tonal=language.code in TONAL)
    words = [word for word in _bare_words(GROUPED_BY_SPACES.sub("", folded), language) if word not in language.articles]
    if text.isascii():
        return tuple(words)
    if language.code in TONAL:
        words = [final_tones(word) for word in words]
    return tuple(token for word in words for token in CHARACTER.findall(word))


@lru_cache(maxsize=1 << 16)
def _cached_gold_tokens(gold: str, language: Language) -> tuple[str, ...]:
    return _tokens(gold, language)


def _bare_words(folded: str, language: Language) -> Iterator[str]:
    """The words without punctuation and elided articles; words that were nothing else are left out."""
    elided = ELIDED.intersection(language.articles)
    for word in folded.split():
        if elided and (mark := APOSTROPHE.search(word)) and _bare(word[: mark.start()]) in elided:
            word = word[mark.end() :]
        if bare := _bare(word):
            yield bare


def _bare(word: str) -> str:
    return word.translate(ASCII_MARKS) if word.isascii() else MARKS.sub("", word)


MEASURES = (
    Measure(
        "em",
        "Answer is the gold (exact match)",
        "Rajpurkar et al. (2016, SQuAD)",
        per_case(lambda case: em(case.prediction, case.answers, language=case.language)),
    ),
    Measure(
        "f1",
        "Words shared with the gold (F1)",
        "Rajpurkar et al. (2016, SQuAD); Lewis et al. (2020, MLQA) for scripts without spaces",
        per_case(lambda case: f1(case.prediction, case.answers, language=case.language)),
    ),
)
"""The measures of this module."""
