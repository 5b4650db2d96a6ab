"""The files that are kept with a corpus: shared by its versions, and gone with the last one that has their document."""

from __future__ import annotations

from pathlib import Path

from workbench.core.records import Passage
from workbench.data.corpora.build import file_of, files_of
from workbench.data.corpora.corpus_library import CorpusLibrary


def _document(name: str, *texts: str, language: str = "en") -> list[Passage]:
    return [
        Passage(f"{name}-{language}-{number}", name, name, language, text, position=number, page=1, page_end=1)
        for number, text in enumerate(texts)
    ]


def _library(folder: Path) -> CorpusLibrary:
    library = CorpusLibrary(folder / "corpora")
    one, other = folder / "one.pdf", folder / "other.pdf"
    one.write_bytes(b"%PDF-1 one")
    other.write_bytes(b"%PDF-1 other")
    passages = [*_document("one.pdf", "Ships sail."), *_document("other.pdf", "Trains run.")]
    library.add("mine", passages, source="test", licence="", files=lambda: {"one.pdf": one, "other.pdf": other})
    return library


def _bytes(library: CorpusLibrary, document: str) -> bytes:
    path = file_of(library.open("mine").folder, document)
    return path.read_bytes() if path else b""


def test_a_file_is_kept_when_documents_are_added_and_when_the_indexes_are_built_again(tmp_path: Path) -> None:
    library = _library(tmp_path)
    library.add_documents("mine", _document("note.txt", "Birds fly."))
    library.index("mine")
    assert _bytes(library, "one.pdf") == b"%PDF-1 one"
    assert file_of(library.open("mine").folder, "note.txt") is None


def test_a_removed_documents_file_stays_in_the_former_version_alone(tmp_path: Path) -> None:
    library = _library(tmp_path)
    former = library.open("mine").folder
    library.remove_documents("mine", ["one.pdf"])
    assert list(files_of(library.open("mine").folder)) == ["other.pdf"]
    assert file_of(former, "one.pdf") is not None
    library.drop_version("mine", former.name)
    assert [path.name for path in (tmp_path / "corpora" / "mine").rglob("*.pdf")] == [
        path.name for path in files_of(library.open("mine").folder).values()
    ]


def test_a_replaced_documents_file_is_the_new_one_and_its_other_languages_are_gone(tmp_path: Path) -> None:
    library = _library(tmp_path)
    library.add_documents("mine", _document("one.pdf", "Laivat purjehtivat.", language="fi"))
    new = tmp_path / "new.pdf"
    new.write_bytes(b"%PDF-1 new")
    library.add_documents(
        "mine",
        _document("one.pdf", "Ships sank."),
        replaces=True,
        in_all_languages=True,
        files=lambda: {"one.pdf": new},
    )
    assert _bytes(library, "one.pdf") == b"%PDF-1 new"
    texts = {item.text for item in library.open("mine").table}
    assert texts == {"Ships sank.", "Trains run."}
