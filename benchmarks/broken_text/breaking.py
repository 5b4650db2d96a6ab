"""Breaks the words of a text as PDF readers do: blanks between letters or before marks, control characters inside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random

import regex

from workbench.core.records import Passage

BETWEEN_LETTERS = regex.compile(r"(?<=[\p{L}\p{M}])(?=\p{L})")
BETWEEN_SIGNS = regex.compile(r"(?<=[\p{L}\p{M}])(?=[\p{L}\p{M}])")
BEFORE_MARKS = regex.compile(r"(?<=[\p{L}\p{M}])(?=\p{M})")


def _some(places: regex.Pattern[str], fault: str, share: float) -> Callable[[str, Random], str]:
    """Puts `fault` into this share of the places, drawn at random."""
    return lambda text, draw: places.sub(lambda _: fault if draw.random() < share else "", text)


WAYS: Mapping[str, Callable[[str, Random], str]] = {
    "letters": _some(BETWEEN_LETTERS, " ", 1),
    "signs": _some(BETWEEN_SIGNS, " ", 1),
    "marks": _some(BEFORE_MARKS, " ", 1),
    "half": _some(BETWEEN_LETTERS, " ", 0.5),
    "third": _some(BETWEEN_LETTERS, " ", 0.3),
    "controls": _some(BETWEEN_SIGNS, "\0", 0.1),
}
"""Blanks between all letters; also before all marks; before marks alone; at half and at three in ten of the places
between letters; NULs at a tenth of the places."""


def broken(passage: Passage, way: str, seed: int) -> Passage:
    """The passage with the words of its title and text broken in one of WAYS; the same for the same seed."""
    draw = Random(f"{seed} {way} {passage.id}")
    return replace(passage, title=WAYS[way](passage.title, draw), text=WAYS[way](passage.text, draw))


def break_some(passages: Sequence[Passage], ids: Sequence[str], way: str, share: float, seed: int) -> list[Passage]:
    """The passages in their order, of which this share of those with `ids`, drawn at random, is broken."""
    drawn = set(Random(seed).sample(sorted(ids), round(share * len(ids))))
    return [broken(passage, way, seed) if passage.id in drawn else passage for passage in passages]
