"""The reading order of lines: two columns are read one after the other where a gutter separates them."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.data.documents.pdf.page_geometry import SAME_LINE, PageLine, overlap

SPANNING = 0.2
"""The largest share of lines that may cross a gutter between columns."""
COLUMN_LINES = 3
"""The fewest lines on either side of a gutter."""


def by_column(lines: Sequence[PageLine], right_to_left: bool) -> list[PageLine]:
    """The lines column by column where a gutter separates two; lines across it end a block of columns."""
    gutter = _gutter(lines)
    if gutter is None:
        return list(lines)
    ordered: list[PageLine] = []
    left: list[PageLine] = []
    right: list[PageLine] = []
    for line in sorted(lines, key=lambda line: -line.box[3]):
        if line.box[2] <= gutter:
            left.append(line)
        elif line.box[0] >= gutter:
            right.append(line)
        else:
            ordered += (right + left if right_to_left else left + right) + [line]
            left, right = [], []
    return ordered + (right + left if right_to_left else left + right)


def _gutter(lines: Sequence[PageLine]) -> float | None:
    """Where a gutter is that few lines cross, with lines beside each other on both sides; None where there is none."""
    for edge in sorted({line.box[0] for line in lines})[1:]:
        left = [line for line in lines if line.box[2] <= edge]
        right = [line for line in lines if line.box[0] >= edge - 0.5]
        crossing = len(lines) - len(left) - len(right)
        if min(len(left), len(right)) < COLUMN_LINES or crossing > SPANNING * len(lines):
            continue
        beside = sum(any(overlap(line.box, other.box) > SAME_LINE for other in left) for line in right)
        if beside >= COLUMN_LINES:
            return edge - 0.5
    return None
