"""Queues over answers with scores, labelled by a rule: what metrics and judges are compared with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from workbench.annotation.error_taxonomy import Taxonomy, TaxonomyLabel
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue import AnnotationQueue, QueueItem
from workbench.annotation.queue_store import QueueStore
from workbench.core.records import Question
from workbench.experiments.results.result_store import ResultStore
from workbench.experiments.results.writer import CellResult, RunRow, Writer, add_experiment
from workbench.metrics.measure import Score

VALUED = Taxonomy(
    "verdicts",
    1,
    "Verdicts",
    "a test",
    "Is it right?",
    (
        TaxonomyLabel("right", "Right", "It is right.", "The year is right.", 1.0),
        TaxonomyLabel("wrong", "Wrong", "It is wrong.", "The year is another.", 0.0),
        TaxonomyLabel("unclear", "Unclear", "Nobody can say.", "There is no year."),
    ),
    False,
)


def truth(number: int) -> bool:
    """Whether people find the answer to a question right: two of three are."""
    return number % 3 != 0


def add_scored(
    store: ResultStore, languages: Sequence[str], questions: int, metrics: Mapping[str, Callable[[int], float | None]]
) -> list[int]:
    """Stores a run with that many questions of each language, scored by rules; its stored id."""
    row = RunRow(0, "run", "lights", "lights", "multirag", "all", "p", "extractive", 5, "none", "{}", "f0")
    experiment_id = add_experiment(store.engine, "Lights", "matrix", "", questions * len(languages), "none", [row])
    results = [
        CellResult(
            0,
            Question(f"q{number}", f"Question {number}?", code),
            f"Answer {number} in {code}.",
            code,
            (),
            scores={name: Score(value, "" if value is not None else "No reply.") for name, value in
                    ((name, rule(number)) for name, rule in metrics.items())},
        )
        for number in range(questions)
        for code in languages
    ]  # fmt: skip
    Writer(store.engine, experiment_id, tuple(metrics)).write("generate", 0, "lights", results)
    return [run.id for run in store.of(experiment_id).runs()]


def number_of(item: QueueItem) -> int:
    return int(item.question_name.removeprefix("q"))


def label_all(
    store: ResultStore,
    runs: Sequence[int],
    per_language: int,
    rule: Callable[[int], str] = lambda number: "right" if truth(number) else "wrong",
    people: Sequence[str] = ("Anna",),
    taxonomy: Taxonomy = VALUED,
) -> AnnotationQueue:
    """A queue that people labelled by a rule, to its end."""
    queues, labels = QueueStore(store), LabelStore(store)
    queue = queues.create("Verdicts", taxonomy, runs, per_language=per_language, annotators_per_item=len(people))
    for person in people:
        while item := queues.next_item(queue.id, person):
            labels.save(item, person, [rule(number_of(item))])
            labels.complete(item, person)
    return queue


def noisy(seed: int, hits: float) -> Callable[[int], float]:
    """A metric of 0 and 1 that is right about a share of the answers."""
    generator = np.random.default_rng(seed)
    errors = generator.random(10_000) >= hits
    return lambda number: float(truth(number) != bool(errors[number]))
