"""Dates and quantities in a sentence, each as one whole: “17th century”, “7 March 1876”, “the 1860s”, “21,196”."""

from __future__ import annotations

import regex

MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
CENTURY = (
    r"\p{Nd}{1,2}(?:st|nd|rd|th)[ -]centur(?:y|ies)(?: BCE?\b| CE\b| AD\b)?|\p{Nd}{1,2}\. Jahrhunderts?"
    r"|[IVX]+e siècle|siglo [IVX]+|século [IVX]+|secolo [IVX]+|[IVX]+ secolo|[IVXХ]+ век\p{L}*|[IVX]+ w\."
    r"|\p{Nd}{1,2}\s?(?:世紀|世纪|세기)|ศตวรรษที่ \p{Nd}{1,2}|القرن \p{L}+(?: عشر)?|\p{Nd}{3,4}-luvu\p{L}*"
)
DAY = (
    rf"\p{{Nd}}{{1,2}} {MONTH}(?: \p{{Nd}}{{3,4}})?|{MONTH} \p{{Nd}}{{1,2}}(?:, \p{{Nd}}{{4}})?(?!\p{{Nd}})"
    rf"|{MONTH} \p{{Nd}}{{4}}|\p{{Nd}}{{1,2}}\.? (?:de )?\p{{Ll}}{{3,12}} (?:de )?\p{{Nd}}{{4}}"
    r"|\p{Nd}{4}[年년](?: ?\p{Nd}{1,2}[月월](?: ?\p{Nd}{1,2}[日일])?)?|\p{Nd}{1,2}[月월] ?\p{Nd}{1,2}[日일]"
)
YEAR = r"(?<![\p{Nd}.,])\p{Nd}{3,4}(?:s\b)?(?![\p{Nd}%]|[.,]\p{Nd})(?: BCE?\b| CE\b| AD\b)?"
DATE = regex.compile(rf"{CENTURY}|{DAY}|{YEAR}")
CALENDAR = regex.compile(
    rf"{CENTURY}|{DAY}|\b\p{{Nd}}{{4}}s\b|(?:\b(?i:in|since|from|until|before|after|by|of|to)|{MONTH}) "
    r"(?:1\p{Nd}{3}|20\p{Nd}{2})(?![\p{Nd}]|[.,]\p{Nd})"
)
NUMBER = regex.compile(r"\p{Nd}+(?:[.,]\p{Nd}+)*")
NUMBER_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
SMALL_NUMBER = regex.compile(r"\b(" + "|".join(NUMBER_WORDS[2:]) + r")\b")


def dates(text: str) -> tuple[str, ...]:
    """Centuries, days, months and years of `text`, in order.

    >>> dates("It opened in the 17th century, and again on 7 March 1876.")
    ('17th century', '7 March 1876')
    """
    return tuple(match.group() for match in DATE.finditer(text))


def quantities(text: str) -> tuple[str, ...]:
    """Numbers of `text` that are no part of a date, with the small ones that are written in English words.

    >>> quantities("In 1928 there were seven towns and 1,200 bakers.")
    ('1,200', '7')
    """
    rest = CALENDAR.sub(" ", text)
    small = (str(NUMBER_WORDS.index(word)) for word in SMALL_NUMBER.findall(rest.lower()))
    return (*NUMBER.findall(rest), *small)


def digits(text: str) -> frozenset[str]:
    """The numbers of `text` as digits.

    >>> sorted(digits("7 March 1876"))
    ['1876', '7']
    """
    return frozenset(NUMBER.findall(text))
