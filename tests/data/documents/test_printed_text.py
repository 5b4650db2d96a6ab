"""PDF files: words come back in the order in which they are read, and every sentence knows its place on the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmarks.documents.printing import print_by_chromium, texts, web_page
from benchmarks.documents.recovering import read, recovered
from tests.data.documents import office_files as files
from tests.data.documents.hostile_pdfs import line, one_page
from tests.data.documents.office_files import FIRST, SECOND, put
from workbench.core.errors import DataError
from workbench.data.documents.isolated_reading import (
    DocumentStart,
    FileRequest,
    IsolatedReader,
    OcrRequest,
    ReadingWarning,
    Section,
)
from workbench.data.documents.pdf import pdf_file
from workbench.data.documents.pdf.line_assembly import Glyph, assemble, logical_order
from workbench.data.documents.pdf.pdf_file import joined, page_blocks, read_pdf
from workbench.data.documents.pdf.pdf_pages import sentence_boxes

OFF = OcrRequest("off")
LANGUAGES = ("hi", "ar", "th")
COLUMNS = (
    "<div style='columns: 2; column-gap: 40px; width: 600px'>"
    + "".join(f"<p>Entry number {number} of the list names a boat and its owner.</p>" for number in range(1, 41))
    + "</div>"
)


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """Pages printed by Chromium: three languages, two columns, and a page turned by hand."""
    pages = {code: web_page(code) for code in LANGUAGES}
    pages["columns"] = f"<html><body style='font: 12pt serif'>{COLUMNS}</body></html>"
    turned = f"<p style='transform: rotate(90deg) translateX(250px); width: 500px'>{FIRST} {SECOND}</p>"
    pages["turned"] = f"<html><body>{turned}</body></html>"
    files_ = print_by_chromium(pages, tmp_path_factory.mktemp("printed"))
    if not files_:
        pytest.skip("no Chromium is installed: apt-get install chromium")
    return files_


@pytest.fixture(scope="module")
def reader() -> Iterator[IsolatedReader]:
    with IsolatedReader() as reader:
        yield reader


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_words_of_a_printed_text_come_back_in_order(
    code: str, printed: Mapping[str, Path], reader: IsolatedReader
) -> None:
    text, warnings = read(reader, printed[code])
    assert recovered(texts()[code], text) >= 0.98
    assert warnings == []


def test_columns_are_read_one_after_the_other(printed: Mapping[str, Path], reader: IsolatedReader) -> None:
    text, _ = read(reader, printed["columns"])
    places = [text.index(f"Entry number {number} of") for number in range(1, 41)]
    assert places == sorted(places)


def test_a_page_turned_by_hand_is_read(printed: Mapping[str, Path], reader: IsolatedReader) -> None:
    text, _ = read(reader, printed["turned"])
    assert " ".join(text.split()) == f"{FIRST} {SECOND}"


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_sentence_has_a_box_on_each_of_its_lines(
    code: str, printed: Mapping[str, Path], reader: IsolatedReader
) -> None:
    sentence = texts()[code].split("1932")[0][-20:] + "1932"
    shown = reader.shown_page(FileRequest(printed[code], code), 1, sentence)
    assert shown.image.startswith(b"\x89PNG")
    assert 1 <= len(shown.boxes) <= 2
    assert all(
        0 <= left < 1 and 0 <= top < 1 and width > 0 and 0 < height < 0.1 for left, top, width, height in shown.boxes
    )


def test_a_page_that_the_file_does_not_have_cannot_be_shown(
    printed: Mapping[str, Path], reader: IsolatedReader
) -> None:
    with pytest.raises(DataError, match="has no page 9"):
        reader.shown_page(FileRequest(printed["hi"], "hi"), 9, "x")


def glyphs(text: str, x: float, y: float, width: float = 6) -> list[Glyph]:
    return [Glyph(sign, (x + n * width, y, x + (n + 1) * width, y + 10)) for n, sign in enumerate(text)]


def test_glyphs_without_spaces_are_parted_where_a_gap_is() -> None:
    (only,) = assemble([*glyphs("two", 0, 0), *glyphs("boats", 22, 0)])
    assert only.text == "two boats"


def test_letters_whose_ink_alone_is_stated_stay_together() -> None:
    """Type 3 fonts, in which Chromium embeds Chinese and Japanese ones, state no advance; a space has no height."""
    ink = [Glyph("Will"[n], (n * 6, 0, n * 6 + 3, 10)) for n in range(4)]
    more = [Glyph("it"[n], (28 + n * 6, 0, 28 + n * 6 + 3, 10)) for n in range(2)]
    assert assemble([*ink, Glyph(" ", (23, 1, 26, 1)), *more])[0].text == "Will it"


def test_a_sign_of_another_font_goes_where_it_stands() -> None:
    """Programs write what a font lacks after the line."""
    letters = [*glyphs("ab", 0, 0), *glyphs("cd", 18, 0)]
    assert assemble([*letters, Glyph(".", (12, 0, 18, 3))])[0].text == "ab.cd"


def test_the_boxes_of_a_sentence_across_pages_are_those_on_this_page() -> None:
    lines = assemble([*glyphs("the harbour office", 0, 20), *glyphs("keeps a list", 0, 0)])
    assert len(sentence_boxes(lines, "office keeps a list")) == 2
    assert sentence_boxes(lines, "harbour") == [(24.0, 20, 66.0, 30)]
    assert sentence_boxes(lines, "office keeps a list of every boat that enters the bay") != []
    assert sentence_boxes(lines, "nothing of the kind") == []


@pytest.mark.parametrize(
    ("drawn", "read_"),
    [
        ("םלוע םולש", "שלום עולם"),
        ("1932 תנש", "שנת 1932"),
        (".Sifria רתא", "אתר Sifria."),
        ("(ברעה) ףוס", "סוף (הערב)"),
        (")ברעה( ףוס", "סוף (הערב)"),
    ],
)
def test_text_from_right_to_left_is_put_in_reading_order(drawn: str, read_: str) -> None:
    assert "".join(text for _, text in logical_order(list(drawn), right_to_left=True)) == read_


def test_lines_become_paragraphs() -> None:
    rows = {100: "One boat lies", 88: "at the pier of", 76: "the old harbour.", 49: "A new start"}
    lines = [line_ for height, text in rows.items() for line_ in assemble(glyphs(text, 0, height))]
    blocks = [block.text for block in page_blocks(lines, 10)]
    assert blocks == ["One boat lies at the pier of the old harbour.", "A new start"]


def test_a_word_cut_at_the_end_of_a_line_is_put_together() -> None:
    assert joined("the har-", "bour office") == "the harbour office"
    assert joined("Jean-", "Paul") == "Jean- Paul"


def test_a_scan_is_named_with_what_is_missing_to_recognise_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.data.documents.hostile_pdfs import written

    monkeypatch.setattr(pdf_file, "installed_data", frozenset)
    path = put(tmp_path, "scan.pdf", written(image=True))
    warnings = [part for part in read_pdf(FileRequest(path, "scan.pdf")) if isinstance(part, ReadingWarning)]
    assert [(warning.kind, warning.page) for warning in warnings] == [("scan", 1), ("ocr", 0)]
    assert "apt-get install tesseract-ocr" in warnings[1].message


@pytest.mark.skipif(
    "eng" not in pdf_file.installed_data(), reason="Tesseract is not installed: apt-get install tesseract-ocr"
)
def test_a_scan_is_recognised_where_tesseract_is_installed(tmp_path: Path) -> None:
    from benchmarks.documents.__main__ import as_images

    scan = as_images(put(tmp_path, "a.pdf", files.pdf(f"{FIRST}\n{SECOND}")))
    parts = list(read_pdf(FileRequest(scan, "scan.pdf", OcrRequest("missing", ("en",)))))
    text = " ".join(part.text for part in parts if isinstance(part, Section))
    assert recovered(f"{FIRST} {SECOND}", text) >= 0.9
    assert [part.kind for part in parts if isinstance(part, ReadingWarning)] == ["recognised"]


class FallsAt(IsolatedReader):
    """A reader whose process falls when it comes to a page."""

    def __init__(self, *pages: int) -> None:
        super().__init__(silence=60)
        self.pages = list(pages)

    def _receive(self, silence: float) -> dict[str, Any]:
        value = super()._receive(silence)
        if self.pages and value.get("part") == "PageMark" and value["page"] == self.pages[0]:
            del self.pages[0]
            assert self._process is not None
            self._process.kill()
            self._process.wait()
            self._buffer.clear()
        return value


def test_a_pdf_file_goes_on_after_the_page_at_which_its_reader_falls(tmp_path: Path) -> None:
    path = put(tmp_path, "a.pdf", files.pdf("First page.", "Second page.", "Third page."))
    with FallsAt(2) as falling:
        parts = list(falling.read(FileRequest(path, "a.pdf", OFF)))
    assert [(part.page, part.text) for part in parts if isinstance(part, Section)] == [
        (1, "First page."),
        (3, "Third page."),
    ]
    assert [part.page for part in parts if isinstance(part, ReadingWarning)] == [2]
    assert sum(isinstance(part, DocumentStart) for part in parts) == 1


def test_a_rotated_page_is_read_as_it_is_shown(tmp_path: Path) -> None:
    path = put(tmp_path, "a.pdf", one_page(line(FIRST.encode()), more=b"/Rotate 90"))
    parts = list(read_pdf(FileRequest(path, "a.pdf", OFF)))
    assert [part.text for part in parts if isinstance(part, Section)] == [FIRST]
