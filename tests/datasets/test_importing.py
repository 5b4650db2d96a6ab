"""Collections become datasets, and corpora where they bring passages; a failure changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.trees import tree
from workbench.corpora.corpus_library import Library
from workbench.datasets.collection import Collection
from workbench.datasets.dataset_library import DatasetLibrary
from workbench.datasets.importing import import_collection
from workbench.errors import UsageError
from workbench.records import Passage, Question

QUESTIONS = tuple(Question(f"q{n}", f"Question {n}?", code, ("x",)) for code in ("en", "fi") for n in range(8))
ALONE = Collection(
    "mkqa", "MKQA", ("mkqa.jsonl",), QUESTIONS, parallel=True, left_out={"without an answer": 3, "odd": 0}
)


def over(code: str, *texts: str) -> Collection:
    """A collection in one language whose only question is answered by its first passage."""
    passages = [Passage(f"p{n}.{code}", "d", "Trains", code, text) for n, text in enumerate(texts)]
    asked = (Question("q0", "When does the train leave?", code, ("nine",), (f"p0.{code}",)),)
    return Collection("beir", "BEIR", (f"{code}.jsonl",), asked, licence="CC0", passages=lambda: iter(passages))


@pytest.fixture
def corpora(tmp_path: Path) -> Library:
    return Library(tmp_path / "corpora")


@pytest.fixture
def datasets(tmp_path: Path) -> DatasetLibrary:
    return DatasetLibrary(tmp_path / "datasets")


def test_questions_alone_make_a_dataset_without_a_corpus(corpora: Library, datasets: DatasetLibrary) -> None:
    done = import_collection(corpora, datasets, ALONE, "mine")
    assert done.corpus is None and corpora.list() == []
    assert (done.dataset.corpus, done.dataset.languages, done.dataset.parallel) == ("", {"en": 8, "fi": 8}, True)
    assert done.left_out == {"without an answer": 3}


def test_a_sample_has_the_same_ids_in_every_language_and_says_its_seed(
    corpora: Library, datasets: DatasetLibrary
) -> None:
    done = import_collection(corpora, datasets, ALONE, "mine", limit=3, seed=4)
    english, finnish = ([q.id for q in datasets.questions("mine", code)] for code in ("en", "fi"))
    assert english == finnish and len(english) == 3
    assert done.dataset.description == "A sample of 3 questions by seed 4."


def test_passages_make_a_corpus_of_the_same_name(corpora: Library, datasets: DatasetLibrary) -> None:
    done = import_collection(corpora, datasets, over("en", "It leaves at nine.", "It has beds."), "mine")
    assert done.corpus and (done.corpus.passages, done.corpus.licence) == (2, "CC0")
    assert done.dataset.corpus == "mine"
    assert [p.text for p in corpora.open("mine").table] == ["It leaves at nine.", "It has beds."]


def test_a_further_language_is_added_to_corpus_and_dataset(corpora: Library, datasets: DatasetLibrary) -> None:
    import_collection(corpora, datasets, over("en", "It leaves at nine.", "It has beds."), "mine")
    done = import_collection(corpora, datasets, over("fi", "Se lähtee yhdeksältä.", "Siinä on vuoteet."), "mine")
    assert done.corpus and done.corpus.languages == {"en": 2, "fi": 2}
    assert done.dataset.languages == {"en": 1, "fi": 1} and done.corpus.source == "BEIR: en.jsonl, fi.jsonl"


def test_a_corpus_of_other_files_is_never_overwritten(
    corpora: Library, datasets: DatasetLibrary, tmp_path: Path
) -> None:
    corpora.add("mine", over("en", "Kept one.", "Kept two.").passages(), source="uploaded: a.pdf", licence="own")  # type: ignore[misc]
    before = tree(tmp_path)
    with pytest.raises(UsageError, match=r"There is a corpus “mine” already, made of other files \(uploaded: a.pdf\)"):
        import_collection(corpora, datasets, over("en", "New."), "mine")
    assert tree(tmp_path) == before


def test_a_file_that_breaks_while_the_corpus_is_built_changes_nothing(
    corpora: Library, datasets: DatasetLibrary, tmp_path: Path
) -> None:
    import_collection(corpora, datasets, over("en", "It leaves at nine.", "It has beds."), "mine")
    before = tree(tmp_path)

    def broken() -> Iterator[Passage]:
        yield Passage("p", "d", "", "en", "one")
        raise OSError("the file is gone")

    with pytest.raises(OSError, match="gone"):
        import_collection(corpora, datasets, replace(over("en", "x"), passages=broken), "mine")
    assert tree(tmp_path) == before


def test_questions_alone_do_not_take_the_corpus_from_the_other_languages(
    corpora: Library, datasets: DatasetLibrary
) -> None:
    import_collection(corpora, datasets, over("en", "It leaves at nine.", "It has beds."), "mine")
    with pytest.raises(UsageError, match="is over the corpus “mine” and cannot be added to without a corpus"):
        import_collection(corpora, datasets, over("fi", "Se.").without_passages(), "mine")
    import_collection(corpora, datasets, over("en", "It.").without_passages(), "mine")
    assert datasets.info("mine").corpus == ""


@pytest.mark.parametrize("name", ["sample", "../x", ""])
def test_a_name_that_is_not_free_is_refused(
    name: str, corpora: Library, datasets: DatasetLibrary, tmp_path: Path
) -> None:
    with pytest.raises(UsageError):
        import_collection(corpora, datasets, ALONE, name)
    assert list(tmp_path.iterdir()) == []


def test_without_its_passages_a_collection_is_questions_alone(corpora: Library, datasets: DatasetLibrary) -> None:
    done = import_collection(corpora, datasets, over("en", "x").without_passages(), "mine")
    assert done.corpus is None and datasets.questions("mine", "en")[0].gold == ()
