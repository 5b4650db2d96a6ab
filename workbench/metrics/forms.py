"""Answers as metrics compare them, and cut into units: the one normaliser and segmenter, by shorter ways where exact.

Source of the rules: `workbench.languages`. Everything here gives the same as they do; the tests compare them.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from functools import lru_cache

import regex

from workbench.languages import answer_form, words
from workbench.languages.language import Language

UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\u30FC\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}"
"""The scripts that write no spaces between words, for use in a character class."""

CHARACTER = regex.compile(rf"[{UNSPACED}]\p{{M}}*|[^{UNSPACED}]+")

# All ASCII but letters and digits is punctuation, a symbol or a control character.
SPACED_OUT = str.maketrans({code: " " for code in range(128) if chr(code) not in string.ascii_letters + string.digits})


def form(text: str, language: Language) -> str:
    """`languages.answer_form`, three times as fast where the text is ASCII."""
    if not text.isascii():
        return answer_form(text, language)
    articles = language.articles
    found = text.lower().translate(SPACED_OUT).split()
    return " ".join([word for word in found if word not in articles] if articles else found)


@lru_cache(maxsize=1 << 16)
def gold_form(gold: str, language: Language) -> str:
    """`form` of a gold answer, kept: every recipe is scored against the same ones."""
    return form(gold, language)


def usable(golds: Sequence[str], language: Language) -> list[str]:
    """The gold answers, as given, of which something is left after normalisation."""
    return [gold for gold in golds if gold_form(gold, language)]


def units(text: str) -> list[str]:
    """The folded words of `text`; scripts without spaces give their characters, each with its marks.

    >>> units("Tokyo は東京。")
    ['tokyo', 'は', '東', '京']
    """
    found = words(text)
    if text.isascii():
        return found
    return [unit for word in found for unit in CHARACTER.findall(word)]
