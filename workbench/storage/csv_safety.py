"""Cells that no spreadsheet runs: what people export is opened in one, and may hold a stranger's text.

A cell that begins with one of `STARTS` is taken for a formula; an apostrophe before it makes it text.
Source: OWASP, "CSV Injection" (the signs, white space before them, and their full-width forms).
"""

from __future__ import annotations

STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a cell begins with that a spreadsheet takes for a formula, or that hides one."""


def safe_cell(value: object) -> str:
    """`value` as the text of a cell that no spreadsheet runs. Not for figures of ours: “-0.5” would become a text.

    >>> safe_cell("=1+1"), safe_cell("plain")
    ("'=1+1", 'plain')
    """
    text = str(value)
    return f"'{text}" if text.startswith(STARTS) or text.lstrip().startswith(STARTS) else text


def plain_text(cell: str) -> str:
    """The text that `safe_cell` was given, so that what was exported is imported as it was.

    >>> plain_text("'=1+1"), plain_text("'tis")
    ('=1+1', "'tis")
    """
    return cell[1:] if cell.startswith("'") and safe_cell(cell[1:]) == cell else cell
