"""`corpora add` and `corpora show`: documents into a corpus, and its passages with their pages."""

from __future__ import annotations

from pathlib import Path

from tests.cli.terminal import Terminal
from tests.data.documents.office_files import FIRST, SECOND, pdf, put


def add(run: Terminal, *words: object) -> None:
    result = run("corpora", "add", "mine", *map(str, words), "--ocr", "off")
    assert result.code == 0, result.err


def test_the_passages_of_added_documents_are_listed_with_their_pages(run: Terminal, tmp_path: Path) -> None:
    add(run, put(tmp_path, "boats.pdf", pdf(FIRST, SECOND, title="The harbour")), "--chunking", "words-20")
    shown = run("corpora", "show", "mine", "--passages", "--json").json
    (passage,) = shown["passages"]
    assert shown["passages"] and shown["matches"] == 1
    assert {name: passage[name] for name in ("document", "title", "language", "page", "page_end")} == {
        "document": "boats.pdf", "title": "The harbour", "language": "en", "page": 1, "page_end": 2,
    }  # fmt: skip
    assert passage["text"].split() == f"{FIRST} {SECOND}".split()
    assert passage["id"].startswith("boats.pdf#")


def test_documents_are_added_to_a_corpus_that_is_there(run: Terminal, tmp_path: Path) -> None:
    add(run, put(tmp_path, "a.txt", FIRST))
    add(run, put(tmp_path, "b.txt", SECOND), "--lang", "fi")
    rows = run("corpora", "show", "mine", "--passages", "--json").json["passages"]
    assert [(row["document"], row["language"], row["page"]) for row in rows] == [
        ("a.txt", "en", None), ("b.txt", "fi", None),
    ]  # fmt: skip


def test_the_language_of_one_document_can_be_stated(run: Terminal, tmp_path: Path) -> None:
    add(run, put(tmp_path, "a.txt", FIRST), put(tmp_path, "b.txt", SECOND), "--lang-of", "b.txt=sw")
    rows = run("corpora", "show", "mine", "--passages", "--json").json["passages"]
    assert {row["document"]: row["language"] for row in rows} == {"a.txt": "en", "b.txt": "sw"}
    result = run("corpora", "add", "mine", str(tmp_path / "a.txt"), "--lang-of", "b.txt")
    assert result.code == 2 and "--lang-of report.pdf=fi" in result.err


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_added(run: Terminal, tmp_path: Path) -> None:
    result = run("corpora", "add", "mine", str(put(tmp_path, "a.txt", FIRST)), str(put(tmp_path, "b.pdf", b"no")))
    assert result.code == 0
    assert "b.pdf is not a PDF file" in result.err
    assert run("corpora", "show", "mine").out.startswith("mine\t1 passages")


def test_a_preview_changes_nothing(run: Terminal, tmp_path: Path) -> None:
    result = run("corpora", "add", "mine", str(put(tmp_path, "a.txt", FIRST)), "--preview", "--json")
    assert result.json["languages"] == {"en": 1}
    assert result.json["passages"][0]["text"] == FIRST
    assert run("corpora", "show", "mine").code == 2


def test_a_missing_file_and_an_unknown_way_of_splitting_are_refused(run: Terminal, tmp_path: Path) -> None:
    assert "There is no file" in run("corpora", "add", "mine", str(tmp_path / "no.pdf")).err
    result = run("corpora", "add", "mine", str(put(tmp_path, "a.txt", FIRST)), "--chunking", "pages")
    assert result.code == 2 and "Unknown way of splitting" in result.err
    assert run("corpora", "show", "mine", "--lang", "en").code == 2
