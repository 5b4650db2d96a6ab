"""Splits a text into chunks that a translator accepts, and joins their translations again, in order.

A chunk ends at the best place within what the translator accepts: the end of a sentence, else of a clause, else white
space, else between two characters as readers see them.  Nothing but the white space around the text is dropped:
`"".join(chunk.text + chunk.gap for chunk in split_text(text, fits)) == text.strip()`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import regex

from workbench.languages import LETTER, SPACELESS, language, sentences

SENTENCE_END = regex.compile(r"[.!?؟۔…。！？｡।॥។៕။።։]+[\"'”’»」』）)\]]*$")
SPACE = regex.compile(r"\s+")
CHARACTER = regex.compile(r"\X")
SPACELESS_CHARACTER = regex.compile(rf"[{SPACELESS}]")
INSIDE_WORD = 3
"""The rank of a boundary between two characters; 0 ends a sentence, 1 a clause, 2 is at white space."""


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A part of a text and the white space after it; `splits_word` where it had to end inside a word."""

    text: str
    gap: str
    splits_word: bool = False


@dataclass(frozen=True, slots=True)
class _Boundary:
    """A place where a text may be split: a chunk ends at `end`, the next begins at `start`. `rank` 0 is the best."""

    end: int
    start: int
    rank: int


def split_text(text: str, fits: Callable[[str], bool], *, packed: bool = True) -> list[TextChunk]:
    """`text` in chunks that all satisfy `fits`, in order; [] for a text of white space only.

    `fits` says whether the translator accepts a text; what is shorter than a text that fits must fit too.  `packed`
    puts as many sentences in a chunk as fit; otherwise every sentence is a chunk by itself.

    >>> [chunk.text for chunk in split_text("One. Two. Three.", lambda text: len(text) <= 10)]
    ['One. Two.', 'Three.']
    """
    body = text.strip()
    if not body:
        return []
    if packed and fits(body):
        return [TextChunk(body, "")]
    boundaries = _sentence_boundaries(body)
    chunks: list[TextChunk] = []
    start = 0
    while start < len(body):
        ahead = [boundary for boundary in boundaries if boundary.end > start]
        fitting = _fitting(body, start, ahead, fits)
        best = _best_boundary(fitting, packed) if fitting else _inside_sentence(body, start, ahead[0].end, fits)
        splits_word = best.rank == INSIDE_WORD and not SPACELESS_CHARACTER.match(body[best.end - 1])
        chunks.append(TextChunk(body[start : best.end], body[best.end : best.start], splits_word))
        start = best.start
    return chunks


def join_chunks(translations: Sequence[str], chunks: Sequence[TextChunk], target: str) -> str:
    """The translations of `chunks` as one text in the language `target`.

    Line breaks between chunks stay; elsewhere they are separated by a space, unless the target writes none between
    sentences or the chunk ends inside a word.  Raises ValueError where the numbers of translations and chunks differ.
    """
    spaceless = language(target).spaceless
    joined = ""
    for translation, chunk in zip(translations, chunks, strict=True):
        joined += translation.strip()
        if "\n" in chunk.gap:
            joined += chunk.gap
        elif not spaceless and not chunk.splits_word:
            joined += " "
    return joined.strip()


def has_words(text: str) -> bool:
    """Whether there is anything in `text` to translate: numbers and signs alone are the same everywhere."""
    return bool(LETTER.search(text))


def _sentence_boundaries(text: str) -> list[_Boundary]:
    """The ends of sentences (rank 0) and clauses (rank 1), in order; the last is the end of the text."""
    boundaries: list[_Boundary] = []
    for (start, end), (following, _) in pairwise(sentences(text)):
        is_sentence_end = "\n" in text[end:following] or SENTENCE_END.search(text, max(start, end - 12), end)
        boundaries.append(_Boundary(end, following, 0 if is_sentence_end else 1))
    return [*boundaries, _Boundary(len(text), len(text), 0)]


def _best_boundary(fitting: Sequence[_Boundary], packed: bool) -> _Boundary:
    """The last of the best rank; without packing, the first."""
    rank = min(boundary.rank for boundary in fitting)
    equals = [boundary for boundary in fitting if boundary.rank == rank]
    return equals[-1] if packed else equals[0]


def _inside_sentence(text: str, start: int, stop: int, fits: Callable[[str], bool]) -> _Boundary:
    """White space within a sentence that is too long, else a place between two characters."""
    spaces = SPACE.finditer(text, start, stop)
    at_space = [_Boundary(space.start(), space.end(), 2) for space in spaces if space.start() > start]
    fitting = _fitting(text, start, at_space, fits)
    if not fitting:
        characters = CHARACTER.finditer(text, start, stop)
        fitting = _fitting(text, start, [_Boundary(one.end(), one.end(), INSIDE_WORD) for one in characters], fits)
    # A character that alone does not fit cannot be made smaller: it is sent as it is and the translator reports it.
    return fitting[-1] if fitting else _Boundary(start + 1, start + 1, INSIDE_WORD)


def _fitting(
    text: str, start: int, boundaries: Sequence[_Boundary], fits: Callable[[str], bool]
) -> Sequence[_Boundary]:
    """The boundaries up to which the text from `start` fits, by binary search."""
    low, high = 0, len(boundaries)
    while low < high:
        middle = (low + high) // 2
        if fits(text[start : boundaries[middle].end]):
            low = middle + 1
        else:
            high = middle
    return boundaries[:low]
