"""Each format gives its text in order, with titles, headings, pages and languages where it has them."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from openpyxl import Workbook
from pptx import Presentation

from tests.data.documents import office_files as files
from tests.data.documents.hostile_archives import ARCHIVES, book, chapters, paragraph, word, zipped
from tests.data.documents.hostile_texts import TEXTS
from tests.data.documents.office_files import FIRST, SECOND, put
from workbench.core.errors import DataError
from workbench.data.documents.formats import archive, markup, plain_text
from workbench.data.documents.isolated_reading import (
    DocumentStart,
    FileRequest,
    OcrRequest,
    Part,
    ReadingWarning,
    Section,
)
from workbench.data.documents.isolated_worker import read_file

OFF = OcrRequest("off")


def parts(folder: Path, name: str, data: bytes | str) -> list[Part]:
    return list(read_file(FileRequest(put(folder, name, data), name, OFF)))


def starts(read: list[Part]) -> list[DocumentStart]:
    return [part for part in read if isinstance(part, DocumentStart)]


def placed(read: list[Part]) -> list[tuple[str, int, str]]:
    """Text, page and heading of each section that is not a heading itself."""
    sections = [part for part in read if isinstance(part, Section) and part.kind != "heading"]
    return [(part.text.strip(), part.page, part.heading) for part in sections]


def test_a_word_file_gives_its_title_and_its_text_under_headings(tmp_path: Path) -> None:
    read = parts(tmp_path, "a.docx", files.docx())
    assert starts(read) == [DocumentStart("a.docx", "The harbour")]
    assert placed(read) == [(FIRST, 0, "Summer"), (f"{SECOND}\n\nBoat | Owner", 0, "Winter")]


def test_a_slide_is_a_page_under_its_title_with_its_notes(tmp_path: Path) -> None:
    read = parts(tmp_path, "a.pptx", files.pptx())
    assert placed(read) == [(FIRST, 1, "Summer"), (SECOND, 2, "Winter"), ("Ask the clerk.", 2, "Winter")]


def test_each_sheet_of_a_workbook_is_a_document_of_rows(tmp_path: Path) -> None:
    read = parts(tmp_path, "a.xlsx", files.xlsx())
    assert [start.name for start in starts(read)] == ["a.xlsx/Boats", "a.xlsx/Nets"]
    assert placed(read) == [("boat: Gull; owner: Aino", 0, "Boats"), ("net: long; length: 40", 0, "Nets")]


def test_a_book_is_read_in_the_order_of_its_spine(tmp_path: Path) -> None:
    read = parts(tmp_path, "a.epub", files.epub())
    assert starts(read) == [DocumentStart("a.epub", "Boats", "en")]
    assert placed(read) == [(FIRST, 0, "Summer"), (SECOND, 0, "Winter")]


def test_a_pdf_file_gives_its_pages_and_headings(tmp_path: Path) -> None:
    read = parts(tmp_path, "a.pdf", files.pdf(f"# Summer\n{FIRST}", SECOND, title="The harbour"))
    assert starts(read) == [DocumentStart("a.pdf", "The harbour", pages=2)]
    assert placed(read) == [(FIRST, 1, "Summer"), (SECOND, 2, "Summer")]


def test_a_web_page_is_read_without_its_scripts_and_its_language_is_stated(tmp_path: Path) -> None:
    page = (
        f'<html lang="fi"><head><title>T</title></head><body><h2>Summer</h2><p>{FIRST}<script>no()</script></p></body>'
    )
    read = parts(tmp_path, "a.html", page)
    assert starts(read) == [DocumentStart("a.html", "T", "fi")]
    assert placed(read) == [(FIRST, 0, "Summer")]


def test_a_long_web_page_is_read_without_its_menu(tmp_path: Path) -> None:
    menu = "".join(f'<li><a href="/{n}">Menu entry {n}</a></li>' for n in range(40))
    body = "".join(f"<p>{FIRST} It is the entry number {n} of the book. {SECOND}</p>" for n in range(40))
    page = f"<html><body><nav><ul>{menu}</ul></nav><article><h1>Boats</h1>{body}</article></body></html>"
    text = "".join(text for text, _, _ in placed(parts(tmp_path, "a.html", page)))
    assert "entry number 39" in text
    assert "Menu entry" not in text


def test_the_cells_of_a_row_stay_together(tmp_path: Path) -> None:
    page = "<table><tr><th>Boat</th><th>Owner</th></tr><tr><td><p>Gull</p></td><td>Aino</td></tr></table><p>End.</p>"
    assert placed(parts(tmp_path, "a.html", page)) == [("Boat | Owner\n\nGull | Aino\n\nEnd.", 0, "")]


def test_markdown_gives_headings_of_both_kinds_and_plain_words(tmp_path: Path) -> None:
    text = (
        f"# Summer\n\nSee **the [list](https://example.org)**.\n\nWinter\n======\n{SECOND}\n\n```\n# no heading\n```\n"
    )
    read = parts(tmp_path, "a.md", text)
    assert starts(read) == [DocumentStart("a.md", "Summer")]
    assert placed(read) == [("See the list.", 0, "Summer"), (f"{SECOND}\n\n# no heading", 0, "Winter")]


def test_markdown_may_state_its_title_and_language(tmp_path: Path) -> None:
    read = parts(tmp_path, "a.md", f"---\ntitle: Boats\nlang: fi\n---\n{FIRST}\n")
    assert starts(read) == [DocumentStart("a.md", "Boats", "fi")]
    assert placed(read) == [(FIRST, 0, "")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_text_is_read_in_the_encoding_that_its_mark_states(encoding: str, tmp_path: Path) -> None:
    assert placed(parts(tmp_path, "a.txt", "Satama ✓ ميناء\r\nEnd.".encode(encoding))) == [
        ("Satama ✓ ميناء\nEnd.", 0, "")
    ]


def test_rows_with_a_text_are_documents(tmp_path: Path) -> None:
    read = parts(tmp_path, "a.csv", f"id,title,language,text\n7,Summer,en,{FIRST}\n")
    assert starts(read) == [DocumentStart("a.csv#7", "Summer", "en")]
    assert placed(read) == [(FIRST, 0, "")]


def test_json_lines_keep_their_pages_and_headings(tmp_path: Path) -> None:
    lines = (
        f'{{"id": "b", "text": "{FIRST}", "page": 3, "heading": "Summer"}}\n'
        f'{{"id": "b", "text": "{SECOND}", "page": 4}}\n'
    )
    read = parts(tmp_path, "a.jsonl", lines)
    assert [start.name for start in starts(read)] == ["a.jsonl#b"]
    assert placed(read) == [(FIRST, 3, "Summer"), (SECOND, 4, "")]


def test_the_members_of_an_archive_are_read_and_those_that_cannot_be_are_named(tmp_path: Path) -> None:
    data = files.archive(a__txt=FIRST.encode(), b__exe=b"MZ", c__pdf=files.pdf(SECOND))
    read = parts(tmp_path, "a.zip", data)
    assert [start.name for start in starts(read)] == ["a.zip/a.txt", "a.zip/c.pdf"]
    assert placed(read) == [(FIRST, 0, ""), (SECOND, 1, "")]
    (warning,) = [part for part in read if isinstance(part, ReadingWarning)]
    assert warning.message.startswith("a.zip/b.exe is in a format that is not read")


def test_the_content_decides_where_the_name_is_wrong(tmp_path: Path) -> None:
    assert placed(parts(tmp_path, "a.txt", files.pdf(FIRST))) == [(FIRST, 1, "")]
    assert placed(parts(tmp_path, "a.zip", files.pptx()))[0] == (FIRST, 1, "Summer")


def test_macros_are_reported(tmp_path: Path) -> None:
    read = parts(tmp_path, "a.docm", word(paragraph(FIRST), extra={"word/vbaProject.bin": b"x"}))
    assert ReadingWarning("a.docm", "macros", "a.docm contains macros, which are not run.") in read


def test_an_unknown_format_is_refused_with_those_that_are_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"allowed are \.pdf, \.docx"):
        parts(tmp_path, "a.odt", b"something")


def warnings(read: list[Part]) -> list[str]:
    return [part.message for part in read if isinstance(part, ReadingWarning)]


REFUSED = ("locked.zip", "sharing.zip", "zip-in-zip.zip", "link.zip", "damaged.zip", "no-package.epub", "entity.epub",
           "entity.docx", "not-slides.pptx", "nul.txt", "latin.txt", "half-unit.txt", "nul.html")  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_reader_itself_refuses_what_is_hostile_whatever_process_it_is_in(name: str, tmp_path: Path) -> None:
    make, expected = {**ARCHIVES, **TEXTS}[name]
    with pytest.raises(DataError, match=expected) as caught:
        parts(tmp_path, name, make())
    assert str(caught.value).startswith(name) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("limit", "name", "words"),
    [
        ("MEMBERS_LIMIT", "a.zip", "holds more than 1 files, so nothing of it was read: split it"),
        ("UNPACKED_LIMIT", "a.zip", "unpacks to more than 0 MiB"),
        ("XML_LIMIT", "a.docx", "has a part of more than 0 MiB"),
        ("CHAPTER_LIMIT", "a.epub", "has a chapter of more than 0 MiB"),
    ],
)
def test_a_file_beyond_a_limit_is_refused_before_it_is_unpacked(
    limit: str, name: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contents = {"a.zip": files.archive(a__txt=b"boat", b__txt=b"boat"), "a.docx": files.docx(), "a.epub": files.epub()}
    assert parts(tmp_path, name, contents[name])
    monkeypatch.setattr(archive, limit, 1)
    with pytest.raises(DataError) as caught:
        parts(tmp_path, name, contents[name])
    assert words.split(",")[0] in str(caught.value)


def test_a_web_page_beyond_the_limit_and_one_without_an_element_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(DataError, match=r"^b\.html has no text"):
        parts(tmp_path, "b.html", " \n")
    monkeypatch.setattr(markup, "PAGE_LIMIT", 10)
    with pytest.raises(DataError, match=r"^a\.html is an HTML page of more than 0 MiB"):
        parts(tmp_path, "a.html", f"<p>{FIRST}</p>")


def test_what_a_system_adds_to_an_archive_is_passed_over_and_links_are_named(tmp_path: Path) -> None:
    data = files.archive(a__txt=FIRST.encode(), __MACOSX=b"x")
    with zipfile.ZipFile(put(tmp_path, "made.zip", data), "a") as target:
        target.writestr("__MACOSX/a.txt", "never read")
        target.writestr("Thumbs.db", "never read")
        target.mkdir("empty")
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = 0o120777 << 16
        target.writestr(link, "/etc/passwd")
    read = parts(tmp_path, "a.zip", (tmp_path / "made.zip").read_bytes())
    assert placed(read) == [(FIRST, 0, "")]
    assert "a.zip/link.txt is a link, which is not followed." in warnings(read)


def test_a_slide_gives_its_tables_and_what_is_grouped_in_order_and_its_macros_are_reported(tmp_path: Path) -> None:
    slides = Presentation()
    slide = slides.slides.add_slide(slides.slide_layouts[6])
    table = slide.shapes.add_table(2, 2, 0, 0, 100, 100).table
    for row, cells in enumerate((("Boat", "Owner"), ("Gull", "Aino"))):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    group = slide.shapes.add_group_shape()
    for text in (FIRST, SECOND):
        group.shapes.add_textbox(0, 0, 100, 100).text_frame.text = text
    slides.save(str(tmp_path / "made.pptx"))
    with zipfile.ZipFile(tmp_path / "made.pptx", "a") as target:
        target.writestr("ppt/vbaProject.bin", b"x")
    read = parts(tmp_path, "a.pptm", (tmp_path / "made.pptx").read_bytes())
    assert placed(read) == [(f"Boat | Owner\nGull | Aino\n{FIRST}\n{SECOND}", 1, "")]
    assert warnings(read) == ["a.pptm contains macros, which are not run."]


def test_a_book_without_a_chapter_that_it_lists_gives_the_others(tmp_path: Path) -> None:
    page = f"<html><body><h1>Summer</h1><p>{FIRST}</p></body></html>"
    read = parts(tmp_path, "a.epub", book(chapters("gone.xhtml", "a.xhtml"), {"OEBPS/a.xhtml": page}))
    assert placed(read) == [(FIRST, 0, "Summer")]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (book("<package", {}), "is not a complete EPUB"),
        (zipped({"META-INF/container.xml": "<container/>"}), "names no package, as an EPUB does"),
        (
            book(chapters("a.xhtml"), {"OEBPS/a.xhtml": b"", "META-INF/encryption.xml": "<e/>"}),
            "is protected against copying",
        ),
    ],
)
def test_a_book_that_is_incomplete_or_protected_is_refused(data: bytes, words: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=words):
        parts(tmp_path, "a.epub", data)


def test_a_word_file_with_broken_properties_has_no_title_and_one_with_broken_text_is_refused(tmp_path: Path) -> None:
    read = parts(tmp_path, "a.docx", word(paragraph(FIRST), extra={"docProps/core.xml": "<title"}))
    assert starts(read) == [DocumentStart("a.docx", "")]
    with pytest.raises(DataError, match=r"^b\.docx is not a complete Word file \("):
        parts(tmp_path, "b.docx", zipped({"word/document.xml": "<w:document"}))


def test_an_empty_sheet_is_passed_over_and_numbers_are_written_as_they_look(tmp_path: Path) -> None:
    workbook = Workbook()
    sheet = workbook.active
    assert sheet is not None
    sheet.append(["net", "length", "price", None])
    sheet.append(["long", 40.0, 2.5])
    sheet.append([None, 7])
    workbook.create_sheet("Empty")
    workbook.save(tmp_path / "made.xlsx")
    read = parts(tmp_path, "a.xlsx", (tmp_path / "made.xlsx").read_bytes())
    assert placed(read) == [("net: long; length: 40; price: 2.5\nlength: 7", 0, "Sheet")]


def test_a_long_text_is_cut_between_paragraphs_or_else_between_words(tmp_path: Path) -> None:
    paragraphs = "\n\n".join([FIRST * 30] * 200)
    for text in (paragraphs, f"{FIRST} " * 6_000, "x" * 300_000):
        read = parts(tmp_path, "a.txt", text)
        sections = [part.text for part in read if isinstance(part, Section)]
        assert "".join(sections) == text and max(map(len, sections)) <= 20_000
        if " " in text:
            assert all(section[-1].isspace() for section in sections[:-1]), "no word is cut"


def test_an_end_of_line_that_lies_across_two_reads_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_text, "PIECE", 5)
    assert placed(parts(tmp_path, "a.txt", "Boat\r\nNet.\rEnd\r")) == [("Boat\nNet.\nEnd", 0, "")]


@pytest.mark.parametrize("line", [f"{FIRST} " * 9_000, " " * 400_000 + FIRST])
def test_a_line_of_markdown_without_end_is_read_in_pieces(line: str, tmp_path: Path) -> None:
    read = parts(tmp_path, "a.md", f"# Summer\n\n{line}")
    texts = [part.text for part in read if isinstance(part, Section) and part.kind != "heading"]
    assert " ".join("".join(texts).split()) == " ".join(line.split())
    assert max(map(len, texts)) <= 20_000


@pytest.mark.parametrize(
    "page",
    [
        "<p>Satama ✓ ميناء</p>".encode(),
        '<?xml version="1.0" encoding="utf-8"?><p>Satama ✓ ميناء</p>'.encode(),
        "<meta charset='windows-1252'><p>caf\u00e9 – Satama</p>".encode("cp1252"),
    ],
)
def test_a_web_page_is_read_in_utf_8_where_it_is_that_and_else_in_what_it_states(page: bytes, tmp_path: Path) -> None:
    expected = "café – Satama" if b"1252" in page else "Satama ✓ ميناء"
    assert placed(parts(tmp_path, "a.html", page)) == [(expected, 0, "")]
