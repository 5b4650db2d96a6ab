"""PDF files: words come back in the order in which they are read, and every sentence knows its place on the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmarks.documents.printing import FONTS, print_by_chromium, texts, web_page
from benchmarks.documents.recovering import read, recovered
from tests.data.documents import office_files as files
from tests.data.documents.hostile_pdfs import line, one_page
from tests.data.documents.office_files import FIRST, SECOND, put
from workbench.core.errors import DataError
from workbench.data.documents.furniture import mark_furniture
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
from workbench.data.documents.pdf.pdf_file import joined, page_blocks, read_pdf, usual_height
from workbench.data.documents.pdf.pdf_pages import sentence_boxes

OFF = OcrRequest("off")
LANGUAGES = ("hi", "ar", "th")
COLUMNS = (
    "<div style='columns: 2; column-gap: 40px; width: 600px'>"
    + "".join(f"<p>Entry number {number} of the list names a boat and its owner.</p>" for number in range(1, 41))
    + "</div>"
)


ENTRY = "<li>^ “Boat {0} of the harbour, and its owner”. https://boats.example.org/2019/boat-{0}-of-the-harbour.</li>"
ARTICLE = """<html dir={direction}><body style='font: 11pt {font}; width: 640px'><h1>{title}</h1>
<table style='float: inline-end; width: 15em; border: 1px solid #aaa; font-size: 9pt; border-collapse: collapse'>
<caption>{title}</caption>
<tr><td colspan=2 style='padding: 70px 0 30px; text-align: center'>{title}, {title}, {title}</td></tr>
{rows}</table>{paragraphs}
<ol dir=ltr style='columns: 2; column-gap: 20px; font-size: 8pt; overflow-wrap: anywhere'>{entries}</ol>
</body></html>"""
BOXES = {
    "hi": [("बड़े घाट की कुल लंबाई", "412 मीटर"), ("नावें", "87, जिनमें दस चप्पू वाली हैं"), ("उद्घाटन", "3 जून 1951")],
    "ar": [("الطول الكلي للرصيف الكبير", "412 متر"), ("عدد القوارب في المرفأ", "87"), ("سنة الافتتاح", "1951")],
    "zh": [("码头总长", "412米"), ("船只", "87艘"), ("通航日期", "1951年6月3日")],
}


def article(code: str) -> str:
    """A page with an info box beside its text, and references in two columns of small print."""
    title = BOXES[code][1][0]
    cell = "style='vertical-align: top; text-align: start; padding: 3px 6px'"
    rows = "".join(f"<tr><th {cell}>{label}</th><td {cell}>{value}</td></tr>" for label, value in BOXES[code])
    return ARTICLE.format(
        direction="rtl" if code == "ar" else "ltr", font=FONTS[code].replace(" ", "\\ "), title=title, rows=rows,
        paragraphs=f"<p>{texts()[code]}</p>", entries="".join(map(ENTRY.format, range(1, 15))),
    )  # fmt: skip


def sections_of(path: Path) -> list[Section]:
    return [part for part in read_pdf(FileRequest(path, path.name, OFF)) if isinstance(part, Section)]


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """Pages printed by Chromium: three languages, two columns, and a page turned by hand."""
    pages = {code: web_page(code) for code in LANGUAGES}
    pages["columns"] = f"<html><body style='font: 12pt serif'>{COLUMNS}</body></html>"
    pages |= {f"article-{code}": article(code) for code in BOXES}
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


@pytest.mark.parametrize("code", sorted(BOXES))
def test_the_box_beside_an_article_is_a_table_of_its_own_before_the_text(
    code: str, printed: Mapping[str, Path]
) -> None:
    parts = sections_of(printed[f"article-{code}"])
    kinds = [part.kind for part in parts]
    assert kinds.index("heading") < kinds.index("table") < kinds.index("text")
    table = parts[kinds.index("table")]
    assert table.text.split("\n")[-3:] == [f"{label}: {value}" for label, value in BOXES[code]]
    text = " ".join(part.text for part in parts if part.kind == "text")
    assert recovered(texts()[code], text) >= 0.98


@pytest.mark.parametrize("code", sorted(BOXES))
def test_references_in_columns_of_small_print_are_known_in_any_page(code: str, printed: Mapping[str, Path]) -> None:
    marked = list(mark_furniture(sections_of(printed[f"article-{code}"])))
    references = "".join("".join(part.text.split()) for part in marked if part.furniture == "references")
    places = [references.index(f"Boat{number}oftheharbour") for number in range(1, 15)]
    assert places == sorted(places)
    assert not any("example.org" in part.text for part in marked if part.furniture is None)


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


@pytest.mark.parametrize("raised", [0, 5])
def test_columns_that_a_file_mixes_line_by_line_are_parted(raised: int) -> None:
    rows = [glyphs(f"{side} {n}", x, 100 - 20 * n + up) for n in range(4)
            for side, x, up in (("left", 0, 0), ("right", 200, raised))]  # fmt: skip
    order = [f"{side} {n}" for side in ("left", "right") for n in range(4)]
    assert [line_.text for line_ in assemble([letter for row in rows for letter in row])] == order


def test_what_the_line_above_overlaps_stays_in_its_line() -> None:
    """Boxes of Arabic and Indic fonts are higher than the distance of two lines; stops are drawn first."""
    tall = [glyph._replace(box=(*glyph.box[:3], glyph.box[1] + 22)) for glyph in
            (*glyphs("abc def", 0, 16), *glyphs(".gh", 30, 0))]  # fmt: skip
    assert [line_.text for line_ in assemble(tall)] == ["abc def", ".gh"]


def test_items_of_a_list_are_paragraphs_and_the_rest_of_a_number_is_none() -> None:
    rows = {100: "3.^ The pier of the", 88: "harbour. ISBN 978-0-19-28014-", 76: "3. Read 2012.", 64: "4.Boats"}
    lines = [line_ for height, text in rows.items() for line_ in assemble(glyphs(text, 0, height))]
    assert [block.text for block in page_blocks(lines, 10)] == [
        "3.^ The pier of the harbour. ISBN 978-0-19-28014-3. Read 2012.", "4.Boats",
    ]  # fmt: skip


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


def test_small_print_makes_no_heading_of_the_text_and_a_sentence_is_none() -> None:
    lines = {"The text of the harbour is long enough. " * 4: 10.0, "small print of a list " * 9: 8.0, "Boats": 14.0}
    heights = [(height, len(text)) for text, height in lines.items()]
    assert usual_height(heights) == 10.0
    sentence = assemble(glyphs("The largest boat lies at the pier of the harbour.", 0, 0))
    assert [block.kind for block in page_blocks(sentence, 8)] == ["text"]
    assert [block.kind for block in page_blocks(assemble(glyphs("The largest boat", 0, 0)), 8)] == ["heading"]


def test_a_row_of_links_has_a_bar_in_each_wide_gap() -> None:
    places = {"Home": 0, "Articles": 34, "Talk": 92, "Tools": 126}
    words = [letter for word, x in places.items() for letter in glyphs(word, x, 0)]
    assert [block.text for block in page_blocks(assemble(words), 10)] == ["Home | Articles | Talk | Tools"]


def test_a_word_cut_at_the_end_of_a_line_is_put_together() -> None:
    assert joined("the har-", "bour office") == "the harbour office"
    assert joined("Jean-", "Paul") == "Jean- Paul"
    assert joined("on 2021-01-", "25") == "on 2021-01-25"
    assert joined("https://boats.example.org/the-", "harbour") == "https://boats.example.org/the-harbour"


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
