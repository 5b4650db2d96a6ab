"""The charts of a report as SVG: readable at a glance and in print, with names, values and n beside what is drawn.

They are written here, so a report needs neither a browser nor a chart library to be made. All texts are escaped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from workbench.core import shorten
from workbench.metrics import Scale

WIDTH, NAMES, VALUES, LINE = 680, 210, 130, 26
"""Units of a chart's width, of the room for names at its left and for values at its right, and of a row's height."""
BLUE, GREEN, RED, GREY = "#2f7f9f", "#2b7d57", "#b4472d", "#8a8f94"
NAME_LIMIT = 36
COLUMN_LIMIT = 12
"""Characters of a row's name, and of a column's."""


class ChartRow(NamedTuple):
    """A named value with its 95 % interval, None where it has none, and how it is written out."""

    name: str
    mean: float | None
    low: float | None
    high: float | None
    words: str
    colour: str = BLUE


def bars(rows: Sequence[ChartRow], scale: Scale, title: str) -> str:
    """A bar for each mean, with its interval as a line."""
    return _chart(rows, title, scale.low, scale.high, scale.low, with_bars=True)


def differences(rows: Sequence[ChartRow], title: str) -> str:
    """A point for each difference with its interval, around a line at 0."""
    reach = max(
        [abs(value) for row in rows for value in (row.mean, row.low, row.high) if value is not None], default=0.1
    )
    return _chart(rows, title, -reach, reach, 0.0, with_bars=False)


def grid(title: str, columns: Sequence[str], cells: Mapping[str, Mapping[str, float | None]], scale: Scale) -> str:
    """A row of coloured cells for each name, the darker the better; columns are named above."""
    wide = (WIDTH - NAMES) / max(len(columns), 1)
    parts = [
        _text(NAMES + (at + 0.5) * wide, LINE * 0.7, shorten(name, COLUMN_LIMIT), "middle")
        for at, name in enumerate(columns)
    ]
    for number, (name, values) in enumerate(cells.items(), start=1):
        parts.append(_text(0, (number + 0.65) * LINE, shorten(name, NAME_LIMIT)))
        for at, column in enumerate(columns):
            if (value := values.get(column)) is not None:
                good = scale.goodness(value)
                left, top = NAMES + at * wide + 1, number * LINE + 1
                box = f'x="{left:.1f}" y="{top}" width="{wide - 2:.1f}" height="{LINE - 2}"'
                parts.append(f'<rect {box} fill="{BLUE}" fill-opacity="{0.06 + 0.5 * good:.2f}"/>')
                parts.append(_text(NAMES + (at + 0.5) * wide, (number + 0.65) * LINE, f"{value:.2f}", "middle"))
    return _svg(parts, LINE * (len(cells) + 1) + 4, title)


def _chart(rows: Sequence[ChartRow], title: str, low: float, high: float, start: float, *, with_bars: bool) -> str:
    def x(value: float) -> float:
        return NAMES + (WIDTH - NAMES - VALUES - 12) * (value - low) / ((high - low) or 1)

    foot = LINE * len(rows)
    parts = [_line(x(start), 0, x(start), foot, GREY, 1)]
    for number, row in enumerate(rows):
        middle = (number + 0.5) * LINE
        parts.append(_text(0, middle + 4, shorten(row.name, NAME_LIMIT)))
        parts.append(_text(WIDTH, middle + 4, row.words, "end"))
        if row.mean is not None and with_bars:
            box = f'x="{x(start):.1f}" y="{middle - 7:.1f}" width="{x(row.mean) - x(start):.1f}" height="14"'
            parts.append(f'<rect {box} fill="{row.colour}" fill-opacity="0.75"/>')
        if row.low is not None and row.high is not None:
            parts.append(_line(x(row.low), middle, x(row.high), middle, "#1d2730", 1.6))
        if row.mean is not None and not with_bars:
            parts.append(f'<circle cx="{x(row.mean):.1f}" cy="{middle:.1f}" r="5" fill="{row.colour}"/>')
    ends = ((low, "start"), (high, "end")) if with_bars else ((low, "start"), (0.0, "middle"), (high, "end"))
    parts += [_text(x(value), foot + 16, f"{value:.2g}" if value else "0", anchor) for value, anchor in ends]
    return _svg(parts, foot + 22, title)


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _line(x: float, y: float, to_x: float, to_y: float, colour: str, width: float) -> str:
    places = f'x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}"'
    return f'<line {places} stroke="{colour}" stroke-width="{width}"/>'


def _svg(parts: Sequence[str], height: float, title: str) -> str:
    body = "".join(parts)
    return f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img"><title>{escape(title)}</title>{body}</svg>'
