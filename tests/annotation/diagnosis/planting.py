"""A workspace with planted failures: a corpus and a dataset by the importer, a run of the reader, imported predictions.

Everything is what a team would do: the texts are imported, an experiment is run, and a file of answers is imported.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from tests.annotation.diagnosis.planted import Planted
from tests.experiments.experiments import stored
from workbench.app.workbench import Workbench
from workbench.core.records import Passage, Question
from workbench.data.corpora.corpus_library import CorpusLibrary
from workbench.data.datasets.dataset_format import Collection
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.data.datasets.importing import import_collection
from workbench.experiments.experiment import make_experiment
from workbench.experiments.results.predictions import import_predictions
from workbench.experiments.results.queries.instances import Instance
from workbench.experiments.results.result_store import ResultStore
from workbench.workspace import settings

NAME, IMPORTED = "planted", "planted-answers"
TITLE, FILES = "Planted failures", ("planted.jsonl",)


def planted_workspace(home: Path, cases: Sequence[Planted]) -> Workbench:
    """A workspace with the corpora and datasets of planted failures: those that are run, and those imported."""
    workbench = Workbench(settings.load(home))
    read, imported = divided(cases)
    passages = [passage for number, case in enumerate(read) for passage in _passages(number, case)]
    collection = Collection(NAME, TITLE, FILES, _questions(read), parallel=True, passages=lambda: iter(passages))
    answers = Collection(NAME, TITLE, FILES, _questions(imported), parallel=True, corpus=NAME)
    libraries = CorpusLibrary(workbench.settings.corpora), DatasetLibrary(workbench.settings.datasets)
    import_collection(*libraries, collection, NAME)
    import_collection(*libraries, answers, IMPORTED)
    return workbench


def divided(cases: Sequence[Planted]) -> tuple[list[Planted], list[Planted]]:
    """The failures that the reader makes, and those whose answers are imported."""
    return [case for case in cases if not case.answer], [case for case in cases if case.answer]


def answered(
    workbench: Workbench, cases: Sequence[Planted], folder: Path, **choices_of_recipe: object
) -> list[tuple[Planted, Instance]]:
    """Each planted failure with its stored answer, those of the reader first."""
    run, mine = divided(cases)
    choices = {
        "datasets": [NAME],
        "modes": ["monorag"],
        "prompts": ["reply-short-en"],
        "metrics": ["flexible_em"],
        "recipe": {"retriever": "lexical", **choices_of_recipe},
    }
    experiment_id, runner = stored(workbench, make_experiment(choices))
    runner.run()
    pairs = _of(workbench, experiment_id, run)
    path = folder / "answers.jsonl"
    rows = [
        {"id": f"p{number:02}", "language": case.language, "answer": case.answer} for number, case in enumerate(mine)
    ]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    done = import_predictions(workbench, path, IMPORTED, title="A team's system", metrics=("flexible_em",))
    return [*pairs, *_of(workbench, done.experiment_id, mine)]


def _of(workbench: Workbench, experiment_id: str, cases: Sequence[Planted]) -> list[tuple[Planted, Instance]]:
    rows = ResultStore.at(workbench.settings.database_url).of(experiment_id).all_instances()
    instances = {(row.question, row.language): row for row in rows}
    return [(case, instances[f"p{number:02}", case.language]) for number, case in enumerate(cases)]


def _passages(number: int, case: Planted) -> list[Passage]:
    texts = [text.replace("{n}", str(copy)) for text in case.others for copy in range(1, case.times + 1)]
    named = [(f"p{number:02}.o{place}", text) for place, text in enumerate(texts)]
    if case.gold:
        named.append((f"p{number:02}.gold", case.gold))
    return [Passage(name, name, "", case.language, text) for name, text in named]


def _questions(cases: Sequence[Planted]) -> tuple[Question, ...]:
    questions = []
    for number, case in enumerate(cases):
        gold = (f"p{number:02}.gold",) if case.gold else ()
        questions.append(Question(f"p{number:02}", case.question, case.language, case.golds, gold))
        if case.english:
            questions.append(Question(f"p{number:02}", case.question, "en", (case.english,)))
    return tuple(questions)
