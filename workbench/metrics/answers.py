"""Exact match and F1 of a short answer against the gold answers, as in SQuAD, in any script.

Source: Rajpurkar et al. 2016 (SQuAD); characters as tokens in scripts without spaces: Lewis et al. 2020 (MLQA). Range
[0, 1]; higher is better; the best gold counts.  Both sides are normalised as `languages.answer_form` does: folded, no
punctuation, the articles of the language dropped.  With t the tokens that both have, repetitions counted, P = t /
tokens of the answer and R = t / tokens of the gold, F1 = 2PR / (P + R).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from workbench.languages.language import Language
from workbench.languages.normalise import answer_form
from workbench.metrics.forms import CHARACTER, gold_form
from workbench.metrics.measure import Measure, each
from workbench.metrics.score import Score, best


def em(answer: str, golds: Sequence[str], *, language: Language) -> Score:
    """1.0 if `answer` is a gold after normalisation, else 0.0; unscored when no gold survives normalisation.

    >>> from workbench.languages import language
    >>> em("The Eiffel Tower!", ["Eiffel tower"], language=language("en")).value
    1.0
    """
    tokens = _tokens(answer_form(answer, language))
    return best(float(tokens == gold) for gold in _gold_tokens(golds, language))


def f1(answer: str, golds: Sequence[str], *, language: Language) -> Score:
    """The F1 of tokens; 0.0 for an answer of which nothing is left; unscored when no gold survives normalisation.

    >>> from workbench.languages import language
    >>> f1("in Paris, France", ["Paris"], language=language("en")).value
    0.5
    """
    tokens = _tokens(answer_form(answer, language))
    return best(_f1(tokens, gold) for gold in _gold_tokens(golds, language))


def _f1(answer: Sequence[str], gold: Sequence[str]) -> float:
    shared = (Counter(answer) & Counter(gold)).total()
    # 2PR / (P + R) without the division by zero.
    return 2 * shared / (len(answer) + len(gold))


def _gold_tokens(golds: Sequence[str], language: Language) -> list[tuple[str, ...]]:
    return [tokens for gold in golds if (tokens := _kept_tokens(gold_form(gold, language)))]


def _tokens(plain: str) -> tuple[str, ...]:
    words = plain.split()
    return tuple(words) if plain.isascii() else tuple(token for word in words for token in CHARACTER.findall(word))


@lru_cache(maxsize=1 << 16)
def _kept_tokens(plain: str) -> tuple[str, ...]:
    return _tokens(plain)


MEASURES = (
    Measure(
        "em",
        "Exact match",
        "Rajpurkar et al. 2016 (SQuAD)",
        each(lambda case: em(case.prediction, case.answers, language=case.language)),
    ),
    Measure(
        "f1",
        "F1 of tokens",
        "Rajpurkar et al. 2016 (SQuAD); Lewis et al. 2020 (MLQA) for scripts without spaces",
        each(lambda case: f1(case.prediction, case.answers, language=case.language)),
    ),
)
"""What this page measures."""
