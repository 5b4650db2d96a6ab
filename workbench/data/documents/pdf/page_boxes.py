"""Where a sentence stands on its page: boxes to draw over the page's image.

Letters and digits are compared, nothing else: white space, hyphens at a line's end and marks of punctuation may differ
between the page and the passage. Of a sentence that goes on over a page's border, the part on this page is shown.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import NamedTuple

from workbench.core import UsageError
from workbench.data.documents.document_parts import FileRequest
from workbench.data.documents.pdf.page_geometry import Box, PageLine
from workbench.data.documents.pdf.pdf_pages import PdfPages, open_pdf

RESOLUTION = 110
"""Dots per inch of a page's image on a screen."""
LEAST_PART = 12
"""The fewest letters of a sentence that count as its part on a page."""


class ShownPage(NamedTuple):
    """A page as an image (PNG) with boxes on it, each as left, top, width and height in shares of the page (0 to 1)."""

    image: bytes
    boxes: list[Box]


def shown_page(request: FileRequest, number: int, sentence: str) -> ShownPage:
    """The image of a PDF file's page and the boxes of a sentence on it; none where it is not in the text layer.

    Raises DataError for a file that cannot be read, UsageError for a page that it does not have.
    """
    with open_pdf(request) as pages:
        if not 1 <= number <= len(pages):
            raise UsageError(f"{request.name} has no page {number}. Allowed: 1 to {len(pages):,}.")
        lines = pages.page(number).lines
        return ShownPage(_png(pages, number), _shares(sentence_boxes(lines, sentence), pages.size(number)))


def sentence_boxes(lines: Sequence[PageLine], sentence: str) -> list[Box]:
    """A box for each line that the sentence touches, in points; [] where the page does not have it."""
    page, places = "", list[tuple[int, Box]]()
    for number, line in enumerate(lines):
        for sign, box in zip(line.text, line.boxes, strict=True):
            for letter in _letters(sign):
                page += letter
                places.append((number, box))
    span = _span(page, _letters(sentence))
    by_line: dict[int, list[Box]] = {}
    for number, box in places[slice(*span)]:
        by_line.setdefault(number, []).append(box)
    return [_around(boxes, lines[number].box) for number, boxes in by_line.items()]


def _letters(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def _span(page: str, letters: str) -> tuple[int, int]:
    """Where `letters` are on the page; a part of them at its beginning or end where they cross its border."""
    place = page.find(letters) if letters else -1
    if place >= 0:
        return place, place + len(letters)
    for length in range(min(len(letters) - 1, len(page)), LEAST_PART - 1, -1):
        if page.endswith(letters[:length]):
            return len(page) - length, len(page)
        if page.startswith(letters[-length:]):
            return 0, length
    return 0, 0


def _around(boxes: Sequence[Box], line: Box) -> Box:
    """The box of some letters, as high as their line."""
    left, right = min(box[0] for box in boxes), max(box[2] for box in boxes)
    low, high = min(box[1] for box in boxes), max(box[3] for box in boxes)
    is_level = line[2] - line[0] >= line[3] - line[1]
    return (left, min(low, line[1]), right, max(high, line[3])) if is_level else (left, low, right, high)


def _shares(boxes: Sequence[Box], size: tuple[float, float]) -> list[Box]:
    width, height = size
    return [
        (left / width, 1 - top / height, (right - left) / width, (top - bottom) / height)
        for left, bottom, right, top in boxes
    ]


def _png(pages: PdfPages, number: int) -> bytes:
    image = io.BytesIO()
    pages.image(number, RESOLUTION).save(image, "PNG")
    return image.getvalue()
