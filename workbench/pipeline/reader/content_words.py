"""A question without the words that say nothing of its subject, and how much of the rest a text repeats.

The share is of all the content, and every part of it counts alike: what no text has counts in full, so that the share
is low where nothing bears on the question, and the subject of all passages counts too, which rarity among them would
weigh down. `overlap` compares texts with each other, and there it is the other way round.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files

import regex
import yaml

from workbench.languages import fold, language
from workbench.pipeline.reader.overlap import grams
from workbench.pipeline.reader.question_types import without_cues

WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
HIRAGANA = regex.compile(r"\p{Hiragana}+")
"""Particles and endings, where a Japanese question has other letters too."""


@cache
def function_words(text_language: str) -> tuple[str, ...]:
    """The function words of a language, folded; () for a language without a list."""
    lists = yaml.safe_load(
        files("workbench.pipeline.reader").joinpath("function_words.yaml").read_text(encoding="utf-8")
    )
    words = lists.get(text_language, ())
    return tuple(fold(str(word)) for word in (words.split() if isinstance(words, str) else words))


@lru_cache(maxsize=1 << 12)
def content_of(question: str, question_language: str) -> str:
    """The question, folded, without question words and other function words; "" where nothing is left.

    >>> content_of("Who invented the box kite?", "en"), content_of("谁发明了电话？", "zh")
    ('invented box kite', '发明 电话')
    """
    text = without_cues(question, question_language)
    words = function_words(question_language)
    if not words:
        return " ".join(WORD.findall(text))
    if language(question_language).spaceless:
        text = _anywhere(question_language).sub(" ", text)
        return " ".join(WORD.findall(HIRAGANA.sub(" ", text)) or WORD.findall(text))
    return " ".join(word for word in WORD.findall(text) if word not in set(words))


@cache
def _anywhere(text_language: str) -> regex.Pattern[str]:
    longest_first = sorted(function_words(text_language), key=lambda word: -len(word))
    return regex.compile("|".join(regex.escape(word) for word in longest_first))


def content_share(content: str, text: frozenset[str]) -> float:
    """The share in [0, 1] of the content's grams that are among those of `text`; 0 where there is no content.

    >>> round(content_share("box kite", grams("A kite flies.")), 2)
    0.6
    """
    of_content = grams(content)
    return len(of_content & text) / len(of_content) if of_content else 0.0
