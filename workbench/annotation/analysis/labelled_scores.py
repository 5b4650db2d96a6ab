"""What people said about the answers of a queue, beside every metric's values of all answers of its runs.

What a person says is the value of their labels under the taxonomy, from 0 (wrong) to 1 (right); an answer's mark is the
mean over the people who completed it.  Labels without a value say nothing of that, and an answer for which nobody gave
a label with a value is undecided.  First showings of complete answers count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from sqlalchemy import select

from workbench.annotation.error_taxonomy import Taxonomy
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue import ANSWER, AnnotationQueue
from workbench.annotation.queue_store import QueueStore
from workbench.annotation.text_spans import nfc
from workbench.experiments import KEY_BASE, Filter, ResultStore
from workbench.metrics import scale_of
from workbench.workspace import items, result_tables as t

Question = tuple[str, str]
"""A dataset and a question's id there, which its translations share."""


@dataclass(frozen=True, slots=True)
class LabelledAnswer:
    """An answer of a queue that `people` completed; `mark` from 0 (wrong) to 1 (right), None where undecided.

    `cell` is the key of its values, None where the answer is no longer among the results or was replaced there.
    """

    number: int
    language: str
    question: Question
    people: int
    mark: float | None
    cell: int | None


@dataclass(frozen=True, slots=True)
class RunAnswer:
    """An answer of the queue's runs, labelled or not."""

    language: str
    question: Question


class LabelledScores:
    """The labelled answers of a queue with all values of its runs. `taxonomy` is the one whose values are used."""

    def __init__(self, store: ResultStore, queue: AnnotationQueue, taxonomies: Iterable[Taxonomy] = ()) -> None:
        self._store = store
        self.queue = queue
        queues = QueueStore(store)
        self.taxonomy = valued_taxonomy(queues.taxonomy_of(queue.id), taxonomies)
        numbers: defaultdict[str, set[int]] = defaultdict(set)
        for name in queue.runs:
            experiment_id, _, number = name.rpartition("/")
            numbers[experiment_id].add(int(number))
        runs = store.where(Filter(experiments=tuple(numbers))).runs() if numbers else []
        self.runs = {
            run.id: (run.experiment_id, run.number) for run in runs if run.number in numbers[run.experiment_id]
        }
        self._view = store.where(Filter(runs=tuple(self.runs)))
        self.metrics = self._view.metrics() if self.runs else []
        self.answers, cells = self._run_answers()
        self.labelled = self._labelled(queues, cells)
        self.values = cache(self._values)

    @property
    def languages(self) -> list[str]:
        """The languages of answers with a mark, in order."""
        return sorted({item.language for item in self.labelled if item.mark is not None})

    def _values(self, metric: str) -> Mapping[int, float]:
        """A metric's values from 0 (worst) to 1 (best) by cell; unscored answers are left out."""
        stored = self._view.values_by_answer(metric)
        goodness = np.clip(scale_of(metric).goodness(stored.values), 0.0, 1.0)
        return dict(zip(stored.keys.tolist(), goodness.tolist(), strict=True))

    def _run_answers(self) -> tuple[dict[int, RunAnswer], dict[tuple[int, str, str], int]]:
        """The answers of the runs that did not fail, by cell, and the cells by run, question and language."""
        a, q, r = t.answers.c, t.questions.c, t.runs.c
        statement = (
            select(a.run, a.question, a.language, q.name, r.dataset)
            .join(t.questions, q.id == a.question)
            .join(t.runs, r.id == a.run)
            .where(a.run.in_(self.runs), a.failed.is_(False), a.text != "")
        )
        answers: dict[int, RunAnswer] = {}
        cells: dict[tuple[int, str, str], int] = {}
        with self._store.engine.connect() as connection:
            for run, question, language, name, dataset in connection.execute(statement):
                cell = run * KEY_BASE + question
                answers[cell] = RunAnswer(language, (dataset, name))
                cells[run, name, language] = cell
        return answers, cells

    def _labelled(self, queues: QueueStore, cells: Mapping[tuple[int, str, str], int]) -> list[LabelledAnswer]:
        sets = {
            (record.number, record.annotator): record.labels
            for record in LabelStore(self._store).labels(self.queue.id)
            if record.on == ANSWER and record.showing == 1
        }
        people: defaultdict[int, list[str]] = defaultdict(list)
        for number, annotator in sorted(queues.completed(self.queue.id)):
            people[number].append(annotator)
        ids = {place: run for run, place in self.runs.items()}
        stored = self._stored_texts()
        answers = []
        for item in queues.items(self.queue.id):
            names = people.get(item.number, [])
            if not names:
                continue
            values = [self.taxonomy.value(sets.get((item.number, name), ())) for name in names]
            marks = [value for value in values if value is not None]
            run = ids.get((item.experiment_id, item.run_number), 0)
            is_same = stored.get(item.number) == item.answer
            answers.append(
                LabelledAnswer(
                    number=item.number,
                    language=item.language,
                    question=(item.dataset, item.question_name),
                    people=len(names),
                    mark=float(np.mean(marks)) if marks else None,
                    cell=cells.get((run, item.question_name, item.language)) if is_same else None,
                )
            )
        return answers

    def _stored_texts(self) -> dict[int, str]:
        """The answers as they are stored now, by the number of their item: values of another answer are not its."""
        i, r, q, a = items.c, t.runs.c, t.questions.c, t.answers.c
        statement = (
            select(i.number, a.text)
            .join(t.runs, (r.experiment_id == i.experiment_id) & (r.number == i.run_number))
            .join(t.questions, (q.name == i.question_name) & (q.language == i.language))
            .join(t.answers, (a.run == r.id) & (a.question == q.id))
            .where(i.queue == self.queue.id)
        )
        with self._store.engine.connect() as connection:
            return {number: nfc(text) for number, text in connection.execute(statement)}


def valued_taxonomy(used: Taxonomy, known: Iterable[Taxonomy]) -> Taxonomy:
    """The taxonomy whose values count for labels given under `used`: itself, or where it states no values a newer one.

    The newer one is that of the same name among `known`, if no label that has a value there means something else.
    """
    if used.has_values:
        return used
    for item in known:
        if item.name == used.name and item.version > used.version and item.has_values and not item.touched(used):
            return item
    return used
