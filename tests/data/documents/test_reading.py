"""Files become passages with their documents, pages and languages; what repeats and what is wrong is reported."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from benchmarks.documents.printing import texts
from tests.data.documents import office_files as files
from tests.data.documents.office_files import FIRST, SECOND, put
from workbench.core.errors import DataError, UsageError
from workbench.core.records import Passage
from workbench.data.browsing import passage_page
from workbench.data.corpora.corpus_library import CorpusLibrary
from workbench.data.documents import reading as reading_module
from workbench.data.documents.chunking import NearDuplicates, grams
from workbench.data.documents.isolated_reading import OcrRequest
from workbench.data.documents.reading import DocumentReading, ReadingOptions, add_files, named_files, preview

OFF = OcrRequest("off")
PLAIN = ReadingOptions(ocr=OFF)


def passages(*paths: Path, options: ReadingOptions = PLAIN) -> list[Passage]:
    return list(DocumentReading(paths, options).passages())


def test_a_passage_names_its_document_its_page_and_its_neighbours(tmp_path: Path) -> None:
    text = " ".join(f"Boat number {number} lies at the pier of the harbour." for number in range(25))
    path = put(tmp_path, "list.pdf", files.pdf(text, text.replace("Boat", "Net"), title="The list"))
    read = passages(path)
    assert {item.document for item in read} == {"list.pdf"}
    assert {item.title for item in read} == {"The list"}
    assert [item.position for item in read] == list(range(len(read)))
    assert [item.next for item in read[:-1]] == [item.id for item in read[1:]]
    assert [item.previous for item in read[1:]] == [item.id for item in read[:-1]]
    assert (read[0].page, read[-1].page_end) == (1, 2)


def test_the_ids_of_passages_stay_where_the_document_changes_elsewhere(tmp_path: Path) -> None:
    first = [
        item.id for item in passages(put(tmp_path, "a.jsonl", '{"id": 1, "text": "One"}\n{"id": 2, "text": "Two"}'))
    ]
    changed = put(tmp_path, "a.jsonl", '{"id": 0, "text": "New"}\n{"id": 1, "text": "One"}\n{"id": 2, "text": "Two"}')
    assert [item.id for item in passages(changed)][1:] == first


def test_equal_passages_of_a_document_have_ids_of_their_own(tmp_path: Path) -> None:
    path = put(tmp_path, "a.txt", " ".join(["boat"] * 300))
    ids = [item.id for item in passages(path)]
    assert len(ids) == len(set(ids)) == 3


def test_each_passage_of_a_mixed_file_has_its_language(tmp_path: Path) -> None:
    mixed = "\n\n".join([texts()["hi"], texts()["ar"], texts()["ta"]])
    reading = DocumentReading([put(tmp_path, "mixed.txt", mixed)], ReadingOptions("sentences-200-0", ocr=OFF))
    read = list(reading.passages())
    assert {"hi", "ar", "ta"} <= {item.language for item in read}
    assert reading.report.languages.total() == len(read)


def test_a_language_can_be_stated_for_all_documents_or_for_one(tmp_path: Path) -> None:
    paths = [put(tmp_path, "a.txt", FIRST), put(tmp_path, "b.txt", SECOND)]
    read = passages(*paths, options=ReadingOptions(language="fi", languages={"b.txt": "sw"}, ocr=OFF))
    assert [item.language for item in read] == ["fi", "sw"]


def test_a_passage_without_words_takes_the_language_of_its_document(tmp_path: Path) -> None:
    numbers = " ".join(str(number) for number in range(100, 300))
    (*_, last) = passages(put(tmp_path, "a.txt", f"{texts()['te']} {texts()['te']} {numbers}"))
    assert last.language == "te"


def test_the_title_is_the_file_s_name_where_it_states_none_and_may_be_left_out(tmp_path: Path) -> None:
    path = put(tmp_path, "The harbour.txt", FIRST)
    assert passages(path)[0].searchable == f"The harbour\n{FIRST}"
    assert passages(path, options=ReadingOptions(with_title=False, ocr=OFF))[0].searchable == FIRST


def test_files_are_read_beside_more_than_1024_open_ones(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 1_400:
        pytest.skip(f"This machine allows {hard} open files.")
    path = put(tmp_path, "a.txt", FIRST)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1_400), hard))
    opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(1_100)]
    try:
        assert [passage.document for passage in DocumentReading([path], ReadingOptions()).passages()] == ["a.txt"]
    finally:
        for number in opened:
            os.close(number)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
    paths = [put(tmp_path / "one", "a.txt", FIRST), put(tmp_path / "two", "a.txt", SECOND), put(tmp_path, "b.txt", "x")]
    assert list(named_files([*paths, paths[0]])) == ["one/a.txt", "two/a.txt", "b.txt"]


def test_passages_that_nearly_repeat_are_reported_and_can_be_left_out(tmp_path: Path) -> None:
    for code in ("en", "zh", "th"):
        text = f"{FIRST} {SECOND}" if code == "en" else texts()[code][:95]
        paths = [put(tmp_path, f"{code}1.txt", text), put(tmp_path, f"{code}2.txt", f"{text}!"), ]  # fmt: skip
        reading = DocumentReading(paths, PLAIN)
        assert len(list(reading.passages())) == 2
        (pair,) = reading.report.duplicates
        assert (pair.first[:4], pair.second[:4]) == (f"{code}1.", f"{code}2.")
        assert len(passages(*paths, options=ReadingOptions(drop_duplicates=True, ocr=OFF))) == 1


def test_short_texts_are_alike_only_where_they_are_equal() -> None:
    near = NearDuplicates()
    assert near.add("a", "上海") is None
    assert near.add("b", "北京") is None
    assert near.add("c", "") is None
    pair = near.add("d", "北京")
    assert pair is not None and pair.first == "b" and pair.similarity == 1
    assert list(grams("abcdef")) == ["abcde", "bcdef"]


def test_a_preview_keeps_few_passages_and_counts_all(tmp_path: Path) -> None:
    path = put(tmp_path, "a.txt", " ".join(f"{FIRST} {number}" for number in range(300)))
    result = preview([path, put(tmp_path, "b.pdf", b"no")], PLAIN, limit=3)
    assert len(result.passages) == 3
    assert result.report.passages > 20
    assert result.report.refused == {"b.pdf": "b.pdf is not a PDF file, whatever its name, so nothing of it was read."}


def test_files_become_a_corpus_and_further_files_are_added_to_it(tmp_path: Path) -> None:
    library = CorpusLibrary(tmp_path / "corpora")
    add_files(library, "mine", [put(tmp_path, "a.pdf", files.pdf(FIRST))], PLAIN)
    added = add_files(library, "mine", [put(tmp_path, "b.pptx", files.pptx())], PLAIN)
    assert added.manifest.passages == 2
    page = passage_page(library.open("mine"))
    assert [(item.document, item.page) for item in page.passages] == [("a.pdf", 1), ("b.pptx", 1)]


def test_a_document_that_changed_is_replaced_only_where_that_is_requested(tmp_path: Path) -> None:
    library = CorpusLibrary(tmp_path / "corpora")
    add_files(library, "mine", [put(tmp_path, "a.txt", FIRST), put(tmp_path, "b.txt", "Another boat.")], PLAIN)
    changed = put(tmp_path, "a.txt", SECOND)
    with pytest.raises(DataError, match="another text"):
        add_files(library, "mine", [changed], PLAIN)
    add_files(library, "mine", [changed], PLAIN, replaces=True)
    assert {item.text for item in library.open("mine").table} == {SECOND, "Another boat."}


def test_languages_of_a_mixed_file_are_detected_anew_where_it_is_replaced(tmp_path: Path) -> None:
    library, options = CorpusLibrary(tmp_path / "corpora"), ReadingOptions("sentences-200-0", ocr=OFF)
    before = put(tmp_path, "mixed.txt", "\n\n".join([texts()["hi"], texts()["ar"]]))
    add_files(library, "mine", [before, put(tmp_path, "b.txt", texts()["te"])], options)
    after = put(tmp_path, "mixed.txt", "\n\n".join([texts()["ta"], texts()["ar"]]))
    manifest = add_files(library, "mine", [after], options, replaces=True).manifest
    languages = {item.language for item in library.open("mine").table if item.document == "mixed.txt"}
    assert languages == {"ta", "ar"} and {item.language for item in library.open("mine").table} == {"ta", "ar", "te"}
    assert "hi" not in manifest.languages


def test_a_language_that_is_stated_for_a_replaced_document_holds_for_all_its_passages(tmp_path: Path) -> None:
    library, options = CorpusLibrary(tmp_path / "corpora"), ReadingOptions("sentences-200-0", ocr=OFF)
    add_files(library, "mine", [put(tmp_path, "mixed.txt", "\n\n".join([texts()["hi"], texts()["ar"]]))], options)
    after = put(tmp_path, "mixed.txt", "\n\n".join([texts()["ta"], texts()["ar"]]))
    stated = ReadingOptions("sentences-200-0", languages={"mixed.txt": "ur"}, ocr=OFF)
    manifest = add_files(library, "mine", [after], stated, replaces=True).manifest
    assert set(manifest.languages) == {"ur"}


def test_options_that_are_not_allowed_are_refused_before_a_file_is_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Unknown language"):
        DocumentReading([tmp_path / "missing.pdf"], ReadingOptions(language="Finnish"))
    with pytest.raises(UsageError, match="Unknown way of splitting"):
        DocumentReading([tmp_path / "missing.pdf"], ReadingOptions(chunking="pages"))


def test_how_far_a_large_text_is_read_is_reported_by_its_megabytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading_module, "MEGABYTE", 20_000)
    reports: list[tuple[str, int, int]] = []
    path = put(tmp_path, "long.txt", "\n\n".join([FIRST] * 1_500))
    list(DocumentReading([path], PLAIN, progress=lambda *how_far: reports.append(how_far)).passages())
    size = path.stat().st_size // 20_000
    assert reports[0] == ("reading long.txt", 0, 0)
    assert reports[1:] and all(phase == "reading long.txt, MB" and total == size for phase, _, total in reports[1:])
    assert [done for _, done, _ in reports[1:]] == sorted({done for _, done, _ in reports[1:]})
