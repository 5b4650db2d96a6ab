"""Flexible exact match: does the answer contain a complete gold answer?

Source: Ranaldi et al. (2025, D-RAG) and Ranaldi et al. (2025, CrossRAG), there called accuracy.  Range {0, 1}; higher
is better; one gold is enough.

`flexible_em_paper` is the formula as published, for comparison: 1 where a lower-cased gold is contained in the
lower-cased answer, with each run of white space one space.

`flexible_em` is right where inclusion is not.  Both sides are normalised (`languages.answer_form`); the words of a gold
must follow each other in the answer.

- In scripts with spaces each is equal to the answer's word, or the answer's word is a form of it by the endings of the
  language (`word_forms`): Поповым, Marconin, Einsteins, but not `art` in `party`.
- A gold of one capitalised word with marks is not that word without both: not Pará in "Vai para o norte."
- Numbers are complete, without separators of thousands: 500 is not in 2,500, 5 not in 2.5; 1960 is in 1960s.
- In scripts without spaces a match begins and ends where a word may (`unspaced_borders`): not ベル in ノーベル.
- Sentences that end in a question mark answer nothing: "A or B?" contains neither, unless a gold is a question, too.
- Years in Thai whose era is stated are compared in both eras (`folds.stated_years`).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import repeat

import regex

from workbench.languages import (
    SPACELESS,
    Language,
    answer_form,
    fold,
    fold_letters,
    sentences,
    stated_years,
    with_both_years,
)
from workbench.metrics.answers.answer_units import BETWEEN_RUNS, CACHED_GOLDS
from workbench.metrics.answers.unspaced_borders import MULTIPLIERS, contains_word
from workbench.metrics.answers.word_forms import is_form, keys
from workbench.metrics.measure import NO_GOLD, Measure, Score, per_case

UNSPACED = regex.compile(rf"[{SPACELESS}]")
RUN = regex.compile(rf"[{SPACELESS}][{SPACELESS}\p{{M}}]*")
TIMES = regex.compile(rf"(?<=[0-9])(?=[{''.join(sorted(MULTIPLIERS))}])")
QUESTION_MARKS = ("?", "？", "؟")
DOT = "\u0307"
"""Of İ, once it is folded: no mark that tells words apart."""
SQUEEZED = 4
"""Characters from which a gold is also searched across spaces inside a script without them."""

RIGHT, WRONG = Score(1.0), Score(0.0)

NAME = regex.compile(r"\p{Lu}[\p{Latin}\p{M}]+")
CAPITAL = regex.compile(r"\p{Lu}")
NOT_A_WORD = "ꙮ"
"""Replaces what only looks like a word of a gold; a letter that nobody writes."""

_Gold = tuple[str, tuple[str, ...], tuple[str, ...], "regex.Pattern[str] | None"]
"""A normalised gold between spaces, its words, and what every text with forms of them contains; unspaced ones have no
words.  Last what only looks like it."""


def flexible_em(answer: str, golds: Sequence[str], *, language: Language) -> Score:
    """1.0 if `answer` contains a gold in any form of its words, else 0.0; unscored when no gold survives normalisation.

    >>> from workbench.languages import language
    >>> flexible_em("It was Marconi, in 1895.", ["Guglielmo Marconi", "Marconi"], language=language("en")).value
    1.0
    >>> flexible_em("a party", ["art"], language=language("en")).value
    0.0
    """
    if language.code == "th":
        golds, answer = [form for gold in golds for form in stated_years(gold)], with_both_years(answer)
    forms = [form for gold in golds for form in _forms(gold, language)]
    if not forms:
        return NO_GOLD
    if _asks(answer) and not any(map(_asks, golds)):
        statements = _statements(answer)
        if not statements:
            plain = f" {answer_form(answer, language)} "
            return Score(float(plain in {gold for gold, *_ in forms}))
        answer = statements
    text = f" {answer_form(answer, language)} "
    for form in forms:
        if _contains(text, form, language) and _is_more_than_alike(answer, form, language):
            return RIGHT
    return WRONG


def flexible_em_paper(answer: str, golds: Sequence[str]) -> Score:
    """The formula as published: 1.0 if the lower-cased `answer` contains a lower-cased gold, in a word or not.

    >>> flexible_em_paper("A  Party", ["art", "the party"]).value
    1.0
    """
    forms = [form for gold in golds if (form := " ".join(gold.lower().split()))]
    if not forms:
        return NO_GOLD
    text = " ".join(answer.lower().split())
    return Score(float(any(form in text for form in forms)))


@lru_cache(maxsize=CACHED_GOLDS)
def _forms(gold: str, language: Language) -> tuple[_Gold, ...]:
    """The gold as it is searched for; twice where it has spaces in a script without them; () if nothing is left."""
    form = answer_form(gold, language)
    if not form:
        return ()
    if form.isascii() or not UNSPACED.search(form):
        words = tuple(form.split())
        return ((f" {form} ", words, keys(words, language), None if gold.isascii() else _lookalike(gold, form)),)
    joined = BETWEEN_RUNS.sub("", form)
    return tuple((f" {text} ", (), (), None) for text in dict.fromkeys((form, joined)))


def _lookalike(gold: str, form: str) -> regex.Pattern[str] | None:
    """What a gold of one capitalised word is without capital and marks: another word, as `para` is for Pará."""
    names = [fold(name).replace(DOT, "") for name in NAME.findall(unicodedata.normalize("NFC", gold))]
    if form in names or form not in map(fold_letters, names):
        return None
    return regex.compile(rf"(?<![\p{{L}}\p{{M}}\p{{N}}]){regex.escape(form)}(?![\p{{L}}\p{{M}}\p{{N}}])")


def _is_more_than_alike(answer: str, form: _Gold, language: Language) -> bool:
    """Whether an answer that contains a gold still does without the words that only look like it.

    Where nothing in the answer is a capital it says nothing that a name has none.
    """
    lookalike = form[-1]
    if lookalike is None or not lookalike.search(answer) or not CAPITAL.search(answer):
        return True
    return _contains(f" {answer_form(lookalike.sub(NOT_A_WORD, answer), language)} ", form, language)


def _contains(text: str, form: _Gold, language: Language) -> bool:
    gold, words, parts, _ = form
    if not words:
        return gold in text or _contains_unspaced(text, gold.strip())
    # The last word is the least often an article or preposition that every answer has.
    for part in reversed(parts):
        if part not in text:
            break
    else:
        if gold in text or _has_words(text, words, parts, language):
            return True
    return (
        not text.isascii() and UNSPACED.search(text) is not None and _has_words(_spaced(text), words, parts, language)
    )


def _has_words(text: str, words: Sequence[str], parts: Sequence[str], language: Language) -> bool:
    """Whether forms of `words`, which contain `parts`, follow each other in a text between spaces."""
    size, first = len(words), parts[0]
    second = parts[1] if size > 1 and parts[1][0] == " " else " "
    at = text.find(first)
    while at >= 0:
        start = at if text[at] == " " else text.rfind(" ", 0, at)
        if text.startswith(second, text.find(" ", start + 1)):
            others = text[start + 1 :].split(" ", size)[:size]
            if len(others) == size and all(map(is_form, words, others, repeat(language))):
                return True
        at = text.find(first, at + 1)
    return False


def _spaced(text: str) -> str:
    """The words without those in scripts without spaces, between spaces; a number keeps what multiplies it (5万)."""
    return f" {' '.join(RUN.sub(' ', TIMES.sub('0', text)).split())} "


def _contains_unspaced(text: str, gold: str) -> bool:
    if contains_word(text, gold):
        return True
    joined = BETWEEN_RUNS.sub("", text) if len(gold) >= SQUEEZED else text
    return joined != text and contains_word(joined, gold)


def _asks(text: str) -> bool:
    return "?" in text or (not text.isascii() and ("？" in text or "؟" in text))


def _statements(answer: str) -> str:
    """The sentences that are no questions."""
    parts = [answer[start:end] for start, end in sentences(answer)]
    return " ".join(part for part in parts if not part.rstrip(" \"'”’)»」』").endswith(QUESTION_MARKS))


MEASURES = (
    Measure(
        "flexible_em",
        "Flexible exact match",
        "Ranaldi et al. (2025, D-RAG) and Ranaldi et al. (2025, CrossRAG), there: accuracy; by complete words",
        per_case(lambda case: flexible_em(case.prediction, case.answers, language=case.language)),
    ),
    Measure(
        "flexible_em_paper",
        "Flexible exact match (as published)",
        "Ranaldi et al. (2025, D-RAG) and Ranaldi et al. (2025, CrossRAG), there: accuracy",
        per_case(lambda case: flexible_em_paper(case.prediction, case.answers)),
    ),
)
"""The measures of this module."""
