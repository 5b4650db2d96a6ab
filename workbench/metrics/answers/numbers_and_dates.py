"""Numbers and dates in one wording: number words as digits, and each day of a month as one word.

Number words are listed by language in `word_lists.yaml`; names of months, their order and scripts are Unicode CLDR's,
as Babel has them. A day of a month is one word, so that "April 13th" is "13 April" and neither is 13 of anything.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from typing import Any

import regex
from babel import Locale, localedata

from workbench.core import package_yaml
from workbench.languages import Language, answer_form, language

VALUES = (*range(1, 21), *range(30, 100, 10), 100, 1000)
"""The values of the words that `word_lists.yaml` lists, in its order."""
JOINED = r" (?:(?:and|et|y|e) |و)?"
"""Between the words of one number."""
CLASSIFIERS: Mapping[str, tuple[str, ...]] = {"bn": ("", "টি", "টা", "টো", "জন")}
"""What is written onto the number of things and persons."""
LOCALES: Mapping[str, tuple[str, ...]] = {"ar": ("ar", "ar_SY", "ar_DZ", "ar_MA"), "ja": ("ja", "zh")}
"""Locales whose months a language has beside its own: Levantine and Maghrebi names, numbers in Han characters."""
NUMBERED = frozenset(("zh", "ja", "ko", "vi"))
"""Languages whose months are numbers, so that a month alone counts nothing either."""
DAY = re.compile(r"\d(?<!\d\d)\d?(?!\d)")
"""What may be a day; of the standard `re`, which finds it faster."""
MONTH_FIRST = frozenset(("en", "hi", "bn", "te", "pa", "kn"))
"""Languages that write the day after the month, too."""


@cache
def word_lists() -> Mapping[str, Any]:
    """The lists of words by which answers are read."""
    lists: Mapping[str, Any] = package_yaml("workbench.metrics.answers", "word_lists.yaml")
    return lists


@cache
def _numbers(code: str) -> tuple[Mapping[str, str], frozenset[str], regex.Pattern[str]]:
    """The words of a language with their digits, what they consist of, and the pattern of words that make a number."""
    values = {
        answer_form(f"{word}{classifier}", language(code)): str(value)
        for value, variants in zip(VALUES, word_lists()["numbers"].get(code, ()), strict=False)
        for word in variants.split("/")
        if word != "-"
        for classifier in CLASSIFIERS.get(code, ("",))
    }
    word = f"(?:{'|'.join(sorted(values, key=len, reverse=True))})"
    return values, frozenset(" ".join(values).split()), regex.compile(rf"(?<= ){word}(?:{JOINED}{word})*(?= )")


def with_digits(text: str, language: Language) -> str:
    """A normalised text between spaces whose number words are digits; those that make up a longer number are one word.

    >>> from workbench.languages import language
    >>> with_digits(" twelve of twenty two ", language("en"))
    ' 12 of twentytwo '
    """
    values, words, pattern = _numbers(language.code)
    if words.isdisjoint(text.split()):
        return text

    def digits(match: regex.Match[str]) -> str:
        number = values.get(match.group())
        # One is an article, too.
        return match.group() if number == "1" else number or match.group().replace(" ", "")

    return str(pattern.sub(digits, text))


@cache
def _dates(code: str) -> tuple[regex.Pattern[str], Mapping[str, int], frozenset[str]]:
    """The pattern of a language's days of months, the numbers of the months, and what every text with one contains."""
    # An abbreviation may be another word: set is September in Italian.
    widths = ("wide", "abbreviated") if code in MONTH_FIRST | NUMBERED else ("wide",)
    names = {
        unicodedata.normalize("NFC", name).rstrip("."): number
        for locale in LOCALES.get(code, (code,))
        if localedata.exists(locale)
        for width in widths
        for number, name in Locale.parse(locale).months["format"][width].items()
    }
    longest_first = "|".join(map(regex.escape, sorted(names, key=len, reverse=True)))
    month = rf"(?P<month>{regex.sub('(?<=[0-9])(?=[月월])', ' ?', longest_first)})"
    day, letter = r"(?P<day>\p{Nd}{1,2})", r"[\p{L}\p{M}\p{Nd}]"
    if code in NUMBERED - {"vi"}:
        forms = rf"(?<!\p{{Nd}}){month}(?: ?{day} ?[日号號일])?"
    else:
        forms = rf"(?<!\p{{Nd}}|\p{{Nd}}[.,]){day}(?:st|nd|rd|th|er|-?го|[.º°])? ?(?:of |de )?{month}(?!{letter})"
        if code in MONTH_FIRST:
            forms += rf"|(?<!{letter}){month},? {day}(?:st|nd|rd|th)?(?!\p{{Nd}}|[.,:%]\p{{Nd}})"
        elif code in NUMBERED:
            forms += rf"|{month}(?!\p{{Nd}})"
    numbers = {name.casefold().replace(" ", ""): number for name, number in names.items()}
    stems = frozenset(name.casefold().strip("0123456789 ").split()[0] for name in names)
    return regex.compile(forms, regex.IGNORECASE), numbers, stems


def with_dates(text: str, language: Language, *, days: bool = True) -> str:
    """A text whose days of months are one word each, or, without `days`, only the months that they are in.

    >>> from workbench.languages import language
    >>> with_dates("On April 13th", language("en")), with_dates("On April 13th", language("en"), days=False)
    ('On  date0413 ', 'On  April ')
    """
    if language.code not in NUMBERED and not DAY.search(text):
        return text
    pattern, months, stems = _dates(language.code)
    composed = unicodedata.normalize("NFC", text)
    folded = composed.casefold()
    if not any(stem in folded for stem in stems):
        return text

    def one_word(match: regex.Match[str]) -> str:
        month = months[match["month"].casefold().replace(" ", "")]
        if match["day"] and days:
            return f" date{month:02}{int(match['day']):02} "
        return f" month{month} " if language.code in NUMBERED else f" {match['month']} "

    return str(pattern.sub(one_word, composed))
