"""Added documents over datasets of others: none is evidence. XQuAD in three languages, aligned, and TyDi QA."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.experiments.perturbed import evidence_among, gold_answers, perturbed
from tests.reference.texts import XQUAD
from workbench.app.workbench import Workbench
from workbench.data.corpora.corpus_library import CorpusLibrary
from workbench.data.datasets.dataset_format import Collection
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.data.datasets.formats.squad import read_squad
from workbench.data.datasets.formats.tydi_qa import read_tydi_qa
from workbench.data.datasets.importing import import_collection
from workbench.workspace.settings import load

pytestmark = pytest.mark.slow

TYDI = XQUAD.parent / "tydiqa" / "tiny_dev.jsonl.gz"
ARTICLES = 6


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench(load(tmp_path / "home"))


def added_dataset(bench: Workbench, collection: Collection, name: str) -> None:
    settings = bench.settings
    import_collection(CorpusLibrary(settings.corpora), DatasetLibrary(settings.datasets), collection, name)


def instances_without_evidence(bench: Workbench, name: str) -> int:
    """The perturbed instances of a dataset; asserts that none was given evidence."""
    library = DatasetLibrary(bench.settings.datasets)
    corpus = bench.corpus(name)
    questions = {code: library.questions(name, code, corpus.languages) for code in library.info(name).languages}
    groups = {passage.id: passage.group for passage in corpus.table}
    answers = gold_answers(questions)
    count = 0
    for question, added in perturbed(bench, name, questions, datasets=[name], corpus=name):
        count += 1
        assert evidence_among(added, question, answers[question.id], groups) == []
    return count


@pytest.mark.skipif(not XQUAD.is_dir(), reason="XQuAD is not here (../shared/data/xquad)")
def test_nothing_that_is_added_to_xquad_is_evidence(bench: Workbench, tmp_path: Path) -> None:
    for code in ("en", "zh", "th"):
        data = json.loads((XQUAD / f"xquad.{code}.json").read_text(encoding="utf-8"))
        path = tmp_path / f"{code}.json"
        path.write_text(json.dumps({**data, "data": data["data"][:ARTICLES]}), encoding="utf-8")
        added_dataset(bench, read_squad([path], code, aligned=True), "xquad")
    assert instances_without_evidence(bench, "xquad") >= 300


@pytest.mark.skipif(not TYDI.is_file(), reason="TyDi QA is not here (../shared/data/tydiqa)")
def test_nothing_that_is_added_to_tydi_qa_is_evidence(bench: Workbench) -> None:
    added_dataset(bench, read_tydi_qa(TYDI), "tydi")
    assert instances_without_evidence(bench, "tydi") >= 4
