"""Cutting a text into pieces that a translator takes, and joining their translations again, in order.

A piece ends at the best place there is within what the translator takes: the end of a sentence, else of a clause,
else white space, else between two characters as readers see them.  Nothing but the white space around the text is
dropped: `"".join(piece.text + piece.gap for piece in cut(text, fits)) == text.strip()`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import regex

from workbench.languages import language, sentences

SENTENCE_END = regex.compile(r"[.!?؟۔…。！？｡।॥។៕။።։]+[\"'”’»」』）)\]]*$")
SPACE = regex.compile(r"\s+")
CHARACTER = regex.compile(r"\X")
LETTER = regex.compile(r"\p{L}")
SPACELESS = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]")
INSIDE = 3
"""The rank of a cut between two characters; 0 ends a sentence, 1 a clause, 2 is at white space."""


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A part of a text and the white space after it. `broken`: it ends inside a word, for want of a better place."""

    text: str
    gap: str
    broken: bool = False


@dataclass(frozen=True, slots=True)
class _Border:
    """A place where a text may be cut: the piece ends at `end`, the next begins at `start`. `rank` 0 is the best."""

    end: int
    start: int
    rank: int


def cut(text: str, fits: Callable[[str], bool], *, packed: bool = True) -> list[TextChunk]:
    """`text` in pieces that all satisfy `fits`, in order; [] for a text of white space only.

    `fits` says whether the translator takes a text; what is shorter than a text that fits must fit too.  `packed`
    puts as many sentences in a piece as fit; otherwise every sentence is a piece of its own.

    >>> [piece.text for piece in cut("One. Two. Three.", lambda piece: len(piece) <= 10)]
    ['One. Two.', 'Three.']
    """
    body = text.strip()
    if not body:
        return []
    if packed and fits(body):
        return [TextChunk(body, "")]
    borders = _sentence_borders(body)
    pieces: list[TextChunk] = []
    start = 0
    while start < len(body):
        ahead = [border for border in borders if border.end > start]
        within = _last_fitting(body, start, ahead, fits)
        chosen = _best(within, packed) if within else _anywhere(body, start, ahead[0].end, fits)
        broken = chosen.rank == INSIDE and not SPACELESS.match(body[chosen.end - 1])
        pieces.append(TextChunk(body[start : chosen.end], body[chosen.end : chosen.start], broken))
        start = chosen.start
    return pieces


def join(translations: Sequence[str], pieces: Sequence[TextChunk], target: str) -> str:
    """The translations of `pieces` as one text in the language `target`.

    Line breaks between pieces stay; elsewhere a space parts them, unless the target writes none between sentences or
    the cut went through a word.  Raises ValueError where the numbers of translations and pieces differ.
    """
    spaceless = language(target).spaceless
    joined = ""
    for made, piece in zip(translations, pieces, strict=True):
        joined += made.strip()
        if "\n" in piece.gap:
            joined += piece.gap
        elif not spaceless and not piece.broken:
            joined += " "
    return joined.strip()


def has_words(text: str) -> bool:
    """Whether there is anything in `text` to translate: numbers and signs alone are the same everywhere."""
    return bool(LETTER.search(text))


def _sentence_borders(text: str) -> list[_Border]:
    """The ends of sentences (rank 0) and clauses (rank 1), in order; the last is the end of the text."""
    spans = sentences(text)
    borders: list[_Border] = []
    for (start, end), (following, _) in pairwise(spans):
        whole = "\n" in text[end:following] or SENTENCE_END.search(text, max(start, end - 12), end)
        borders.append(_Border(end, following, 0 if whole else 1))
    return [*borders, _Border(len(text), len(text), 0)]


def _best(within: Sequence[_Border], packed: bool) -> _Border:
    """The last of the best rank; without packing, the first."""
    rank = min(border.rank for border in within)
    alike = [border for border in within if border.rank == rank]
    return alike[-1] if packed else alike[0]


def _anywhere(text: str, start: int, stop: int, fits: Callable[[str], bool]) -> _Border:
    """White space within a sentence that is too long, else a place between two characters."""
    gaps = SPACE.finditer(text, start, stop)
    within = _last_fitting(
        text, start, [_Border(gap.start(), gap.end(), 2) for gap in gaps if gap.start() > start], fits
    )
    if not within:
        characters = CHARACTER.finditer(text, start, stop)
        within = _last_fitting(text, start, [_Border(one.end(), one.end(), INSIDE) for one in characters], fits)
    # A character that alone does not fit cannot be made smaller: it goes as it is and the translator will say so.
    return within[-1] if within else _Border(start + 1, start + 1, INSIDE)


def _last_fitting(text: str, start: int, borders: Sequence[_Border], fits: Callable[[str], bool]) -> Sequence[_Border]:
    """The borders up to which the text from `start` fits, found by halving."""
    low, high = 0, len(borders)
    while low < high:
        middle = (low + high) // 2
        if fits(text[start : borders[middle].end]):
            low = middle + 1
        else:
            high = middle
    return borders[:low]
