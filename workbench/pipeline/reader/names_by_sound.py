"""Which names two texts in different scripts share, by their sound.

An encoder knows how great names are written in every script, not those of a small town or of a colleague. Their sounds
stay: in Latin letters, with like sounds as one and of neighbouring vowels the last, “Tampere”, “坦佩雷” and “탐페레”
are all “tanpere”.
"""

from __future__ import annotations

from functools import lru_cache

import regex
from anyascii import anyascii
from rapidfuzz.fuzz import partial_ratio

NAME = regex.compile(r"\p{Lu}[\p{L}\p{M}]{3,}")
LEADING_VOWEL = regex.compile(r"([เแโใไເແໂໃໄ])(\p{L})")
"""A vowel of Thai or Lao that is written before its consonant and said after it."""
PAIRS = {"ch": "s", "sh": "s", "ts": "s", "ph": "p", "th": "t", "kh": "k"}
LIKE = {
    letter: alike[0] for alike in ("rl", "nm", "pbfv", "td", "kgcqxh", "szj", "a", "eiy", "ouw") for letter in alike
}
PAIR = regex.compile("|".join(PAIRS))
VOWELS = regex.compile(r"[aeo]*([aeo])")
TWICE = regex.compile(r"(.)\1+")
LEAST_SOUNDS = 6
"""Shorter names are in every longer text."""
LEAST_MATCH = 90.0
"""The likeness, of 100, from which a name is heard."""


def shared_names(text: str, other: str) -> frozenset[str]:
    """The sounds of the names that one of them writes with a capital and that are heard in the other.

    >>> shared_names("坦佩雷音乐厅", "The Tampere hall"), shared_names("里昂音乐厅", "The Tampere hall")
    (frozenset({'tanpere'}), frozenset())
    """
    pairs = ((text, other), (other, text))
    return frozenset(name for names, heard in pairs for name in names_of(names) if is_heard(name, heard))


def is_heard(name: str, text: str) -> bool:
    """Whether a name, by its sound, is heard in a text."""
    return partial_ratio(name, sound(text), score_cutoff=LEAST_MATCH) > 0


@lru_cache(maxsize=1 << 10)
def names_of(text: str) -> frozenset[str]:
    """The sounds of the capitalised words."""
    return frozenset(heard for word in NAME.findall(text) if len(heard := sound(word)) >= LEAST_SOUNDS)


@lru_cache(maxsize=1 << 14)
def sound(text: str) -> str:
    """A text by its sounds, without spaces.

    >>> sound("Tampere"), sound("タンペレ"), sound("ตัมเปเร")
    ('tanpere', 'tanpere', 'tanpere')
    """
    latin = PAIR.sub(lambda match: PAIRS[match.group()], anyascii(LEADING_VOWEL.sub(r"\2\1", text)).lower())
    letters = "".join(LIKE.get(letter, "") for letter in latin)
    return str(TWICE.sub(r"\1", VOWELS.sub(r"\1", letters)))
