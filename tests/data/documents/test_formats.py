"""Each format gives its text in order, with titles, headings, pages and languages where it has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.data.documents import office_files as files
from tests.data.documents.office_files import FIRST, SECOND, put
from workbench.core.errors import DataError
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
    assert starts(read) == [DocumentStart("a.pdf", "The harbour")]
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
    from tests.data.documents.hostile_archives import paragraph, word

    read = parts(tmp_path, "a.docm", word(paragraph(FIRST), extra={"word/vbaProject.bin": b"x"}))
    assert ReadingWarning("a.docm", "macros", "a.docm contains macros, which are not run.") in read


def test_an_unknown_format_is_refused_with_those_that_are_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"allowed are \.pdf, \.docx"):
        parts(tmp_path, "a.odt", b"something")
