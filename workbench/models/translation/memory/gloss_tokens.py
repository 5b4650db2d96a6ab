"""Words of a sentence with their positions, in scripts with spaces and without, for the word gloss.

Scripts without spaces are segmented by a vocabulary learnt from the memory itself: a string of two to six characters is
a word if at least two different characters occur before it and two after it (accessor variety: Feng, Chen, Deng and
Zheng (2004), "Accessor Variety Criteria for Chinese Word Extraction"), and a sentence is segmented so that the sum of
length × log variety is largest.  Limit: a word that the memory uses in one context only is split into characters; in
Thai it may be split inside a syllable, never before a combining mark.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from math import log

import regex

from workbench.languages import KATAKANA, SPACELESS, fold

RUN = regex.compile(
    rf"\p{{Katakana}}[{KATAKANA}]*|[{SPACELESS}][{SPACELESS}\p{{M}}--\p{{Katakana}}]*|(?:(?![{SPACELESS}])[\p{{L}}\p{{M}}\p{{N}}])+",
    regex.V1,
)
UNSPACED_RUN = regex.compile(rf"(?!\p{{Katakana}})[{SPACELESS}]", regex.V1)
MARK = regex.compile(r"[\p{M}ะาำๅๆ]")
LONGEST_WORD = 6
LEAST_VARIETY = 2
RUN_EDGE = "\n"


@dataclass(frozen=True, slots=True)
class Token:
    """A folded word and its position: characters `start` to `end` (end excluded) of the text."""

    form: str
    start: int
    end: int


class GlossVocabulary:
    """Words of one language's scripts without spaces, learnt from sentences; empty for languages with spaces."""

    def __init__(self, sentences: Iterable[str]) -> None:
        before: defaultdict[str, set[str]] = defaultdict(set)
        after: defaultdict[str, set[str]] = defaultdict(set)
        for sentence in sentences:
            for run in RUN.findall(sentence):
                if not UNSPACED_RUN.match(run):
                    continue
                for start in range(len(run)):
                    for end in range(start + 1, min(start + LONGEST_WORD, len(run)) + 1):
                        word = run[start:end]
                        before[word].add(run[start - 1] if start else RUN_EDGE)
                        after[word].add(run[end] if end < len(run) else RUN_EDGE)
        varieties = ((word, min(len(before[word]), len(after[word]))) for word in before if len(word) > 1)
        self._weights = {word: len(word) * log(least + 1) for word, least in varieties if least >= LEAST_VARIETY}

    def tokens(self, text: str) -> list[Token]:
        """The words of `text` in order."""
        tokens: list[Token] = []
        for match in RUN.finditer(text):
            run = match.group()
            spans = self._segment(run) if UNSPACED_RUN.match(run) else [(0, len(run))]
            tokens.extend(Token(fold(run[a:b]), match.start() + a, match.start() + b) for a, b in spans)
        return tokens

    def _segment(self, run: str) -> list[tuple[int, int]]:
        """The best segmentation, by dynamic programming over ends; an unknown single character weighs nothing."""
        best: list[tuple[float, int]] = [(0.0, 0)]
        for end in range(1, len(run) + 1):
            best.append(
                max(
                    (best[start][0] + self._weights.get(run[start:end], 0.0), start)
                    for start in range(max(0, end - LONGEST_WORD), end)
                    if start == end - 1 or run[start:end] in self._weights
                )
            )
        spans: list[tuple[int, int]] = []
        end = len(run)
        while end:
            start = best[end][1]
            spans.append((start, end))
            end = start
        return _join_marks(run, spans[::-1])


def _join_marks(run: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans, those that begin with a combining mark joined to the one before."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and MARK.match(run[start]):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined
