"""Broken and hostile files: each is read or refused in one sentence, and nothing of it is half stored."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.data.documents.hostile_archives import ARCHIVES, SECRET
from tests.data.documents.hostile_pdfs import ANY, PDFS, READ, sound
from tests.data.documents.hostile_texts import TEXTS
from workbench.core.errors import DataError, WorkbenchError
from workbench.data.documents.isolated_reading import FileRequest, IsolatedReader, OcrRequest, ReadingWarning, Section
from workbench.data.documents.reading import DocumentReading, ReadingOptions

FILES = {**PDFS, **ARCHIVES, **TEXTS}
OFF = OcrRequest("off")


@pytest.fixture(scope="module")
def reader() -> Iterator[IsolatedReader]:
    """One process for all: a file that made it fall would be seen in the next one."""
    with IsolatedReader(silence=60) as reader:
        yield reader


@pytest.mark.parametrize("name", FILES)
def test_it_is_read_or_refused_in_one_sentence(name: str, reader: IsolatedReader, tmp_path: Path) -> None:
    make, expected = FILES[name]
    path = tmp_path / name
    path.write_bytes(make())
    parts, message = [], ""
    try:
        parts = list(reader.read(FileRequest(path, name, OFF)))
    except DataError as error:
        message = str(error)
    text = "".join(part.text for part in parts if isinstance(part, Section))
    warnings = [part.message for part in parts if isinstance(part, ReadingWarning)]
    if not message and not text.strip():
        message = warnings[0] if warnings else f"{name} has no text."
    if expected == READ:
        assert text.strip()
    elif expected != ANY:
        assert expected in message
    for sentence in [message, *warnings]:
        assert SECRET not in sentence
        assert "\n" not in sentence and "Traceback" not in sentence
        assert not sentence or (sentence.startswith(name.partition("/")[0]) and sentence.endswith("."))
    assert SECRET not in text and "never read" not in text


def test_a_process_that_falls_is_started_again(reader: IsolatedReader, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(sound())
    first = list(reader.read(FileRequest(tmp_path / "a.pdf", "a.pdf", OFF)))
    assert reader._process is not None
    reader._process.kill()
    reader._process.wait()
    assert list(reader.read(FileRequest(tmp_path / "a.pdf", "a.pdf", OFF))) == first


def test_a_file_that_takes_too_long_is_refused_and_the_next_one_read(tmp_path: Path) -> None:
    (tmp_path / "slow.txt").write_bytes(b"boat")
    (tmp_path / "a.pdf").write_bytes(sound())
    with IsolatedReader(silence=0.001) as hasty:
        with pytest.raises(DataError, match=r"^slow\.txt takes longer than 0 seconds"):
            list(hasty.read(FileRequest(tmp_path / "slow.txt", "slow.txt", OFF)))
        hasty._silence = 60
        assert list(hasty.read(FileRequest(tmp_path / "a.pdf", "a.pdf", OFF)))


def test_a_file_that_needs_too_much_memory_is_refused_and_the_next_one_read(tmp_path: Path) -> None:
    (tmp_path / "large.html").write_bytes(b"<p>" + b"<b>boat</b>" * 1_500_000)
    (tmp_path / "a.pdf").write_bytes(sound())
    good = FileRequest(tmp_path / "a.pdf", "a.pdf", OFF)
    with IsolatedReader(memory=400 << 20, silence=60) as reader:
        before = list(reader.read(good))
        with pytest.raises(DataError, match=r"^large\.html "):
            list(reader.read(FileRequest(tmp_path / "large.html", "large.html", OFF)))
        assert list(reader.read(good)) == before


def test_a_large_text_is_streamed(reader: IsolatedReader, tmp_path: Path) -> None:
    """Twenty megabytes here; benchmarks/documents reads five hundred, and measures memory."""
    path = tmp_path / "large.txt"
    path.write_bytes(b"The harbour office keeps a list of every boat.\n" * 450_000)
    total = longest = 0
    for part in reader.read(FileRequest(path, "large.txt", OFF)):
        if isinstance(part, Section):
            total, longest = total + len(part.text), max(longest, len(part.text))
    assert total > 0.99 * path.stat().st_size
    assert longest <= 20_000


def test_of_a_file_that_breaks_off_no_passage_is_left(tmp_path: Path) -> None:
    rows = [f'{{"id": "{number}", "text": "Boat number {number} lies at the pier."}}' for number in range(300)]
    (tmp_path / "cut.jsonl").write_text("\n".join([*rows, '{"text": "no end']), encoding="utf-8")
    (tmp_path / "good.txt").write_text("The harbour office keeps a list of every boat.", encoding="utf-8")
    reading = DocumentReading([tmp_path / "cut.jsonl", tmp_path / "good.txt"], ReadingOptions(ocr=OFF))
    assert [passage.document for passage in reading.passages()] == ["good.txt"]
    assert "line 301" in reading.report.refused["cut.jsonl"]


def test_where_nothing_can_be_read_nothing_is_stored(tmp_path: Path) -> None:
    from workbench.data.corpora.corpus_library import CorpusLibrary
    from workbench.data.documents.reading import add_files

    (tmp_path / "a.pdf").write_bytes(b"no PDF")
    library = CorpusLibrary(tmp_path / "corpora")
    with pytest.raises(WorkbenchError, match="is not a PDF file"):
        add_files(library, "mine", [tmp_path / "a.pdf"], ReadingOptions(ocr=OFF))
    assert library.list() == []
    assert not list((tmp_path / "corpora").glob("mine/*"))


def nested_forms(depth: int = 12, width: int = 10) -> bytes:
    """A PDF file of one page whose forms draw each other, `width` times at each of `depth` levels."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /XObject << /F 5 0 R >> >> >>",
        b"<< /Length 5 >>\nstream\n/F Do\nendstream",
    ]
    for level in range(depth):
        inner = b"/Resources << /XObject << /F %d 0 R >> >> " % (6 + level) if level < depth - 1 else b""
        body = b"/F Do " * width if inner else b"0 0 m 9 9 l S"
        objects.append(
            b"<< /Type /XObject /Subtype /Form /BBox [0 0 99 99] %s/Length %d >>\nstream\n%s\nendstream"
            % (inner, len(body), body)
        )
    text, places = b"%PDF-1.4\n", []
    for number, item in enumerate(objects, start=1):
        places.append(len(text))
        text += b"%d 0 obj\n%s\nendobj\n" % (number, item)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return text + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (len(objects) + 1, table, len(objects) + 1, len(text))
    )


def test_a_page_that_takes_too_long_is_named_and_so_is_its_place_in_an_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.data.documents.isolated_reading.PAGE_SECONDS", 2.0)
    (tmp_path / "forms.pdf").write_bytes(nested_forms())
    with zipfile.ZipFile(tmp_path / "forms.zip", "w") as archive:
        for number in range(100):
            archive.write(tmp_path / "forms.pdf", f"{number}.pdf")
    with IsolatedReader() as reader:
        parts = list(reader.read(FileRequest(tmp_path / "forms.pdf", "forms.pdf", OFF)))
        assert [part.message for part in parts if isinstance(part, ReadingWarning)] == [
            "forms.pdf, page 1 takes longer than 2 seconds: its text is missing."
        ]
        with pytest.raises(DataError, match=r"^forms\.zip holds forms\.zip/0\.pdf, which takes longer than 2 seconds"):
            list(reader.read(FileRequest(tmp_path / "forms.zip", "forms.zip", OFF)))
