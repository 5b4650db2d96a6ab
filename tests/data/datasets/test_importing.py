"""Collections become datasets, and corpora if they provide passages; a failure changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.trees import tree
from workbench.core.errors import UsageError
from workbench.core.records import Passage, Question
from workbench.data.corpora.corpus_library import CorpusLibrary
from workbench.data.datasets.dataset_format import Collection
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.data.datasets.importing import import_collection
from workbench.workspace.permissions import Actor, Role, acting_as

QUESTIONS = tuple(Question(f"q{n}", f"Question {n}?", code, ("x",)) for code in ("en", "fi") for n in range(8))
ALONE = Collection(
    "mkqa", "MKQA", ("mkqa.jsonl",), QUESTIONS, parallel=True, left_out={"without an answer": 3, "odd": 0}
)


def over(language: str, *texts: str) -> Collection:
    """A collection in one language whose only question is answered by its first passage."""
    passages = [Passage(f"p{n}.{language}", "d", "Trains", language, text) for n, text in enumerate(texts)]
    question = Question("q0", "When does the train leave?", language, ("nine",), (f"p0.{language}",))
    return Collection(
        "beir", "BEIR", (f"{language}.jsonl",), (question,), licence="CC0", passages=lambda: iter(passages)
    )


@pytest.fixture
def corpora(tmp_path: Path) -> CorpusLibrary:
    return CorpusLibrary(tmp_path / "corpora")


@pytest.fixture
def datasets(tmp_path: Path) -> DatasetLibrary:
    return DatasetLibrary(tmp_path / "datasets")


def test_questions_alone_make_a_dataset_without_a_corpus(corpora: CorpusLibrary, datasets: DatasetLibrary) -> None:
    result = import_collection(corpora, datasets, ALONE, "mine")
    assert result.corpus is None and corpora.list() == []
    assert (result.dataset.corpus, result.dataset.languages, result.dataset.parallel) == ("", {"en": 8, "fi": 8}, True)
    assert result.left_out == {"without an answer": 3}


def test_a_sample_has_the_same_ids_in_every_language_and_says_its_seed(
    corpora: CorpusLibrary, datasets: DatasetLibrary
) -> None:
    result = import_collection(corpora, datasets, ALONE, "mine", limit=3, seed=4)
    english, finnish = ([q.id for q in datasets.questions("mine", code)] for code in ("en", "fi"))
    assert english == finnish and len(english) == 3
    assert result.dataset.description == "A sample of 3 questions by seed 4."


def test_passages_make_a_corpus_of_the_same_name(corpora: CorpusLibrary, datasets: DatasetLibrary) -> None:
    result = import_collection(corpora, datasets, over("en", "It leaves at nine.", "It has beds."), "mine")
    assert result.corpus and (result.corpus.passages, result.corpus.licence) == (2, "CC0")
    assert result.dataset.corpus == "mine"
    assert [p.text for p in corpora.open("mine").table] == ["It leaves at nine.", "It has beds."]


def test_a_further_language_is_added_to_corpus_and_dataset(corpora: CorpusLibrary, datasets: DatasetLibrary) -> None:
    import_collection(corpora, datasets, over("en", "It leaves at nine.", "It has beds."), "mine")
    result = import_collection(corpora, datasets, over("fi", "Se lähtee yhdeksältä.", "Siinä on vuoteet."), "mine")
    assert result.corpus and result.corpus.languages == {"en": 2, "fi": 2}
    assert result.dataset.languages == {"en": 1, "fi": 1} and result.corpus.source == "BEIR: en.jsonl, fi.jsonl"


def test_a_corpus_of_other_files_is_never_overwritten(
    corpora: CorpusLibrary, datasets: DatasetLibrary, tmp_path: Path
) -> None:
    passages = over("en", "Kept one.", "Kept two.").passages
    assert passages
    corpora.add("mine", passages(), source="uploaded: a.pdf", licence="own")
    (tmp_path / "datasets").mkdir()
    before = tree(tmp_path)
    with pytest.raises(UsageError, match=r"A corpus “mine” already exists, built from other files \(uploaded: a.pdf\)"):
        import_collection(corpora, datasets, over("en", "New."), "mine")
    assert tree(tmp_path) == before


def test_a_file_that_breaks_while_the_corpus_is_built_changes_nothing(
    corpora: CorpusLibrary, datasets: DatasetLibrary, tmp_path: Path
) -> None:
    import_collection(corpora, datasets, over("en", "It leaves at nine.", "It has beds."), "mine")
    before = tree(tmp_path)

    def broken() -> Iterator[Passage]:
        yield Passage("p", "d", "", "en", "one")
        raise OSError("the file is gone")

    with pytest.raises(OSError, match="gone"):
        import_collection(corpora, datasets, replace(over("en", "x"), passages=broken), "mine", existing="replace")
    assert tree(tmp_path) == before


def test_questions_that_cannot_be_written_take_their_new_corpus_with_them_for_who_may_not_delete_corpora(
    corpora: CorpusLibrary, datasets: DatasetLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(datasets, "add", full)
    with acting_as(Actor("Ana", Role.ANALYST)), pytest.raises(OSError, match="full"):
        import_collection(corpora, datasets, over("en", "It leaves at nine."), "mine")
    assert corpora.list() == []


def test_questions_alone_do_not_take_the_corpus_from_the_other_languages(
    corpora: CorpusLibrary, datasets: DatasetLibrary
) -> None:
    import_collection(corpora, datasets, over("en", "It leaves at nine.", "It has beds."), "mine")
    with pytest.raises(UsageError, match="is over the corpus “mine” and cannot be added to without a corpus"):
        import_collection(corpora, datasets, over("fi", "Se.").without_passages(), "mine")
    import_collection(corpora, datasets, over("en", "It.").without_passages(), "mine", existing="replace")
    assert datasets.info("mine").corpus == ""


@pytest.mark.parametrize("name", ["sample", "../x", ""])
def test_a_name_that_is_not_free_is_refused(
    name: str, corpora: CorpusLibrary, datasets: DatasetLibrary, tmp_path: Path
) -> None:
    with pytest.raises(UsageError):
        import_collection(corpora, datasets, ALONE, name)
    assert list(tmp_path.iterdir()) == []


def test_without_its_passages_a_collection_is_questions_alone(corpora: CorpusLibrary, datasets: DatasetLibrary) -> None:
    result = import_collection(corpora, datasets, over("en", "x").without_passages(), "mine")
    assert result.corpus is None and datasets.questions("mine", "en")[0].gold == ()
