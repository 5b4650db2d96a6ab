"""The pages of a PDF file one by one: by docling-parse their glyphs, by PDFium their image. No page is kept.

Both are C++ and read what strangers wrote: use them in a process of their own (`isolated_reading`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import regex

from workbench.data.documents.document_parts import FileRequest
from workbench.data.documents.page_health import PageFacts
from workbench.data.documents.pdf.line_assembly import assemble
from workbench.data.documents.pdf.page_geometry import Glyph, PageLine

PAGES_LIMIT = 20_000
GLYPHS_LIMIT = 200_000
"""Glyphs of one page; a page of small print has 10,000."""
BEGINNING = 1_024
"""Bytes within which a PDF file states that it is one."""
PIXELS_LIMIT = 40_000_000
"""Pixels of a page's image: A3 at 300 dots per inch has 17 million."""
KEY = "file"
LEAST_WIDTH = 0.05
ROTATED = 3
"""How much longer the rise of a baseline is than its run where it counts as turned by a quarter."""
WRITTEN_BY_PROGRAMS = regex.compile(
    r"(?i)about:.*|untitled.*|microsoft (?:word|powerpoint|excel) - .*|.*\.(?:docx?|pptx?|xlsx?|html?|indd|tex|pdf)"
)
"""Titles in a file's properties that are not the document's."""


@dataclass(frozen=True)
class PdfPage:
    """One page: its glyphs, its fonts, and whether it has images."""

    number: int
    glyphs: tuple[Glyph, ...]
    fonts: tuple[str, ...]
    has_image: bool

    @cached_property
    def lines(self) -> list[PageLine]:
        """The lines in reading order."""
        return assemble(self.glyphs)

    @property
    def facts(self) -> PageFacts:
        """What the page's health is judged by."""
        raw = "\n".join(line.text for line in self.lines)
        forms = "".join(glyph.text for glyph in self.glyphs) if self.glyphs else ""
        without = sum(not glyph.text or glyph.text == "\0" for glyph in self.glyphs)
        return PageFacts(raw, self.fonts, self.has_image, without, len(self.glyphs), forms)


class PdfPages:
    """An opened PDF file. `title` and `language` are what it states about itself."""

    def __init__(self, request: FileRequest, pdfium: Any, parser: Any) -> None:
        self._request = request
        self._pdfium = pdfium
        self._parser = parser
        title = " ".join(str(pdfium.get_metadata_dict().get("Title") or "").split())[:300]
        self.title = "" if WRITTEN_BY_PROGRAMS.fullmatch(title) else title
        self.language = _language(parser)

    def __len__(self) -> int:
        """The number of pages."""
        return len(self._pdfium)

    def page(self, number: int) -> PdfPage:
        """The page with a number, from 1.

        Raises DataError for one with too many glyphs, RuntimeError for a damaged one.
        """
        from docling_parse.pdf_parsers import DecodePageConfig

        config = DecodePageConfig()
        config.keep_shapes = config.create_word_cells = config.create_line_cells = config.extract_bitmap_pixels = False
        config.do_sanitization = False
        decoder = self._parser.get_page_decoder(key=KEY, page=number - 1, config=config)
        try:
            cells = decoder.get_char_cells()
            if len(cells) > GLYPHS_LIMIT:
                raise self._request.error(f"has more than {GLYPHS_LIMIT:,} letters on page {number}")
            glyphs = tuple(_glyph(cell) for cell in cells)
            fonts = tuple({cell.font_name: None for cell in cells})
            return PdfPage(number, glyphs, fonts, len(decoder.get_page_images()) > 0)
        finally:
            self._parser.unload_document_page(key=KEY, page=number - 1)

    def image(self, number: int, resolution: int) -> Any:
        """The page as an image of PIL, `resolution` dots per inch, or fewer for a page of enormous size."""
        page = self._pdfium[number - 1]
        try:
            width, height = page.get_size()
            scale = min(resolution / 72, (PIXELS_LIMIT / max(width * height, 1.0)) ** 0.5)
            return page.render(scale=scale).to_pil()
        finally:
            page.close()

    def size(self, number: int) -> tuple[float, float]:
        """The width and height of a page in points, as it is shown."""
        width, height = self._pdfium.get_page_size(number - 1)
        return float(width), float(height)


@contextmanager
def open_pdf(request: FileRequest) -> Iterator[PdfPages]:
    """Opens a PDF file. Raises DataError for any other, for a damaged one, and for one with a password."""
    import pypdfium2
    from docling_parse.pdf_parsers import pdf_parser

    if not is_pdf(request.path):
        raise request.error("is not a PDF file, whatever its name")
    try:
        pdfium = pypdfium2.PdfDocument(request.path)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).casefold():
            raise request.error("has a password", "save it without one") from error
        raise request.error("is damaged, or is not a complete PDF file", "print it to PDF again") from error
    try:
        if len(pdfium) > PAGES_LIMIT:
            raise request.error(f"has {len(pdfium):,} pages, more than {PAGES_LIMIT:,}", "split it")
        parser = pdf_parser(level="fatal")
        try:
            is_open = parser.load_document(
                key=KEY, filename=str(request.path).encode(), password=None, keep_qpdf_warnings=False
            )
        except (RuntimeError, ValueError) as error:
            raise request.error(
                "is damaged, or uses a protection that cannot be read", "print it to PDF again"
            ) from error
        if not is_open:
            raise request.error("is damaged, or is not a complete PDF file", "print it to PDF again")
        yield PdfPages(request, pdfium, parser)
    finally:
        pdfium.close()


def is_pdf(path: Path) -> bool:
    """Whether a file states that it is a PDF file."""
    with path.open("rb") as file:
        return b"%PDF-" in file.read(BEGINNING)


def _glyph(cell: Any) -> Glyph:
    across = (cell.r_x0, cell.r_x1, cell.r_x2, cell.r_x3)
    along = (cell.r_y0, cell.r_y1, cell.r_y2, cell.r_y3)
    # Glyphs without a width show their rotation by the edge from the lower to the upper left corner; some fonts' boxes
    # stand upside down, so that edge alone would mislead.
    right, up = cell.r_x1 - cell.r_x0, cell.r_y1 - cell.r_y0
    if abs(right) + abs(up) < LEAST_WIDTH:
        right, up = cell.r_y3 - cell.r_y0, cell.r_x0 - cell.r_x3
    is_level = abs(up) <= ROTATED * abs(right)
    turn = (0 if right >= 0 else 2) if is_level else (1 if up > 0 else 3)
    return Glyph(cell.text, (min(across), min(along), max(across), max(along)), turn)


def _language(parser: Any) -> str:
    try:
        facts = parser.get_annotations(key=KEY) or {}
    except RuntimeError:
        return ""
    return str(facts.get("language") or "") if isinstance(facts, dict) else ""
