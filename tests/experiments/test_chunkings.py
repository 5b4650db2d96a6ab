"""Chunkings compared in an experiment over the sample, gold passages mapped to each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.experiments.experiments import small, stored
from tests.trees import copy_sample
from workbench.app.workbench import Workbench
from workbench.core.errors import UsageError
from workbench.core.records import Passage
from workbench.data.corpora.corpus_library import CorpusLibrary
from workbench.data.documents.rechunking import find_sister, origin_of, rechunk, sisters_of
from workbench.experiments.inputs import ExperimentInputs
from workbench.experiments.results.result_store import ResultStore
from workbench.experiments.results.run_pairs import comparable, comparisons, language_deltas
from workbench.workspace import settings

RETRIEVAL = {"modes": ["multirag"], "prompts": ["reply-short-en"], "recipe": {"retriever": "lexical"}}
METRICS = ["flexible_em", "hit@5", "mrr"]


@pytest.fixture(scope="module")
def split(sample_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    """A workspace whose sample is also split into passages of 20 words; the experiments of these tests share it."""
    home = tmp_path_factory.mktemp("split") / "home"
    copy_sample(sample_home, home)
    workbench = Workbench(settings.load(home))
    rechunk(workbench.library, "sample", "words-20")
    return workbench


@pytest.mark.slow
def test_retrieval_of_each_chunking_is_measured_by_its_mapped_gold_and_compared_by_language(split: Workbench) -> None:
    experiment = small(chunkings=["original", "words-20"], metrics=METRICS, perturbations=["none"], **RETRIEVAL)
    experiment_id, runner = stored(split, experiment)
    runner.run()
    view = ResultStore.at(split.settings.database_url).of(experiment_id)
    runs = view.runs()
    assert [(run.corpus, run.title) for run in runs] == [("sample", "original"), ("sample-words-20", "words-20")]
    for cell in view.instances():
        corpus = split.corpus(cell.run.corpus)
        # Each gold passage is one of the corpus that was searched, so that it can be found.
        assert cell.gold_passages and len(corpus.lexical.rows_of(cell.gold_passages)) == len(cell.gold_passages)
        assert cell.scores["hit@5"] is not None
    assert "corpus" in comparisons(runs)
    pairs = comparable(view, "corpus", "sample", ["sample", "sample-words-20"])["sample-words-20"]
    deltas = {item.language: item.delta for item in language_deltas(view, "hit@5", pairs)}
    assert set(deltas) == {"", "en", "fi"}
    assert deltas[""].n == 4 and deltas[""].left_out == 0


def test_mapped_golds_hold_the_answer_where_the_gold_passage_does(split: Workbench) -> None:
    inputs = ExperimentInputs(split, small(chunkings=["words-20"], questions=20, **RETRIEVAL))
    original, sister = split.corpus("sample"), split.corpus("sample-words-20")
    for before, after in zip(
        inputs.questions("sample", "en"), inputs.questions_in("sample-words-20", "sample", "en"), strict=True
    ):
        for gold in before.gold:
            (source,) = original.table.passages([original.lexical.rows_of([gold])[gold]])
            rows = sister.lexical.rows_of(after.gold).values()
            parts = [item for item in sister.table.passages(list(rows)) if item.document == source.document]
            assert parts
            if source.language == "en" and any(answer in source.text for answer in before.answers):
                assert all(any(answer in part.text for answer in before.answers) for part in parts)


def test_noise_is_never_a_mapped_gold_passage(split: Workbench) -> None:
    experiment = small(chunkings=["words-20"], languages=["en"], perturbations=["random-noise"], **RETRIEVAL)
    experiment_id, runner = stored(split, experiment)
    runner.run()
    cells = ResultStore.at(split.settings.database_url).of(experiment_id).instances()
    plain_id, plain = stored(split, small(chunkings=["words-20"], languages=["en"], **RETRIEVAL))
    plain.run()
    without = {item.question: item for item in ResultStore.at(split.settings.database_url).of(plain_id).instances()}
    for cell in cells:
        added = {name for name, _, _ in cell.passages} - {name for name, _, _ in without[cell.question].passages}
        assert added and not added & set(cell.gold_passages)


def test_a_chunking_that_a_corpus_was_not_split_by_is_one_sentence(sample_workbench: Workbench) -> None:
    with pytest.raises(UsageError, match=r"The corpus “sample” has not been split by tokens-512-50\."):
        ExperimentInputs(sample_workbench, small(chunkings=["tokens-512-50"]))


def test_removing_an_experiment_removes_its_mapped_golds(split: Workbench) -> None:
    from sqlalchemy import func, select

    from workbench.experiments.results.writer import remove
    from workbench.workspace.result_tables import mapped_golds

    experiment_id, runner = stored(split, small(chunkings=["words-20"], languages=["en"], **RETRIEVAL))
    runner.run()
    engine = ResultStore.at(split.settings.database_url).engine

    (run,) = ResultStore(engine).of(experiment_id).runs()

    def rows() -> int:
        with engine.connect() as connection:
            statement = select(func.count()).select_from(mapped_golds).where(mapped_golds.c.run == run.id)
            return int(connection.execute(statement).scalar_one())

    assert rows() == 2
    remove(engine, experiment_id)
    assert rows() == 0


def article(document: str, *texts: str) -> list[Passage]:
    return [
        Passage(f"{document}.{number}", document, document.title(), "en", text, number)
        for number, text in enumerate(texts)
    ]


@pytest.fixture
def library(tmp_path: Path) -> CorpusLibrary:
    """A corpus of ten documents."""
    library = CorpusLibrary(tmp_path)
    documents = [article(f"d{number}", f"Harbour {number} has boats.", "The sea is near.") for number in range(10)]
    library.add("mine", [item for each in documents for item in each], source="s", licence="l")
    return library


def test_a_changed_document_alone_is_split_again(library: CorpusLibrary) -> None:
    first = rechunk(library, "mine", "words-100")
    assert (first.name, first.passages) == ("mine-words-100", 10)
    assert rechunk(library, "mine", "words-100") == first
    library.add_documents("mine", article("d3", "Harbour 3 is closed."), replaces=True)
    library.remove_documents("mine", ["d4"])
    assert sisters_of(library, "mine") == ()
    with pytest.raises(UsageError, match="changed since it was split by words-100 as “mine-words-100”"):
        find_sister(library, "mine", "words-100")
    again = rechunk(library, "mine", "words-100")
    assert (again.passages, again.added, again.removed) == (9, 1, 2)
    assert sisters_of(library, "mine") == ("words-100",)
    sister = find_sister(library, "mine", "words-100")
    texts = {item.document: item.text for item in sister.table}
    assert texts["d3"] == "Harbour 3 is closed." and texts["d5"] == "Harbour 5 has boats. The sea is near."
    rebuilt = rechunk(library, "mine", "words-100", "anew")
    assert {(item.id, item.text) for item in library.open(rebuilt.name).table} == {
        (item.id, item.text) for item in sister.table
    }


def test_a_sister_stays_one_where_its_corpus_is_renamed_or_it_is_indexed_anew(library: CorpusLibrary) -> None:
    rechunk(library, "mine", "words-100", "other")
    library.rename("mine", "ours")
    library.index("other")
    assert find_sister(library, "ours", "words-100").manifest.name == "other"


def test_the_name_of_another_corpus_is_not_taken(library: CorpusLibrary) -> None:
    library.add("other", article("x", "Some text."), source="s", licence="l")
    for name in ("other", "mine"):
        with pytest.raises(UsageError, match=f"A corpus “{name}” already exists, and is not “mine” split by words-100"):
            rechunk(library, "mine", "words-100", name)
    assert library.open("other").manifest.passages == 1


def test_passages_without_the_title_are_another_sister(library: CorpusLibrary) -> None:
    manifest = rechunk(library, "mine", "words-100-untitled")
    assert manifest.name == "mine-words-100-untitled"
    assert {item.title for item in library.open(manifest.name).table} == {""}
    assert all(origin_of(item.id) for item in library.open(manifest.name).table)
