"""Datasets in a workspace: added by language, listed, and read back as they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.core.errors import DataError, UsageError
from workbench.core.records import Question
from workbench.data.corpora import sample
from workbench.data.datasets.dataset_library import DatasetLibrary, DatasetMetadata
from workbench.workspace import atomic


def question(name: str, language: str = "en", text: str = "Who?", gold: tuple[str, ...] = ("p000000.en",)) -> Question:
    return Question(id=name, text=text, language=language, answers=("a", "b"), gold=gold)


@pytest.fixture
def library(tmp_path: Path) -> DatasetLibrary:
    return DatasetLibrary(tmp_path / "datasets")


def test_the_sample_is_always_available(library: DatasetLibrary) -> None:
    (only,) = library.list()
    assert (only.name, only.corpus, only.aligned) == ("sample", "sample", False)
    assert set(only.languages) == set(sample.languages()) and min(only.languages.values()) >= 40
    assert library.questions("sample", "fi") == sample.questions("fi")


def test_questions_come_back_as_they_were(library: DatasetLibrary) -> None:
    questions = [question("1", text="Quién?\u2028Sí\u0085\x0b\x0c\x1c\r\n“é”"), question("2")]
    assert library.add("mine", "mine", questions, aligned=False).languages == {"en": 2}
    assert library.questions("mine", "en") == tuple(questions)


def test_a_language_is_added_and_the_same_language_replaced(library: DatasetLibrary) -> None:
    library.add("mine", "mine", [question("1"), question("2")], aligned=False)
    library.add("mine", "mine", [question("1", "fi")], aligned=False)
    info = library.add("mine", "mine", [question("3")], aligned=False)
    assert info.languages == {"en": 1, "fi": 1}
    assert [item.id for item in library.questions("mine", "en")] == ["3"]


def test_a_gold_group_is_its_passage_in_every_language_of_the_corpus(library: DatasetLibrary) -> None:
    library.add("mine", "mine", [question("1", gold=("p000007",))], aligned=True)
    (read,) = library.questions("mine", "en", ["en", "fi", "th"])
    assert read.gold == ("p000007.en", "p000007.fi", "p000007.th")


def test_aligned_and_unaligned_gold_are_not_mixed(library: DatasetLibrary) -> None:
    library.add("mine", "mine", [question("1")], aligned=False)
    with pytest.raises(UsageError, match="is not aligned across languages, and these files are aligned"):
        library.add("mine", "mine", [question("1", "fi")], aligned=True)
    assert library.info("mine").languages == {"en": 1}


@pytest.mark.parametrize("name", ["../evil", "a/b", "", ".", "A", "ä", "x" * 64, "-x", "x\n"])
def test_a_name_that_cannot_be_a_folder_is_refused(name: str, library: DatasetLibrary, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot name a dataset"):
        library.add(name, "mine", [question("1")], aligned=False)
    assert list(tmp_path.iterdir()) == []


def test_the_samples_name_is_taken(library: DatasetLibrary) -> None:
    with pytest.raises(UsageError, match="the workbench's own"):
        library.add("sample", "sample", [question("1")], aligned=False)


def test_an_unknown_dataset_is_answered_with_the_known_ones(library: DatasetLibrary) -> None:
    library.add("mine", "mine", [question("1")], aligned=False)
    with pytest.raises(UsageError, match=r"Unknown dataset “other”. Allowed: mine, sample"):
        library.questions("other", "en")
    with pytest.raises(UsageError, match=r"Unknown language of dataset “mine” “fi”. Allowed: en"):
        library.questions("mine", "fi")


def test_a_damaged_header_is_reported_with_a_remedy_that_works(library: DatasetLibrary, tmp_path: Path) -> None:
    library.add("mine", "mine", [question("1")], aligned=False)
    (tmp_path / "datasets" / "mine" / "dataset.json").write_text("{")
    with pytest.raises(DataError, match="import it again under the same name"):
        library.info("mine")
    assert library.info("sample").name == "sample"
    library.add("mine", "mine", [question("1")], aligned=False)
    assert library.info("mine").languages == {"en": 1}


def test_a_damaged_dataset_does_not_hide_the_others(library: DatasetLibrary, tmp_path: Path) -> None:
    library.add("bad", "bad", [question("1")], aligned=False)
    library.add("good", "good", [question("1")], aligned=False)
    (tmp_path / "datasets" / "bad" / "dataset.json").write_text("[]")
    assert [item.name for item in library.list()] == ["sample", "good"]


def test_a_damaged_question_is_reported_in_one_sentence(library: DatasetLibrary, tmp_path: Path) -> None:
    library.add("mine", "mine", [question("1")], aligned=False)
    next((tmp_path / "datasets" / "mine").glob("questions.en.*")).write_text('{"id": "1"')
    with pytest.raises(DataError, match="“mine”") as caught:
        library.questions("mine", "en")
    assert "\n" not in str(caught.value)


def test_the_metadata_of_a_dataset_is_stored(library: DatasetLibrary) -> None:
    metadata = DatasetMetadata(
        "mkqa", parallel=True, answers_in="en", source="MKQA: a.jsonl", licence="CC0", description="A sample."
    )
    info = library.add("mine", "", [question("1", gold=())], aligned=False, metadata=metadata)
    assert library.info("mine") == info
    assert (info.corpus, info.kind, info.parallel, info.answers_in) == ("", "mkqa", True, "en")
    assert (info.source, info.licence, info.description) == ("MKQA: a.jsonl", "CC0", "A sample.")


def test_two_sources_are_not_mixed(library: DatasetLibrary) -> None:
    library.add("mine", "", [question("1")], aligned=False, metadata=DatasetMetadata("mkqa", source="MKQA: a.jsonl"))
    with pytest.raises(UsageError, match=r"imported from other files \(MKQA: a.jsonl\)"):
        library.add("mine", "", [question("1")], aligned=False, metadata=DatasetMetadata("beir"))


def test_languages_change_all_at_once_or_not_at_all(library: DatasetLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    library.add("mine", "", [question("1"), question("1", "fi")], aligned=False)
    real = atomic.write_text

    def broken(path: Path, text: str) -> None:
        if path.name.startswith("questions.fi"):
            raise OSError("the disk is full")
        real(path, text)

    monkeypatch.setattr(atomic, "write_text", broken)
    with pytest.raises(OSError, match="full"):
        library.add("mine", "", [question("2"), question("2", "fi")], aligned=False)
    assert [library.questions("mine", code)[0].id for code in ("en", "fi")] == ["1", "1"]


def test_a_replaced_file_is_removed(library: DatasetLibrary, tmp_path: Path) -> None:
    library.add("mine", "", [question("1")], aligned=False)
    library.add("mine", "", [question("2")], aligned=False)
    assert len(list((tmp_path / "datasets" / "mine").glob("questions.*"))) == 1
