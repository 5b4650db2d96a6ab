"""Two imports under one name at the same time: neither loses what the other wrote."""

from __future__ import annotations

import json
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from tests.processes import FORKED
from workbench.data.corpora.corpus_library import CorpusLibrary
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.data.datasets.formats.squad import read_squad
from workbench.data.datasets.importing import import_collection

TIMES = 8
LANGUAGES = ("en", "fi")
TEXTS = {
    "en": ("The train leaves at nine.", "When?"),
    "fi": ("Juna lähtee yhdeksältä.", "Milloin?"),
}


def write(path: Path, language: str) -> Path:
    text, question = TEXTS[language]
    answers = [{"text": text.split()[-1], "answer_start": text.index(text.split()[-1])}]
    paragraph = {"context": text, "qas": [{"id": "q1", "question": question, "answers": answers}]}
    path.write_text(json.dumps({"data": [{"title": "Trains", "paragraphs": [paragraph]}]}), encoding="utf-8")
    return path


def import_each(home: str, language: str, barrier: Barrier) -> None:
    """Imports the language under one name after another, each at the same moment as the other process."""
    corpora, datasets = CorpusLibrary(Path(home) / "corpora"), DatasetLibrary(Path(home) / "datasets")
    path = write(Path(home) / f"{language}.json", language)
    for number in range(TIMES):
        barrier.wait(60)
        import_collection(corpora, datasets, read_squad([path], language), f"mine{number}")


@pytest.mark.slow
def test_two_languages_imported_at_once_are_both_there_each_time(tmp_path: Path) -> None:
    barrier = FORKED.Barrier(len(LANGUAGES))
    processes = [FORKED.Process(target=import_each, args=(str(tmp_path), code, barrier)) for code in LANGUAGES]
    for process in processes:
        process.start()
    for process in processes:
        process.join(180)
    assert [process.exitcode for process in processes] == [0, 0]
    corpora, datasets = CorpusLibrary(tmp_path / "corpora"), DatasetLibrary(tmp_path / "datasets")
    for number in range(TIMES):
        name = f"mine{number}"
        assert set(corpora.open(name).manifest.languages) == set(LANGUAGES)
        assert {passage.language for passage in corpora.open(name).table} == set(LANGUAGES)
        assert set(datasets.info(name).languages) == set(LANGUAGES)
        assert all(len(datasets.questions(name, code)) == 1 for code in LANGUAGES)
