"""The logical order of a line of glyphs that stand as they are drawn, from left to right.

A PDF file draws Hebrew and Arabic glyph by glyph at their places. The Unicode Bidirectional Algorithm (UAX #9, by
python-bidi) turns logical into visual order; applied to a visual line it gives the logical one, except where numbers or
brackets leave a choice, which is settled by which direction of the line gives back what is drawn.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import regex
from bidi.algorithm import (
    PARAGRAPH_LEVELS,
    apply_mirroring,
    explicit_embed_and_overrides,
    get_embedding_levels,
    get_empty_storage,
    reorder_resolved_levels,
    resolve_implicit_levels,
    resolve_neutral_types,
    resolve_weak_types,
)

RIGHT_TO_LEFT = regex.compile(r"[\p{Hebrew}\p{Arabic}\p{Syriac}\p{Thaana}\p{Nko}]")
"""Letters and signs of scripts that run from right to left; their digits run from left to right."""
LETTER = regex.compile(r"\p{L}")
REMOVED_BY_RULE = frozenset(("BN", "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI", "B", "S"))
"""Bidirectional classes that the algorithm drops, or that would end the line; no glyph has them."""
NEUTRAL = "\ufffc"
OPENING, CLOSING = r"\(\[\{«‹", r"\)\]\}»›"
MISPLACED = regex.compile(rf"[{OPENING}](?=\s|$)|(?<=\p{{L}})[{OPENING}]|(?<=\s|^)[{CLOSING}]|[{CLOSING}](?=\p{{L}})")


def is_right_to_left(text: str) -> bool:
    """Whether more letters of `text` belong to scripts from right to left than to others."""
    letters = LETTER.findall(text)
    return 2 * sum(RIGHT_TO_LEFT.match(letter) is not None for letter in letters) > len(letters)


def logical_order(units: Sequence[str], *, right_to_left: bool) -> list[tuple[int, str]]:
    """The units of a line, given from left to right, in the order in which they are read: (place, text).

    A unit is a letter with its signs. `right_to_left` is the direction of the paragraph. Some programs store a bracket
    within text from right to left as it is meant, others as it is drawn: those that open before a word count as meant.

    >>> [text for _, text in logical_order(list("12 גב א"), right_to_left=True)]
    ['א', ' ', 'ב', 'ג', ' ', '1', '2']
    """
    drawn = "".join(_representative(unit) for unit in units)
    order = _reordered(drawn, right_to_left)
    if _display(order, right_to_left) != drawn:
        other = _reordered(drawn, not right_to_left)
        if _display(other, not right_to_left) == drawn:
            order = other
    as_meant = "".join(drawn[place] for place, _ in order)
    as_drawn = "".join(sign for _, sign in order)
    mirrors = as_drawn != as_meant and _misplaced(as_drawn) < _misplaced(as_meant)
    return [(place, sign if mirrors and sign != drawn[place] else units[place]) for place, sign in order]


def _misplaced(text: str) -> int:
    """How many brackets stand apart from the words that they enclose."""
    return len(MISPLACED.findall(text))


def _representative(unit: str) -> str:
    """The one character that decides where a unit goes."""
    first = next((sign for sign in unit if not unicodedata.combining(sign)), NEUTRAL)
    return NEUTRAL if unicodedata.bidirectional(first) in REMOVED_BY_RULE else first


def _reordered(text: str, right_to_left: bool) -> list[tuple[int, str]]:
    """The characters in the algorithm's order: their places in `text`, and what they are after mirroring."""
    base = "R" if right_to_left else "L"
    storage = get_empty_storage()
    storage["base_level"], storage["base_dir"] = PARAGRAPH_LEVELS[base], base
    get_embedding_levels(text, storage)
    for place, sign in enumerate(storage["chars"]):
        sign["place"] = place
    explicit_embed_and_overrides(storage)
    resolve_weak_types(storage)
    resolve_neutral_types(storage, False)
    resolve_implicit_levels(storage, False)
    reorder_resolved_levels(storage, False)
    apply_mirroring(storage, False)
    return [(sign["place"], sign["ch"]) for sign in storage["chars"]]


def _display(order: Sequence[tuple[int, str]], right_to_left: bool) -> str:
    return "".join(sign for _, sign in _reordered("".join(sign for _, sign in order), right_to_left))
