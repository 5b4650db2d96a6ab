"""Which documents are one passage in several languages, so that agreement is not counted over translations.

A corpus that is aligned says so itself (`Passage.group`). Elsewhere two documents are one passage where they say the
same in English as far as the translator knows them, contain the same two or more numbers of several digits, or make a
claim in sentences that translate each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from workbench.core import Evidence
from workbench.languages import language
from workbench.pipeline.reader.claims import Claim, translate_each_other
from workbench.pipeline.reader.dates_and_numbers import digits

SAME_TEXT_RATIO = 90
"""From this rapidfuzz ratio in [0, 100] two English sentences are one."""
LEAST_NUMBERS = 2
"""Numbers in common, and none else, that show a translation …"""
LEAST_DIGITS = 2
"""… if each has this many digits."""


def distinct_passages(claims: Sequence[Claim]) -> list[list[int]]:
    """The ranks of the claims' documents, those of one passage together, by rank."""
    groups = {claim.evidence.rank: {claim.evidence.rank} for claim in claims}
    for one, other in combinations(claims, 2):
        if groups[one.evidence.rank] is not groups[other.evidence.rank] and _same_passage(one, other):
            union = groups[one.evidence.rank] | groups[other.evidence.rank]
            groups |= dict.fromkeys(union, union)
    return sorted({min(group): sorted(group) for group in groups.values()}.values())


def passages_in_words(claims: Sequence[Claim]) -> str:
    """How many passages the claims' documents are, and in which languages.

    Only the languages, where each document is a passage of its own.
    """
    ranks = {claim.evidence.rank for claim in claims}
    names = in_words(dict.fromkeys(language(claim.evidence.passage.language).name for claim in claims))
    count = len(distinct_passages(claims))
    if count == len(ranks):
        return names
    return f"one passage, in {names}" if count == 1 else f"{count} passages, in {names}"


def _same_passage(one: Claim, other: Claim) -> bool:
    from rapidfuzz.fuzz import ratio

    left, right = one.evidence.passage, other.evidence.passage
    if left.group and left.group == right.group:
        return True
    if left.language == right.language:
        return left.text == right.text
    if translate_each_other(one, other):
        return True
    if one.language == other.language:
        return ratio(one.text, other.text) >= SAME_TEXT_RATIO
    return _same_numbers(one.evidence, other.evidence)


def _same_numbers(one: Evidence, other: Evidence) -> bool:
    left, right = (
        {number for number in digits(item.passage.text) if len(number) >= LEAST_DIGITS} for item in (one, other)
    )
    return left == right and len(left) >= LEAST_NUMBERS


def in_words(items: Iterable[str]) -> str:
    """Items as they are listed in a sentence; at least one.

    >>> in_words(["Finnish", "French", "Thai"])
    'Finnish, French and Thai'
    """
    *most, last = items
    return f"{', '.join(most)} and {last}" if most else last
