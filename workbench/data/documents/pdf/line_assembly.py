"""Glyphs of a page become lines of text in reading order, each character with its box.

A PDF file states glyphs and places, neither words nor lines. Glyphs that follow each other in the file on one line are
kept in that order, since the signs of Indic scripts stand beside, above and before their letters; such runs are then
sorted along the line. Two columns are read one after the other where a gutter separates them. Places are in points from
the page's lower left corner.

Hebrew and Arabic are drawn glyph by glyph at their places. The Unicode Bidirectional Algorithm (UAX #9, by python-bidi)
turns logical into visual order; applied to a visual line it gives the logical one, except where numbers or brackets
leave a choice, which is settled by which direction of the line gives back what is drawn.
"""

from __future__ import annotations

import math
import statistics
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

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

from workbench.languages import SPACELESS

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
    """A line in the order in which it is read: its text, a box for each character, and the line's box and height.

    `is_row`: it is a row of a framed table, such as “Length: 412 m”, of one or more lines on the page.
    """

    text: str
    boxes: tuple[Box, ...]
    box: Box
    height: float
    is_row: bool = False


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
    as_meant = "".join(drawn[index] for index, _ in order)
    as_drawn = "".join(sign for _, sign in order)
    mirrors = as_drawn != as_meant and _misplaced(as_drawn) < _misplaced(as_meant)
    return [(index, sign if mirrors and sign != drawn[index] else units[index]) for index, sign in order]


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
    for index, sign in enumerate(storage["chars"]):
        sign["place"] = index
    explicit_embed_and_overrides(storage)
    resolve_weak_types(storage)
    resolve_neutral_types(storage, False)
    resolve_implicit_levels(storage, False)
    reorder_resolved_levels(storage, False)
    apply_mirroring(storage, False)
    return [(sign["place"], sign["ch"]) for sign in storage["chars"]]


def _display(order: Sequence[tuple[int, str]], right_to_left: bool) -> str:
    return "".join(sign for _, sign in _reordered("".join(sign for _, sign in order), right_to_left))


SPANNING = 0.2
"""The largest share of lines that may cross a gutter between columns."""
COLUMN_LINES = 3
"""The fewest lines on either side of a gutter."""
CHANGES = 0.25
"""The share of lines after which a file is on the other side of the gutter, from which it mixes the columns."""


def by_column(lines: Sequence[PageLine], right_to_left: bool) -> list[PageLine]:
    """The lines column by column where a gutter separates two; lines across it end a block of columns.

    A file that does not go from one column to the other line by line is read in its own order: it knows where a list
    in columns begins, and that one in English runs from left to right in an Arabic page, too.
    """
    gutter = _gutter(lines)
    if gutter is None:
        return list(lines)
    sides = [line.box[0] >= gutter for line in lines if line.box[2] <= gutter or line.box[0] >= gutter]
    if sum(one != other for one, other in pairwise(sides)) < max(COLUMN_LINES, CHANGES * len(sides)):
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


WORD_GAP = 0.16
"""The gap between two glyphs from which a space is read, by the height of the line."""
WIDE_GAP = 0.22
"""The same in lines that have spaces."""
DENSE_GAP = 1.3
"""The same beside letters of scripts without spaces: each fills a square, of which some files state the ink only."""
INK_GAPS = 3
"""By how many usual gaps between the line's glyphs a gap between words is wider."""
TALL = 0.8
"""The place, among the heights of a line's glyphs in order, of the one that is taken for the line's."""
LINE_GAP = 2.0
"""The gap from which a line ends: beyond it another column begins."""
COLUMN_GAP = 0.5
"""The same beside a line that the file left before: columns of small print stand so close."""
RUN_GAP = 0.1
"""The gap from which a glyph does not belong to the run before it: one of another font may stand in between."""
STEP_BACK = 0.9
"""How far a glyph may stand left of the one before it and still follow it, by the height."""
TOUCH = 0.5
"""Points by which a sign may stand beside its letter."""
AS_HIGH = 0.75
"""The share of the higher of two heights from which both are of a letter or of a whole line: what then shares little
height is of the next line."""
LOW_MARK = 0.6
"""The share of a line's height below which a mark of punctuation is, where a file states the ink of glyphs."""
SIGN_GAP = 0.4
"""How far above or below its letter a sign may stand, by the height of the line."""
SPACELESS_LETTER = regex.compile(rf"[{SPACELESS}\u3000-\u303F\uFF00-\uFFEF\u2018-\u201D]")
ARABIC = regex.compile(r"\p{Arabic}")
ZERO_WIDTH_NON_JOINER = "\u200c"
PRESENTATION = regex.compile(r"[\uFB00-\uFB06\uFB1D-\uFDFF\uFE70-\uFEFC]")
INVISIBLE = regex.compile(r"\p{Cf}+")


@dataclass
class _Run:
    """Glyphs that follow each other in the file on one line. Boxes are turned so that the line is level.

    `bottom` and `top` are those of the glyphs that overlap; signs far above or below do not count.
    """

    units: list[tuple[str, Box]]
    bottom: float
    top: float
    left: float
    right: float
    last: Box

    @property
    def height(self) -> float:
        return max(self.top - self.bottom, 0.1)

    def takes(self, text: str, box: Box) -> bool:
        """Whether a glyph that comes next in the file stands on the same line, and follows."""
        height = max(self.height, box[3] - box[1])
        if text.isspace():
            # Its box may have no height at all.
            level = self.bottom - height <= (box[1] + box[3]) / 2 <= self.top + height
            gap = RUN_GAP if box[3] > box[1] else SIGN_GAP
            return level and -STEP_BACK * height <= box[0] - self.last[2] <= gap * height
        gap = SIGN_GAP if _is_sign(text) else RUN_GAP
        if not -STEP_BACK * height <= box[0] - self.last[2] <= gap * height:
            return False
        if box[0] < self.last[0] and RIGHT_TO_LEFT.search(text) and not _is_sign(text):
            return False
        # Some files state the ink of glyphs only, so that a sign shares no height with its letter.
        apart = max(self.bottom - box[3], box[1] - self.top)
        is_as_high = min(self.height, box[3] - box[1]) > AS_HIGH * height
        is_letter_below = apart > 0 and text[:1].isalnum() and self.units[-1][0][:1].isalnum()
        is_near = apart <= SIGN_GAP * self.height and not is_as_high and not is_letter_below
        return overlap((0, self.bottom, 0, self.top), box) >= SAME_LINE or is_near

    def add(self, text: str, box: Box) -> None:
        """Adds such a glyph."""
        self.units.append((text, box))
        self.left, self.right = min(self.left, box[0]), max(self.right, box[2])
        if overlap((0, self.bottom, 0, self.top), box) >= SAME_LINE:
            self.bottom, self.top = min(self.bottom, box[1]), max(self.top, box[3])
        if box[2] >= self.last[2] and not (_is_sign(text) and RIGHT_TO_LEFT.search(text)):
            self.last = box


def assemble(glyphs: Iterable[Glyph], frames: Sequence[Box] = ()) -> list[PageLine]:
    """The lines of a page, in reading order: those that are level first, then those that are rotated.

    A table of two columns within one of the `frames` drawn on the page is read by row, before the text beside it.
    """
    lines: list[PageLine] = []
    by_turn: dict[int, list[Glyph]] = {}
    for glyph in glyphs:
        by_turn.setdefault(glyph.turn, []).append(glyph)
    for turn in sorted(by_turn):
        level = [Glyph(glyph.text, turned(glyph.box, -turn)) for glyph in by_turn[turn]]
        runs = _runs(level)
        direction = is_right_to_left("".join(text for run in runs for text, _ in run.units))
        tables: list[tuple[Box, list[PageLine]]] = []
        for frame in frames if turn == 0 else ():
            inside = [run for run in runs if _is_inside(run, frame)]
            if len(inside) < len(runs) and (table := _table(inside)):
                inside += _caption(runs, frame)
                tables.append((frame, _table(inside)))
                taken = set(map(id, inside))
                runs = [run for run in runs if id(run) not in taken]
        ordered = by_column([_line(row, direction) for row in _rows(runs)], direction)
        for frame, table in tables:
            at = _place((*frame[:3], table[0].box[3]), ordered)
            ordered[at:at] = table
        lines += [
            line._replace(boxes=tuple(turned(box, turn) for box in line.boxes), box=turned(line.box, turn))
            for line in ordered
        ]
    return lines


def _runs(glyphs: Sequence[Glyph]) -> list[_Run]:
    runs: list[_Run] = []
    for text, box, _ in glyphs:
        if runs and runs[-1].takes(text, box):
            runs[-1].add(text, box)
        else:
            runs.append(_Run([(text, box)], box[1], box[3], box[0], box[2], box))
    return [run for run in runs if any(text.strip() for text, _ in run.units)]


def _place(box: Box, lines: Sequence[PageLine]) -> int:
    """Where a table in a frame, `box`, is read: before the first line beside or below it.

    Where text as narrow as the frame goes on below it, that is in its own column.
    """
    left, _, right, top = box
    over = [line for line in lines if line.box[1] < top and line.box[0] < right and line.box[2] > left]
    below = max(over, key=lambda line: line.box[3], default=None)
    is_column = below is not None and left - below.height < below.box[0] and below.box[2] < right + below.height
    places = (at for at, line in enumerate(lines) if line.box[1] < top and (not is_column or line in over))
    return next(places, len(lines))


TABLE_CELLS = 300
"""Cells above which a framed text is no table beside a text; each edge is compared with each of them."""
TABLE_ROWS = 3
"""The fewest rows of a table with two cells."""
ACROSS = 0.3
"""The largest share of a table's cells that reach over both columns, as titles do."""
CAPTION = 1.2
"""The farthest that the middle of a caption stands above its frame, in heights."""
ROW_PITCH = 1.15
"""The distance from the line above, by that within a cell, from which a line begins a row."""


def _is_inside(run: _Run, frame: Box) -> bool:
    across, up = (run.left + run.right) / 2, (run.bottom + run.top) / 2
    return frame[0] <= across <= frame[2] and frame[1] <= up <= frame[3]


def _caption(runs: Sequence[_Run], frame: Box) -> list[_Run]:
    """What stands in the middle above a frame, no wider than that, as a table's title does; [] for other text."""
    above = [run for run in runs if 0 <= (run.bottom + run.top) / 2 - frame[3] <= CAPTION * run.height
             and frame[0] < run.left and run.right < frame[2]]  # fmt: skip
    if not above:
        return []
    off = min(run.left for run in above) + max(run.right for run in above) - frame[0] - frame[2]
    return above if abs(off) <= above[0].height else []


def _table(runs: Sequence[_Run]) -> list[PageLine]:
    """The rows of a table of labels with values, each as a line; [] for other text."""
    direction = is_right_to_left("".join(text for run in runs for text, _ in run.units))
    cells = [_line(row, direction) for row in _rows(runs, COLUMN_GAP)]
    edge = _column_edge(cells) if len(cells) <= TABLE_CELLS else None
    if edge is None:
        return []
    sides = [[run for run in runs if run.right <= edge], [run for run in runs if run.left >= edge]]
    spanning = [run for run in runs if run.left < edge < run.right]
    # What stands beside a piece across the edge, such as a link in a title, is of its line.
    across = {id(run) for run in runs if any(_is_level(run, other) for other in spanning)}
    labels, values = ([_line(row, direction) for row in _rows([run for run in side if id(run) not in across])]
                      for side in (sides[::-1] if direction else sides))  # fmt: skip
    titles = [_line(row, direction) for row in _rows([run for run in runs if id(run) in across])]
    if sum(LETTER.search(label.text) is not None for label in labels) < TABLE_ROWS:
        return []
    return [_row_line(*row) for row in _table_rows(labels, values, titles)]


def _is_level(run: _Run, other: _Run) -> bool:
    return overlap((0, run.bottom, 0, run.top), (0, other.bottom, 0, other.top)) >= SAME_LINE


def _column_edge(cells: Sequence[PageLine]) -> float | None:
    """Where the right one of two columns begins; None where there are no two."""
    best: tuple[int, float] | None = None
    edge = None
    for at in sorted({cell.box[0] for cell in cells})[1:]:
        left = [cell for cell in cells if cell.box[2] <= at]
        right = [cell for cell in cells if cell.box[0] >= at - 0.5]
        if not left or not right or len(cells) - len(left) - len(right) > ACROSS * len(cells):
            continue
        beside = sum(any(overlap(cell.box, other.box) > SAME_LINE for other in left) for cell in right)
        score = (beside, min(cell.box[0] for cell in right) - max(cell.box[2] for cell in left))
        if beside >= TABLE_ROWS and (best is None or score > best):
            best, edge = score, at - 0.5
    return edge


def _table_rows(
    labels: Sequence[PageLine], values: Sequence[PageLine], titles: Sequence[PageLine]
) -> Iterator[tuple[list[PageLine], list[PageLine]]]:
    """The lines of each row, those of the label and those of the value, from above."""
    levels: list[list[tuple[int, PageLine]]] = []
    cells = [(column, line) for column, lines in enumerate((labels, values, titles)) for line in lines]
    for column, line in sorted(cells, key=lambda cell: -(cell[1].box[1] + cell[1].box[3])):
        if levels and overlap(levels[-1][0][1].box, line.box) >= SAME_LINE:
            levels[-1].append((column, line))
        else:
            levels.append([(column, line)])
    columns = [{column for column, _ in level} for level in levels]
    middles = [statistics.fmean((level[0][1].box[1], level[0][1].box[3])) for level in levels]
    pitches = [math.inf, *(above - below for above, below in pairwise(middles))]
    cell_pitch = min(pitches) * ROW_PITCH
    # Where no cell has two lines all are equally far apart, and lines with both cells are rows.
    has_pitch = any(
        pitches[at] > cell_pitch and len(columns[at]) == 2 for at in range(1, len(levels)) if 2 not in columns[at - 1]
    )
    row: tuple[list[PageLine], list[PageLine]] = ([], [])
    for at, level in enumerate(levels):
        goes_on = pitches[at] <= cell_pitch if has_pitch else len(columns[at]) == 1
        is_title = 2 in columns[at] or (at > 0 and 2 in columns[at - 1])
        if (is_title or not goes_on) and (row[0] or row[1]):
            yield row
            row = ([], [])
        for column, line in level:
            row[column % 2].append(line)
    yield row


def _row_line(label: Sequence[PageLine], value: Sequence[PageLine]) -> PageLine:
    text, boxes = "", list[Box]()
    for lines, separator in ((label, ""), (value, ": " if label else "")):
        for line in lines:
            gap = "" if is_dense(text[-1:]) and is_dense(line.text[:1]) else " "
            gap = separator or (gap if text else "")
            separator = ""
            text += gap + line.text
            boxes += [line.box] * len(gap) + [*line.boxes]
    around = (
        min(box[0] for box in boxes), min(box[1] for box in boxes),
        max(box[2] for box in boxes), max(box[3] for box in boxes),
    )  # fmt: skip
    return PageLine(text, tuple(boxes), around, statistics.median(line.height for line in (*label, *value)), True)


def _rows(runs: Sequence[_Run], reach: float = LINE_GAP) -> list[list[_Run]]:
    """Runs of one line together, from left to right; a run joins the last line beside which it stands.

    `reach` is the widest gap within the line that the file is at, in heights.
    """
    rows: list[list[_Run]] = []
    for run in runs:
        last = rows[-8:][::-1]
        beside = (row for row in last if _stands_beside(run, row, reach if row is last[0] else COLUMN_GAP))
        row = next(beside, None)
        if row is None:
            rows.append([run])
        else:
            row.append(run)
    return [sorted(row, key=lambda run: run.left) for row in rows]


def _stands_beside(run: _Run, row: Sequence[_Run], reach: float) -> bool:
    is_sign = _is_sign(run.units[0][0])
    is_mark = unicodedata.category(run.units[0][0][:1] or " ").startswith("P")
    # The run that came last is the likeliest neighbour, and ends the search on a line that is read on.
    for other in reversed(row):
        height = max(run.height, other.height)
        if max(run.left - other.right, other.left - run.right) > reach * height:
            continue
        apart = max(other.bottom - run.top, run.bottom - other.top)
        # There a comma or a quotation mark shares no height with the letter that it follows.
        is_small = is_sign or (is_mark and run.left >= other.right - TOUCH and run.height < LOW_MARK * other.height)
        if -apart >= SAME_LINE * min(run.height, other.height) or (is_small and apart <= SIGN_GAP * height):
            return True
    return False


def _line(runs: Sequence[_Run], right_to_left: bool) -> PageLine:
    units = [unit for run in runs for unit in run.units]
    if right_to_left or any(RIGHT_TO_LEFT.search(text) for text, _ in units):
        units = _with_spaces(_attached(units))
        texts = [text for text, _ in units]
        order = logical_order(texts, right_to_left=right_to_left or is_right_to_left("".join(texts)))
        units = [(text, units[index][1]) for index, text in order]
    else:
        units = _with_spaces([(text, box) for text, box in units if text])
    text, boxes = "", []
    for unit, box in units:
        plain = PRESENTATION.sub(lambda match: unicodedata.normalize("NFKC", match.group()), unit)
        text += plain
        boxes += [box] * len(plain)
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    heights = [box[3] - box[1] for _, box in units]
    around = (
        min(box[0] for box in boxes),
        statistics.median(box[1] for box in boxes),
        max(box[2] for box in boxes),
        statistics.median(box[3] for box in boxes),
    )
    return PageLine(text[start:end], tuple(boxes[start:end]), around, statistics.median(heights))


def _with_spaces(units: Sequence[tuple[str, Box]]) -> list[tuple[str, Box]]:
    """The units with a space in each gap between words that has none.

    Where the file has spaces of its own, a gap is the letters' design or a wide one of a table.
    """
    spaced: list[tuple[str, Box]] = []
    has_spaces = any(text.isspace() for text, _ in units)
    heights = sorted(box[3] - box[1] for _, box in units)
    height = heights[int(TALL * len(heights))] if heights else 0.0
    # Where a file states the ink of glyphs, letters of a word stand apart, too.
    usual = statistics.median([max(after[0] - before[2], 0.0) for (_, before), (_, after) in pairwise(units)] or [0.0])
    right = 0.0
    for text, box in units:
        if spaced:
            before = spaced[-1][0]
            limit = DENSE_GAP if is_dense(before) or is_dense(text) else WIDE_GAP if has_spaces else WORD_GAP
            is_gap = box[0] - right > limit * height + INK_GAPS * usual
            if is_gap and not before.isspace() and not text.isspace() and not _is_sign(text):
                spaced.append((" ", (right, box[1], box[0], box[3])))
        spaced.append((text, box))
        right = max(right, box[2])
    return spaced


def _is_sign(text: str) -> bool:
    """Whether a glyph is a sign on the letter beside it."""
    return unicodedata.category(text[:1] or " ").startswith("M")


def is_dense(text: str) -> bool:
    """Whether `text` begins with a letter or a sign of a script without spaces."""
    return SPACELESS_LETTER.match(text) is not None


def _attached(units: Sequence[tuple[str, Box]]) -> list[tuple[str, Box]]:
    """Signs joined to their letters, and joiners to the glyph at their right, after which they are read.

    Some programs write a sign after its letter, others before it, as it is drawn: its place decides.
    """
    joined: list[tuple[str, Box]] = []
    joiners, signs = "", ""
    for index, (text, box) in enumerate(units):
        if not text or INVISIBLE.fullmatch(text):
            # Persian's joiner is a glyph without an outline, and often without a text.
            is_inside = bool(joined) and ARABIC.match(joined[-1][0]) is not None
            joiners += text or (ZERO_WIDTH_NON_JOINER if is_inside else "")
        elif _is_sign(text) and joined and not _is_before_letter(units, index):
            letter, around = joined[-1]
            joined[-1] = (letter + text, (min(around[0], box[0]), around[1], max(around[2], box[2]), around[3]))
        elif _is_sign(text) and index + 1 < len(units):
            signs = text + signs
        else:
            joined.append((text + signs + (joiners if ARABIC.match(text) else ""), box))
            joiners = signs = ""
    return joined


def _is_before_letter(units: Sequence[tuple[str, Box]], index: int) -> bool:
    """Whether the sign at `index` stands over the glyph after it, and not over the one before."""
    box = units[index][1]
    middle = (box[0] + box[2]) / 2
    after = next((other for text, other in units[index + 1 :] if not _is_sign(text)), None)
    before = next((other for text, other in reversed(units[:index]) if not _is_sign(text)), None)
    is_over_next = after is not None and after[0] - TOUCH <= middle <= after[2] + TOUCH
    is_over_last = before is not None and (
        before[0] - TOUCH <= middle <= before[2] - TOUCH or box[0] < before[2] - TOUCH
    )
    return is_over_next and not is_over_last
