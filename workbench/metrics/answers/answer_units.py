"""What the metrics share: normalised gold answers, cached, and texts divided into units by the one segmenter."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import regex

from workbench.languages import SPACELESS, Language, answer_form, words

BETWEEN_RUNS = regex.compile(rf"(?<=[{SPACELESS}]\p{{M}}*) (?=[{SPACELESS}])")
"""A space inside a run of a script without spaces."""
CACHED_GOLDS = 1 << 16
"""Gold answers whose normalised forms are cached."""
CHARACTER = regex.compile(rf"[{SPACELESS}]\p{{M}}*|[^{SPACELESS}]+")


@lru_cache(maxsize=CACHED_GOLDS)
def gold_form(gold: str, language: Language) -> str:
    """`answer_form` of a gold answer, cached: every recipe is scored against the same ones."""
    return answer_form(gold, language)


def usable_golds(golds: Sequence[str], language: Language) -> list[str]:
    """The gold answers, unchanged, of which something is left after normalisation."""
    return [gold for gold in golds if gold_form(gold, language)]


def units(text: str) -> list[str]:
    """The folded words of `text`; in scripts without spaces its characters, each with its marks.

    >>> units("Tokyo は東京。")
    ['tokyo', 'は', '東', '京']
    """
    parts = words(text)
    if text.isascii():
        return parts
    return [unit for word in parts for unit in CHARACTER.findall(word)]
