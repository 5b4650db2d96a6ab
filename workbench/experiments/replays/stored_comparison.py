"""The answers in the results that belong next to a stored answer: the same question in other languages and runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from workbench.app import SideAnswer, SideDocument, Workbench
from workbench.core import Passage, UsageError, is_gold
from workbench.experiments.results.filters import Filter
from workbench.experiments.results.queries.instance_search import of_question_name
from workbench.experiments.results.queries.instances import Instance
from workbench.experiments.results.result_store import ResultStore
from workbench.languages import known_languages
from workbench.metrics import Score

SIBLINGS_LIMIT = 400
"""Answers that are read of one question: 13 languages under 30 runs."""
Beside = Literal["recipes", "languages"]
"""What differs between the answers: the runs in one language, or the languages of one run."""


def siblings(store: ResultStore, item: Instance) -> list[Instance]:
    """The answers of an instance's experiment to the same question, its own among them: by run, then by language."""
    view = store.where(Filter(experiments=(item.run.experiment_id,), datasets=(item.run.dataset,)))
    rows = view.instances(limit=SIBLINGS_LIMIT, conditions=of_question_name(item.run.dataset, item.question))
    order = [known.code for known in known_languages()]
    return sorted(rows, key=lambda row: (row.run.number, _place(row.language, order), row.language))


def beside(rows: Sequence[Instance], item: Instance, what: Beside) -> list[Instance]:
    """Those of the siblings that differ from an instance in one thing alone, the instance among them."""
    if what == "languages":
        return [row for row in rows if row.run.id == item.run.id]
    return [row for row in rows if row.language == item.language]


def stored_sides(workbench: Workbench, rows: Sequence[Instance], names: Mapping[int, str]) -> list[SideAnswer]:
    """Stored answers as they are compared; `names` are by stored id of an answer.

    Titles and groups of documents are those of the corpus now; where it is gone, or lacks a passage, the passage's id
    takes their place.
    """
    passages: dict[tuple[str, str], Passage] = {}
    for corpus in dict.fromkeys(row.run.corpus for row in rows):
        ids = {name for row in rows if row.run.corpus == corpus for name, _, _ in row.passages}
        passages |= {(corpus, name): passage for name, passage in _passages(workbench, corpus, ids).items()}
    return [_side(row, names[row.answer], passages) for row in rows]


def _side(row: Instance, name: str, passages: Mapping[tuple[str, str], Passage]) -> SideAnswer:
    documents, golds = [], []
    for rank, (id_, code, _) in enumerate(row.passages, start=1):
        passage = passages.get((row.run.corpus, id_))
        unit, title = (passage.group or id_, passage.title) if passage else (id_, id_)
        documents.append(SideDocument(id_, unit, title, code, rank))
        if is_gold(passage, row.gold_passages) if passage else id_ in row.gold_passages:
            golds.append(id_)
    scores = {metric: Score(value, row.reasons.get(metric, "")) for metric, value in row.scores.items()}
    return SideAnswer(
        name=name,
        language=row.language,
        question=row.text,
        text=row.output,
        answer_language=row.answer_language,
        golds=row.golds,
        gold_passages=tuple(golds),
        documents=tuple(documents),
        scores=scores,
        seconds=row.seconds,
        error=row.error,
        answer=row.answer,
    )


def _passages(workbench: Workbench, name: str, ids: set[str]) -> dict[str, Passage]:
    try:
        corpus = workbench.corpus(name)
    except UsageError:
        return {}
    rows = corpus.lexical.rows_of(ids)
    return {passage.id: passage for passage in corpus.table.passages(list(rows.values()))}


def _place(code: str, order: Sequence[str]) -> int:
    return order.index(code) if code in order else len(order)
