"""Words of a sentence with their places, in scripts with spaces and without, for the word gloss.

Scripts without spaces are cut by a vocabulary learnt from the memory itself: a string of two to six characters is
taken for a word where at least two different characters stand before it and two after it (accessor variety: Feng,
Chen, Deng and Zheng 2004, "Accessor Variety Criteria for Chinese Word Extraction"), and a sentence is cut so that
the sum of length × log variety is largest.  Limit: a word that the memory uses in one setting only is cut into
characters; in Thai it may be cut inside a syllable, never before a combining mark.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from math import log

import regex

from workbench.languages import fold

SPACELESS = r"\p{Han}\p{Hiragana}\p{Katakana}\u30FC\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}"
PIECE = regex.compile(
    rf"\p{{Katakana}}[\p{{Katakana}}\u30FC]*|[{SPACELESS}][{SPACELESS}\p{{M}}--\p{{Katakana}}]*|(?:(?![{SPACELESS}])[\p{{L}}\p{{M}}\p{{N}}])+",
    regex.V1,
)
LEARNT = regex.compile(rf"(?!\p{{Katakana}})[{SPACELESS}]", regex.V1)
MARK = regex.compile(r"[\p{M}ะาำๅๆ]")
LONGEST = 6
LEAST_VARIETY = 2
EDGE = "\n"


@dataclass(frozen=True, slots=True)
class Token:
    """A folded word and where it stands: characters `start` to `end` (end excluded) of the text."""

    form: str
    start: int
    end: int


class GlossVocabulary:
    """Words of one language's scripts without spaces, learnt from sentences; empty for languages with spaces."""

    def __init__(self, sentences: Iterable[str]) -> None:
        before: defaultdict[str, set[str]] = defaultdict(set)
        after: defaultdict[str, set[str]] = defaultdict(set)
        for sentence in sentences:
            for piece in PIECE.findall(sentence):
                if not LEARNT.match(piece):
                    continue
                for start in range(len(piece)):
                    for end in range(start + 1, min(start + LONGEST, len(piece)) + 1):
                        word = piece[start:end]
                        before[word].add(piece[start - 1] if start else EDGE)
                        after[word].add(piece[end] if end < len(piece) else EDGE)
        varieties = ((word, min(len(before[word]), len(after[word]))) for word in before if len(word) > 1)
        self._worth = {word: len(word) * log(least + 1) for word, least in varieties if least >= LEAST_VARIETY}

    def tokens(self, text: str) -> list[Token]:
        """The words of `text` in order."""
        found: list[Token] = []
        for match in PIECE.finditer(text):
            piece = match.group()
            cuts = self._cut(piece) if LEARNT.match(piece) else [(0, len(piece))]
            found.extend(Token(fold(piece[a:b]), match.start() + a, match.start() + b) for a, b in cuts)
        return found

    def _cut(self, piece: str) -> list[tuple[int, int]]:
        """The best cut by dynamic programming over end positions; an unknown single character is worth nothing."""
        best: list[tuple[float, int]] = [(0.0, 0)]
        for end in range(1, len(piece) + 1):
            best.append(
                max(
                    (best[start][0] + self._worth.get(piece[start:end], 0.0), start)
                    for start in range(max(0, end - LONGEST), end)
                    if start == end - 1 or piece[start:end] in self._worth
                )
            )
        cuts: list[tuple[int, int]] = []
        end = len(piece)
        while end:
            start = best[end][1]
            cuts.append((start, end))
            end = start
        return _marks_joined(piece, cuts[::-1])


def _marks_joined(piece: str, cuts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in cuts:
        if joined and MARK.match(piece[start]):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined
