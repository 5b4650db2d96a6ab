"""Places on a page: boxes, glyphs and lines, in points from the page's lower left corner."""

from __future__ import annotations

from typing import NamedTuple

SAME_LINE = 0.4
"""The part of the lower of two heights that must overlap on one line."""

Box = tuple[float, float, float, float]
"""Left, bottom, right and top, in points from the page's lower left corner."""


class Glyph(NamedTuple):
    """What a glyph stands for, and its box. `turn` is by how many quarters, counted anticlockwise, it is rotated."""

    text: str
    box: Box
    turn: int = 0


class PageLine(NamedTuple):
    """A line in the order in which it is read: its text, a box for each character, and the line's box and height."""

    text: str
    boxes: tuple[Box, ...]
    box: Box
    height: float


def turned(box: Box, quarters: int) -> Box:
    """The box after a rotation of the page about its corner, anticlockwise, by quarters."""
    left, bottom, right, top = box
    for _ in range(quarters % 4):
        left, bottom, right, top = -top, left, -bottom, right
    return left, bottom, right, top


def overlap(one: Box, other: Box) -> float:
    """How much of the lower of two heights both boxes share."""
    lower = max(min(one[3] - one[1], other[3] - other[1]), 0.1)
    return (min(one[3], other[3]) - max(one[1], other[1])) / lower
