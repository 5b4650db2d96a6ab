"""Hashed character n-grams: texts as sparse counts, without a vocabulary to keep.

An n-gram is hashed from its code points, its length and a salt, in 64-bit arithmetic that is the same on every
machine, so a count matrix computed today fits weights saved a year ago. Everything is vectorised over a batch of texts.

Two views of a text are offered. `native_form` keeps its script. `latin_form` is its transliteration (anyascii), and
`skeleton` drops its vowels and folds consonants that languages write for one another (c/k/q, p/b, v/f, s/z …),
so that a name looks much the same in Latin, Cyrillic and Arabic script.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from workbench.languages import words

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""2**64 over the golden ratio, the usual odd multiplier of multiplicative hashing."""
MIXER = np.uint64(0xBF58476D1CE4E5B9)
"""The first multiplier of the splitmix64 finaliser."""
SEPARATOR = "\0"

VOWELS = "aeiouyw'`"
CONSONANTS = {"c": "k", "q": "k", "p": "b", "v": "f", "z": "s"}
DIGRAPHS = (("tsch", "s"), ("sch", "s"), ("sh", "s"), ("ch", "k"), ("ph", "f"), ("th", "t"), ("kh", "k"), ("x", "ks"))
SKELETON = str.maketrans({**CONSONANTS, **dict.fromkeys(VOWELS, "")})


class _Latin(dict[int, str]):
    """A `str.translate` table that calls anyascii once for each character it meets."""

    def __missing__(self, code: int) -> str:
        from anyascii import anyascii

        self[code] = anyascii(chr(code))
        return self[code]


_LATIN = _Latin()


def native_form(text: str) -> str:
    """The words of `text` in their own script, separated and enclosed by single spaces; "" where there are none."""
    parts = words(text)
    return f" {' '.join(parts)} " if parts else ""


def latin_form(text: str) -> str:
    """`native_form` transliterated to lower-case ASCII.

    >>> latin_form("Москва, 1980!")
    ' moskva 1980 '
    """
    return native_form(text).translate(_LATIN).lower()


def skeleton(latin: str) -> str:
    """A `latin_form` with the vowels dropped and like consonants folded; words left empty disappear.

    >>> skeleton(" moskva "), skeleton(" moscow ")
    (' mskf ', ' msk ')
    """
    for digraph, consonant in DIGRAPHS:
        latin = latin.replace(digraph, consonant)
    parts = latin.translate(SKELETON).split()
    return f" {' '.join(parts)} " if parts else ""


def count_ngrams(
    texts: Sequence[str], lengths: Sequence[int], width: int, salts: Sequence[str], *, within_words: bool = False
) -> csr_matrix:
    """How often each hashed n-gram occurs in each text: float32, shape (len(texts), width).

    `lengths` are the n-gram lengths, `width` a power of two, `salts` one word per text: the same n-gram under two salts
    is two features. An n-gram may begin and end with a space, and with `within_words` has none in between.
    """
    from scipy.sparse import csr_matrix

    if not texts:
        return csr_matrix((0, width), dtype=np.float32)
    joined = SEPARATOR.join(texts) + SEPARATOR
    codes = np.frombuffer(joined.encode("utf-32-le", errors="surrogatepass"), dtype=np.uint32).astype(np.uint64)
    sizes = np.fromiter((len(text) + 1 for text in texts), dtype=np.int64, count=len(texts))
    row_of = np.repeat(np.arange(len(texts), dtype=np.int64), sizes)
    left = np.repeat(np.cumsum(sizes) - 1, sizes) - np.arange(len(codes))
    salt = np.fromiter((zlib.crc32(word.encode()) for word in salts), dtype=np.uint64, count=len(texts))
    shift = np.uint64(64 - (width.bit_length() - 1))
    spaces = np.cumsum(codes == ord(" "))
    keys: list[npt.NDArray[np.int64]] = []
    rolling = np.zeros(len(codes), dtype=np.uint64)
    for n in range(1, max(lengths) + 1):
        rolling = rolling[: len(codes) - n + 1] * MULTIPLIER + codes[n - 1 :]
        if n not in lengths:
            continue
        starts = np.flatnonzero(left[: len(rolling)] >= n)
        if within_words and n > 2:
            starts = starts[spaces[starts + n - 2] == spaces[starts]]
        rows = row_of[starts]
        mixed = (rolling[starts] ^ (salt[rows] << np.uint64(20)) ^ np.uint64(n)) * MULTIPLIER
        mixed = (mixed ^ (mixed >> np.uint64(30))) * MIXER
        keys.append(rows * width + (mixed >> shift).astype(np.int64))
    features, counts = np.unique(np.concatenate(keys), return_counts=True)
    starts_of_rows = np.searchsorted(features, np.arange(len(texts) + 1, dtype=np.int64) * width)
    parts: Any = (counts.astype(np.float32), (features % width).astype(np.int32), starts_of_rows)
    return csr_matrix(parts, shape=(len(texts), width))
