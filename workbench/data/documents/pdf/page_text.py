"""The text of a page: lines become paragraphs and headings, words cut at a line's end are joined."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import regex

from workbench.data.documents.document_parts import Kind, Section, pieces
from workbench.data.documents.pdf.bidi_order import is_right_to_left
from workbench.data.documents.pdf.line_assembly import is_dense
from workbench.data.documents.pdf.page_geometry import PageLine

PARAGRAPH_PITCH = 1.45
"""The distance of two lines, by the usual one of the page, from which a paragraph ends."""
OTHER_HEIGHT = 0.15
"""The difference in height between two lines from which they are not of one paragraph."""
HEADING_HEIGHT = 1.15
HEADING_LIMIT = 200
SHORT_LINE = 0.8
"""A line that ends a sentence and is shorter than this share of the longest ends its paragraph."""
SENTENCE_END = regex.compile(r"[.!?…。！？।॥۔؟:]['\"”’»)\]]*$")
BULLET = regex.compile(r"^(?:[•‣▪●○◦–—*-]|\(?\p{N}{1,3}[.)])\s")
CUT_WORD = regex.compile(r"(?<=\p{Ll})[-\u00AD\u2010]$")
LOWER = regex.compile(r"^\p{Ll}{2}")


class PageBlock(NamedTuple):
    """A paragraph or a heading."""

    text: str
    kind: Kind


def page_blocks(lines: Sequence[PageLine], usual_height: float) -> list[PageBlock]:
    """The paragraphs and headings of a page, given its lines in reading order and the file's usual height of one."""
    if not lines:
        return []
    pitches = [above.box[1] - below.box[1] for above, below in pairwise(lines)]
    usual = statistics.median([pitch for pitch in pitches if pitch > 0] or [0.0])
    longest = max(line.box[2] - line.box[0] for line in lines)
    blocks: list[PageBlock] = []
    for place, line in enumerate(lines):
        kind: Kind = "heading" if _is_heading(line, usual_height) else "text"
        before = lines[place - 1] if place else None
        if before is None or not blocks or blocks[-1].kind != kind or _ends(before, line, usual, longest):
            blocks.append(PageBlock(line.text, kind))
        else:
            blocks[-1] = PageBlock(joined(blocks[-1].text, line.text), kind)
    return [block if block.kind == "text" or len(block.text) <= HEADING_LIMIT else PageBlock(block.text, "text")
            for block in blocks]  # fmt: skip


def sections(blocks: Sequence[PageBlock], page: int, heading: str) -> Iterator[Section]:
    """The sections of a page; `heading` is the last one of the pages before."""
    waiting: list[str] = []
    for block in [*blocks, PageBlock("", "heading")]:
        if block.kind == "heading":
            yield from (Section(piece, page, heading) for piece in pieces("\n\n".join(waiting)))
            waiting = []
            if block.text:
                heading = block.text
                yield Section(heading, page, heading, "heading")
        else:
            waiting.append(block.text)


def joined(text: str, line: str) -> str:
    """Two lines of a paragraph as one: a cut word is put together, and scripts without spaces get none.

    >>> joined("the muse-", "um opens"), joined("图书馆办了", "展览")
    ('the museum opens', '图书馆办了展览')
    """
    if CUT_WORD.search(text) and LOWER.match(line):
        return text[:-1] + line
    if is_dense(text[-1:]) and is_dense(line[:1]):
        return text + line
    return f"{text} {line}"


def _is_heading(line: PageLine, usual_height: float) -> bool:
    return line.height >= HEADING_HEIGHT * usual_height and len(line.text) <= HEADING_LIMIT


def _ends(before: PageLine, line: PageLine, usual: float, longest: float) -> bool:
    """Whether a paragraph ends with the line `before`."""
    pitch = before.box[1] - line.box[1]
    if pitch > PARAGRAPH_PITCH * usual or BULLET.match(line.text):
        return True
    if abs(line.height - before.height) > OTHER_HEIGHT * max(line.height, before.height):
        # Lines in scripts of their own heights share a paragraph; a change of size alone does not.
        return is_right_to_left(line.text) == is_right_to_left(before.text) and pitch > usual
    is_short = before.box[2] - before.box[0] < SHORT_LINE * longest
    return is_short and SENTENCE_END.search(before.text) is not None
