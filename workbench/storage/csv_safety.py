"""Cells that a spreadsheet does not execute: exports are opened in one, and may contain a stranger's text.

A spreadsheet takes a cell that begins with one of `STARTS` for a formula; an apostrophe before it makes it text.
Source: OWASP, "CSV Injection" (the signs, white space before them, and their full-width forms).
"""

from __future__ import annotations

STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""First characters that make a cell a formula in a spreadsheet, or that hide one."""


def safe_cell(value: object) -> str:
    """`value` as the text of a cell that no spreadsheet executes. Not for measured figures: “-0.5” would become text.

    >>> safe_cell("=1+1"), safe_cell("plain")
    ("'=1+1", 'plain')
    """
    text = str(value)
    return f"'{text}" if text.startswith(STARTS) or text.lstrip().startswith(STARTS) else text


def plain_text(cell: str) -> str:
    """The text that `safe_cell` was given, so that an export can be imported unchanged.

    >>> plain_text("'=1+1"), plain_text("'tis")
    ('=1+1', "'tis")
    """
    return cell[1:] if cell.startswith("'") and safe_cell(cell[1:]) == cell else cell
