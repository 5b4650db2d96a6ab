"""Where an answer holds a gold: the characters by which flexible exact match counts it as right, to be marked.

The same definition as the metric (`metrics.answers.flexible_em`), on the shortest pieces of the answer that satisfy it:
what is marked is what was counted, and an answer that the metric counts as wrong has no mark.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workbench.languages import UNIT, Language, is_known, language
from workbench.metrics import flexible_em

CHARACTERS = 6_000
"""Characters of an answer that are searched; marks in longer ones end there."""
GOLDS = 12
"""Golds that are searched for."""
MORE = 3
"""Units by which a match may be longer than its gold: a number with separators, a compound."""


def gold_spans(answer: str, golds: Sequence[str], code: str) -> tuple[tuple[int, int], ...]:
    """The (start, end) of each match of a gold in an answer to a question in the language `code`, end excluded.

    >>> gold_spans("It was Marconi.", ["Marconi"], "en")
    ((7, 14),)
    >>> gold_spans("a party", ["art"], "en")
    ()
    """
    if not is_known(code):
        return ()
    spoken, text = language(code), answer[:CHARACTERS]
    matches = {span for gold in golds[:GOLDS] for span in _matches(text, gold, spoken)}
    return tuple(sorted(matches))


def _matches(text: str, gold: str, spoken: Language) -> Iterator[tuple[int, int]]:
    if not _holds(text, gold, spoken):
        return
    units = [match.span() for match in UNIT.finditer(text)]
    size, after = len(UNIT.findall(gold)), 0
    for last, (_, end) in enumerate(units):
        # From the end backwards, so that nothing but the match is marked.
        for first in range(last, max(after, last - size - MORE + 1) - 1, -1):
            if _holds(text[units[first][0] : end], gold, spoken):
                yield units[first][0], end
                after = last + 1
                break


def _holds(text: str, gold: str, spoken: Language) -> bool:
    return flexible_em(text, [gold], language=spoken).value == 1.0
