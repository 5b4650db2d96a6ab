"""Gold answers as metrics compare them, kept, and texts cut into units: by the one normaliser and the one segmenter."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import regex

from workbench.languages import answer_form, words
from workbench.languages.language import Language

UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\u30FC\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}"
"""The scripts that write no spaces between words, for use in a character class."""

CHARACTER = regex.compile(rf"[{UNSPACED}]\p{{M}}*|[^{UNSPACED}]+")


@lru_cache(maxsize=1 << 16)
def gold_form(gold: str, language: Language) -> str:
    """`answer_form` of a gold answer, kept: every recipe is scored against the same ones."""
    return answer_form(gold, language)


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
