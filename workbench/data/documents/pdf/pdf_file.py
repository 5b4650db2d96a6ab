"""PDF files: the text of each page where its text layer gives it, and by its image where Tesseract is there.

Lines become paragraphs and headings, and words cut at a line's end are joined.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import regex

from workbench.core import DataError, WorkbenchError
from workbench.data.documents.document_parts import (
    DocumentStart,
    FileRequest,
    Kind,
    PageMark,
    Part,
    ReadingWarning,
    Section,
    pieces,
)
from workbench.data.documents.page_health import PageFault, page_fault
from workbench.data.documents.pdf import ocr
from workbench.data.documents.pdf.bidi_order import is_right_to_left
from workbench.data.documents.pdf.line_assembly import is_dense
from workbench.data.documents.pdf.page_geometry import PageLine
from workbench.data.documents.pdf.pdf_pages import PdfPage, PdfPages, open_pdf

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


HEIGHTS = 2_000
"""The heights of lines from which the usual one of a file is computed."""


def read_pdf(request: FileRequest) -> Iterator[Part]:
    """Yields a PDF file's text page by page, with a warning for each page that its text layer does not give.

    Raises DataError for a damaged file, one with a password and one with too many pages.
    """
    with open_pdf(request) as pages:
        yield DocumentStart(request.name, pages.title, pages.language)
        heading = ""
        heights: list[float] = []
        missing = ""
        for number in range(request.first_page, len(pages) + 1):
            yield PageMark(number)
            try:
                page = pages.page(number)
            except DataError:
                raise
            except (RuntimeError, ValueError, IndexError) as error:
                yield _warning(request, number, PageFault("damaged", f"cannot be read ({type(error).__name__})"))
                continue
            fault = page_fault(page.facts)
            lines = page.lines
            if _is_recognised(request, fault):
                missing = missing or ocr.missing_for(request.ocr.languages)
                if not missing:
                    yield PageMark(number, is_slow=True)
                    recognised, warning = _recognised(request, pages, page, fault)
                    lines = recognised or lines
                    yield warning
                    fault = None
            if fault:
                yield _warning(request, number, fault)
                if fault.kind == "scan":
                    continue
            heights += [line.height for line in lines][: HEIGHTS - len(heights)]
            for section in sections(page_blocks(lines, statistics.median(heights or [0.0])), number, heading):
                heading = section.heading
                yield section
        yield PageMark(0, is_slow=True)
        if missing:
            yield ReadingWarning(request.name, "ocr", missing)


def _is_recognised(request: FileRequest, fault: PageFault | None) -> bool:
    pages = request.ocr.pages
    return pages == "all" or (pages == "missing" and fault is not None and fault.is_lost)


def _recognised(
    request: FileRequest, pages: PdfPages, page: PdfPage, fault: PageFault | None
) -> tuple[list[PageLine], ReadingWarning]:
    """The lines as recognised from the page's image, none where that failed, and what to say about it."""
    try:
        image = pages.image(page.number, ocr.RESOLUTION)
        result = ocr.recognise(image, request.ocr.languages, pages.size(page.number)[1])
    except WorkbenchError as error:
        return [], ReadingWarning(request.name, "ocr", f"{request.name}, page {page.number}: {error}", page.number)
    reason = fault.message if fault else "was recognised as you chose"
    sure = "" if result.confidence >= ocr.SURE else f", with a confidence of only {result.confidence:.0f} %"
    message = f"{request.name}, page {page.number} {reason}: its text is what Tesseract recognised{sure}."
    return result.lines, ReadingWarning(request.name, "recognised", message, page.number)


def _warning(request: FileRequest, number: int, fault: PageFault) -> ReadingWarning:
    remedy = ": its text is missing" if fault.kind in ("scan", "damaged") else (
        ": its text may be wrong" if fault.is_lost else "")  # fmt: skip
    return ReadingWarning(request.name, fault.kind, f"{request.name}, page {number} {fault.message}{remedy}.", number)
