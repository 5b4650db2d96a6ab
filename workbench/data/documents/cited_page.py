"""The page that a passage is on, as an image with the boxes of the sentences that an answer rests on."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageChops, ImageDraw

from workbench.core import Evidence, Passage, Span
from workbench.data.corpora.corpus import Corpus
from workbench.data.corpora.document_files import file_of
from workbench.data.documents.document_parts import FileRequest
from workbench.data.documents.isolated_reading import IsolatedReader
from workbench.data.documents.pdf.page_boxes import ShownPage

PEN = (255, 225, 90)
SHOWN = 4
"""The first pages of a passage, which are looked at; few passages are on more than two."""
AROUND = 2
"""Pixels of the mark around a box."""


@dataclass(frozen=True, slots=True)
class CitedPage:
    """The pages of a file on which a passage is, and the sentences to mark; the passage itself where there are none."""

    file: Path
    document: str
    first: int
    last: int
    sentences: tuple[str, ...]

    @property
    def numbers(self) -> Sequence[int]:
        """The pages of the passage, from 1."""
        return range(self.first, max(self.first, self.last) + 1)


def cited_page(corpus: Corpus, evidence: Evidence, spans: Iterable[Span]) -> CitedPage | None:
    """The page of a document, None where it has none or its file is not kept.

    `spans` are in the text that the generator read: in a translation they mark nothing on the page, and the passage is
    marked.
    """
    passage = evidence.passage
    file = file_of(corpus.folder, passage.document) if passage.page else None
    if file is None:
        return None
    return CitedPage(file, passage.document, passage.page, passage.page_end, _sentences(passage, evidence, spans))


def page_images(cited: CitedPage) -> list[tuple[int, ShownPage]]:
    """The pages that have some of the sentences, by number with their image; the passage's first page where none has.

    Raises DataError where the file cannot be read.
    """
    pages: list[tuple[int, ShownPage]] = []
    with IsolatedReader() as reader:
        for number in cited.numbers[:SHOWN]:
            request = FileRequest(cited.file, cited.document)
            shown = [reader.shown_page(request, number, sentence) for sentence in cited.sentences]
            pages.append((number, ShownPage(shown[0].image, [box for each in shown for box in each.boxes])))
    return [page for page in pages if page[1].boxes] or pages[:1]


def marked_image(shown: ShownPage) -> bytes:
    """The image of a page (PNG) with its boxes marked as by a yellow pen, so that the text below them can be read."""
    if not shown.boxes:
        return shown.image
    with Image.open(io.BytesIO(shown.image)) as page:
        image = page.convert("RGB")
    pen = Image.new("RGB", image.size, "white")
    draw = ImageDraw.Draw(pen)
    width, height = image.size
    for left, top, wide, high in shown.boxes:
        corner = (left * width - AROUND, top * height - AROUND)
        draw.rectangle((*corner, (left + wide) * width + AROUND, (top + high) * height + AROUND), fill=PEN)
    out = io.BytesIO()
    ImageChops.multiply(image, pen).save(out, "PNG")
    return out.getvalue()


def _sentences(passage: Passage, evidence: Evidence, spans: Iterable[Span]) -> tuple[str, ...]:
    is_original = evidence.translation is None or evidence.translation.kind == "same"
    parts = (passage.text[span.start : span.end] for span in spans if is_original and span.rank == evidence.rank)
    return tuple(part for part in parts if any(map(str.isalnum, part))) or (passage.text,)
