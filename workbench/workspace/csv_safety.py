"""CSV that no spreadsheet executes: exports are opened in one, and may contain a stranger's text.

A spreadsheet takes a cell that begins with one of `STARTS` for a formula; an apostrophe before it makes it text.
Source: OWASP, "CSV Injection" (the signs, white space before them, and their full-width forms). Characters without
width count as white space here: spreadsheets drop some of them.

A spreadsheet may also separate cells by “;” or by tabs, depending on its country. Quotes protect only the first cell of
a line there, and a line break inside a cell begins a new line, so a text gets the same apostrophe after each of `CUTS`.
Every cell is quoted.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import TextIO

SIGNS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
LINE_ENDS = ("\r", "\n", "\v", "\f", "\x85", "\u2028", "\u2029")
STARTS = (*SIGNS, "\t", *LINE_ENDS)
"""First characters that make a cell a formula in a spreadsheet, or that hide one."""
CUTS = (";", "\t", *LINE_ENDS)
"""Characters within a text after which some spreadsheets begin another cell."""

_SIGN = "[{}]".format("".join(map(re.escape, SIGNS)))
_CUT = "[{}]".format("".join(CUTS))
_BLANK = (
    r"[\s\x00-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0]"
)
# White space, control characters, the soft hyphen, and characters without width or that only set a direction.
# Blanks end at the next cut, which is a place of its own.
_BLANKS = rf"(?:(?!{_CUT}){_BLANK})*"
# A quote there is written twice, and read as an empty cell's, with the rest after it.
_AFTER_CUT = rf'(?:"|(?!{_CUT}){_BLANK})*{_SIGN}'
_PLACES = re.compile(rf"\A'*(?={_BLANKS}(?:{_SIGN}|(?!;){_CUT}))|(?<={_CUT})'*(?={_AFTER_CUT})")


def safe_cell(value: object) -> str:
    """`value` as the text of a cell that no spreadsheet executes. Not for measured figures: “-0.5” would become text.

    >>> safe_cell("=1+1"), safe_cell("plain"), safe_cell("one;=1+1")
    ("'=1+1", 'plain', "one;'=1+1")
    """
    return _PLACES.sub(lambda place: f"'{place.group()}", str(value))


def plain_text(cell: str) -> str:
    """The text that `safe_cell` was given, so that an export can be imported unchanged.

    >>> plain_text("'=1+1"), plain_text("'tis"), plain_text("one;'=1+1")
    ('=1+1', "'tis", 'one;=1+1')
    """
    return _PLACES.sub(lambda place: place.group()[1:], cell)


def write_csv(file: TextIO, rows: Iterable[Iterable[object]], digits: int | None = None) -> None:
    """Writes rows as CSV that no spreadsheet executes: texts are made safe, None is an empty cell.

    `digits`: how many significant ones a measured figure (a float) is written with; all where it is None.
    """
    writer = csv.writer(file, quoting=csv.QUOTE_ALL)
    writer.writerows([_cell(value, digits) for value in row] for row in rows)


def csv_text(rows: Iterable[Iterable[object]], digits: int | None = None) -> str:
    r"""Rows, the head among them, as the text of a CSV file: see `write_csv`.

    >>> csv_text([("name", "value"), ("=1+1", -0.1234567)], digits=6)
    '"name","value"\r\n"\'=1+1","-0.123457"\r\n'
    """
    out = io.StringIO()
    write_csv(out, rows, digits)
    return out.getvalue()


def _cell(value: object, digits: int | None) -> object:
    if isinstance(value, str):
        return safe_cell(value)
    return f"{value:.{digits}g}" if digits is not None and isinstance(value, float) else value
