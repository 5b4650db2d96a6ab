"""How much of a question's wording a piece of text repeats, in any script.

Texts are compared by character 4-grams inside padded words, so endings and prefixes cost little; Chinese and Japanese
by characters and pairs of them.  A gram weighs by its rarity among the pieces compared (idf as in BM25).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import log

import regex
from anyascii import anyascii

from workbench.languages import fold

PIECE = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\u30FC]+|(?:(?![\p{Han}\p{Hiragana}\p{Katakana}\u30FC])[\p{L}\p{M}\p{N}])+"
)
DENSE = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\u30FC]")
SIZE = 4


@lru_cache(maxsize=1 << 14)
def grams(text: str) -> frozenset[str]:
    """The grams of a text, folded.

    >>> sorted(grams("Kino"))
    [' kin', 'ino ', 'kino']
    """
    found: set[str] = set()
    for piece in PIECE.findall(fold(text)):
        if DENSE.match(piece):
            found.update(piece)
            found.update(piece[at : at + 2] for at in range(len(piece) - 1))
        else:
            padded = f" {piece} "
            found.update(padded[at : at + SIZE] for at in range(max(1, len(padded) - SIZE + 1)))
    return frozenset(found)


@lru_cache(maxsize=1 << 14)
def romanised(text: str) -> str:
    """The text in ASCII letters, so that names and numbers meet across scripts."""
    plain: str = anyascii(text)
    return plain


def rarity(wanted: frozenset[str], pieces: Sequence[frozenset[str]]) -> Mapping[str, float]:
    """The weight (> 0) of each wanted gram that some piece holds, scaled so that all weights add up to 1."""
    counts = Counter(gram for piece in pieces for gram in piece & wanted)
    raw = {gram: log(1 + (len(pieces) - n + 0.5) / (n + 0.5)) for gram, n in sorted(counts.items())}
    total = sum(raw.values())
    return {gram: weight / total for gram, weight in raw.items()}


def share(weights: Mapping[str, float], held: frozenset[str]) -> float:
    """How much of the wanted weight is held, in [0, 1]."""
    return sum(weight for gram, weight in weights.items() if gram in held)


def union(pieces: Iterable[frozenset[str]]) -> frozenset[str]:
    """All grams of several pieces."""
    return frozenset().union(*pieces)
