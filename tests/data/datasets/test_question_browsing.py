"""A dataset page by page, and by the words of a search."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.core.errors import DataError, UsageError
from workbench.core.records import Question
from workbench.data.browsing import gold_passages, question_page
from workbench.data.datasets import dataset_library
from workbench.data.datasets.dataset_library import DatasetLibrary, read_question

TEXTS = {"en": ["Who has the radio?", "What is tea?", "Where is Oulu?"], "ar": ["أين المَدرسة؟", "ما الشاي؟"]}


@pytest.fixture
def library(tmp_path: Path) -> DatasetLibrary:
    library = DatasetLibrary(tmp_path / "datasets")
    questions = [
        Question(f"q{number}", text, code, (f"gold {number}",), ("p1",))
        for code, texts in TEXTS.items()
        for number, text in enumerate(texts)
    ]
    library.add("mine", "mine", questions, aligned=True)
    return library


def texts(library: DatasetLibrary, **options: object) -> list[str]:
    return [question.text for question in question_page(library, "mine", **options).questions]  # type: ignore[arg-type]


def test_pages_follow_each_other_over_all_languages(library: DatasetLibrary) -> None:
    pages = [texts(library, start=start, limit=2) for start in (0, 2, 4, 6)]
    assert pages == [TEXTS["ar"], TEXTS["en"][:2], TEXTS["en"][2:], []]
    assert question_page(library, "mine", limit=2).total == 5


def test_one_language_is_shown_alone(library: DatasetLibrary) -> None:
    assert texts(library, language="en", start=1, limit=9) == TEXTS["en"][1:]


@pytest.mark.parametrize(
    ("search", "expected"),
    [("RADIO who", [TEXTS["en"][0]]), ("مدرسه", [TEXTS["ar"][0]]), ("gold 2", [TEXTS["en"][2]]), ("tea radio", [])],
)
def test_a_search_finds_all_of_its_words_in_any_script(
    search: str, expected: list[str], library: DatasetLibrary
) -> None:
    assert texts(library, search=search) == expected


def test_a_page_of_matches_counts_all_of_them(library: DatasetLibrary) -> None:
    page = question_page(library, "mine", search="gold", start=1, limit=2)
    assert ([question.language for question in page.questions], page.total) == (["ar", "en"], 5)


def test_the_sample_is_browsed_as_any_other(library: DatasetLibrary) -> None:
    page = question_page(library, "sample", language="fi", search="radion", limit=3)
    assert page.total >= 1 and all(question.language == "fi" for question in page.questions)


def test_only_the_page_is_read(library: DatasetLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []

    def recorded(line: str) -> Question:
        lines.append(line)
        return read_question(line)

    monkeypatch.setattr(dataset_library, "read_question", recorded)
    texts(library, language="en", start=1, limit=1)
    assert len(lines) == 1


def test_an_unknown_language_and_a_damaged_file_are_reported(library: DatasetLibrary, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Unknown language of dataset “mine” “th”"):
        texts(library, language="th")
    (file,) = (tmp_path / "datasets" / "mine").glob("questions.en.*")
    file.write_text("{}\n")
    with pytest.raises(DataError, match="of dataset “mine” are damaged"):
        texts(library, language="en")


def test_a_gold_group_is_named_by_its_passage_in_the_question_s_language(library: DatasetLibrary) -> None:
    info = library.info("mine")
    question = Question("q", "?", "fi", (), ("p1", "p2"))
    assert gold_passages(info, question, ["en", "fi"]) == ["p1.fi", "p2.fi"]
    assert gold_passages(info, question, ["en"]) == ["p1.en", "p2.en"]
