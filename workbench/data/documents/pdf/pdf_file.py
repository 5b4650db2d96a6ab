"""PDF files: the text of each page where its text layer gives it, and by its image where Tesseract is there."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from workbench.core import DataError, WorkbenchError
from workbench.data.documents.document_parts import DocumentStart, FileRequest, PageMark, Part, ReadingWarning
from workbench.data.documents.page_health import PageFault, page_fault
from workbench.data.documents.pdf import ocr
from workbench.data.documents.pdf.page_geometry import PageLine
from workbench.data.documents.pdf.page_text import page_blocks, sections
from workbench.data.documents.pdf.pdf_pages import PdfPage, PdfPages, open_pdf

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
