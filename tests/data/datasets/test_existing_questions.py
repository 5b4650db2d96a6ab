"""Importing into a dataset that has questions already: they are replaced or added to, never unasked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.data.datasets.test_importing import ALONE, over
from tests.trees import tree
from workbench.core.errors import DataError, UsageError
from workbench.core.records import Question
from workbench.data.corpora.corpus_library import CorpusLibrary
from workbench.data.datasets.dataset_format import Collection
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.data.datasets.importing import Existing, ExistingQuestions, ImportResult, import_collection


def rows(file: str, *texts: str, language: str = "en", numbered: bool = True) -> Collection:
    """A table's questions."""
    questions = tuple(Question(f"row{n:06d}", text, language, ("x",)) for n, text in enumerate(texts, start=1))
    return Collection("table", "Table", (file,), questions, numbered=numbered)


class Workspace:
    """The corpora and datasets of a folder."""

    def __init__(self, folder: Path) -> None:
        self.corpora, self.datasets = CorpusLibrary(folder / "corpora"), DatasetLibrary(folder / "datasets")

    def take(self, collection: Collection, existing: Existing = "") -> ImportResult:
        """Imports it as “mine”."""
        return import_collection(self.corpora, self.datasets, collection, "mine", existing=existing)

    def texts(self, language: str = "en") -> list[str]:
        """The texts of the questions in a language."""
        return [question.text for question in self.datasets.questions("mine", language)]


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def test_without_a_decision_nothing_changes(space: Workspace, tmp_path: Path) -> None:
    space.take(rows("a.csv", "One?"))
    before = tree(tmp_path)
    with pytest.raises(ExistingQuestions, match=r"already has questions in a language of these files \(1 in en\)"):
        space.take(rows("b.csv", "Two?"))
    assert tree(tmp_path) == before


def test_a_new_language_needs_no_decision(space: Workspace) -> None:
    space.take(rows("a.csv", "One?"))
    assert space.take(rows("b.csv", "Yksi?", language="fi")).dataset.languages == {"en": 1, "fi": 1}


def test_questions_are_replaced_with_their_source(space: Workspace) -> None:
    space.take(rows("a.csv", "One?"))
    space.take(rows("b.csv", "Yksi?", language="fi"))
    result = space.take(rows("c.csv", "Two?"), "replace")
    assert space.texts() == ["Two?"] and space.texts("fi") == ["Yksi?"]
    assert result.dataset.source == "Table: c.csv, b.csv"


def test_questions_are_added_and_all_sources_are_listed(space: Workspace) -> None:
    space.take(rows("a.csv", "One?"))
    result = space.take(rows("b.csv", "Two?", "Three?"), "add")
    assert space.texts() == ["One?", "Two?", "Three?"]
    assert result.dataset.source == "Table: a.csv, b.csv"


def test_the_numbers_of_rows_are_continued_in_each_language(space: Workspace) -> None:
    space.take(rows("a.csv", "One?", "Two?"))
    space.take(rows("b.csv", "Three?"), "add")
    assert [q.id for q in space.datasets.questions("mine", "en")] == ["row000001", "row000002", "row000003"]


def test_an_id_of_the_file_that_is_there_already_is_refused(space: Workspace, tmp_path: Path) -> None:
    space.take(ALONE)
    before = tree(tmp_path)
    with pytest.raises(DataError, match=r"question id “q0” in the files is already in the dataset “mine”"):
        space.take(ALONE, "add")
    assert tree(tmp_path) == before


def test_passages_are_not_added_to_those_of_a_language(space: Workspace) -> None:
    space.take(over("en", "It leaves at nine.", "It has beds."))
    with pytest.raises(UsageError, match="passages cannot be added to those of the same language"):
        space.take(over("en", "More."), "add")
    assert space.corpora.open("mine").manifest.passages == 2


def test_a_dataset_stays_parallel_only_if_every_import_is(space: Workspace) -> None:
    space.take(ALONE)
    more = replace(ALONE, questions=(Question("z", "Z?", "fi", ("x",)),))
    assert space.take(more, "add").dataset.parallel
    assert not space.take(
        replace(more, questions=(Question("y", "Y?", "fi", ("x",)),), parallel=False), "add"
    ).dataset.parallel
