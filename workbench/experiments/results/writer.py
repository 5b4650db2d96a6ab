"""Writing results: an experiment and its runs once, then each batch of answers in one transaction with its mark.

Totals by run and language are added up in the same transaction, so they are never out of step with the rows that they
count, and a dashboard does not read a million rows.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, Engine, Select, Table, delete, exists, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from workbench.core import Question, fingerprint
from workbench.metrics import Score
from workbench.workspace import add_blocks, alone, batched, result_tables as t

Row = Mapping[str, Any]


def add_answers(connection: Connection, answers: Iterable[Row]) -> None:
    """Counts rows of `answers`: how many there are and failed, their seconds and tokens."""
    _add(connection, t.answer_totals, (_of_answer(row) for row in answers))


def add_scores(connection: Connection, scores: Iterable[Row]) -> None:
    """Counts rows of `scores`: cells, those with a value, its sum and the sum of its squares."""
    _add(connection, t.score_totals, (_of_score(row) for row in scores))


def add_flows(connection: Connection, answers: Iterable[tuple[Row, Sequence[str]]]) -> None:
    """Counts the documents of rows of `answers`, which come with the languages of their documents."""
    _add(connection, t.flows, (_of_document(row, code) for row, codes in answers for code in codes))


def clear_failed(connection: Connection, runs: Select[tuple[int]]) -> None:
    """Takes the failed cells of some runs out of the totals."""
    connection.execute(update(t.answer_totals).where(t.answer_totals.c.run.in_(runs)).values(failed=0))


def _of_answer(row: Row) -> Row:
    failed = bool(row["failed"])
    return {
        "run": row["run"],
        "language": row["language"],
        "answered": int(not failed),
        "failed": int(failed),
        "seconds": 0.0 if failed else row["seconds"],
        "prompt_tokens": row["prompt_tokens"] or 0,
        "completion_tokens": row["completion_tokens"] or 0,
    }


def _of_score(row: Row) -> Row:
    value = row["value"]
    return {
        "metric": row["metric"],
        "run": row["run"],
        "language": row["language"],
        "cells": 1,
        "n": int(value is not None),
        "total": value or 0.0,
        "squares": (value or 0.0) ** 2,
    }


def _of_document(row: Row, code: str) -> Row:
    return {
        "run": row["run"],
        "language": row["language"],
        "document_language": code,
        "answer_language": row["answer_language"],
        "documents": 1,
    }


def _add(connection: Connection, table: Table, rows: Iterable[Row]) -> None:
    """Adds each row's figures to those that are stored under its key."""
    keys = [column.name for column in table.primary_key]
    figures = [column.name for column in table.columns if not column.primary_key]
    sums: dict[tuple[Any, ...], list[Any]] = {}
    for row in rows:
        sum_ = sums.setdefault(tuple(row[name] for name in keys), [0] * len(figures))
        for index, name in enumerate(figures):
            sum_[index] += row[name]
    if not sums:
        return
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    statement = dialect.insert(table)
    added = {name: table.c[name] + statement.excluded[name] for name in figures}
    new_rows = [dict(zip([*keys, *figures], [*key, *sum_], strict=True)) for key, sum_ in sorted(sums.items())]
    connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=added), new_rows)


ROWS_AT_ONCE = 5_000


@dataclass(frozen=True, slots=True)
class CellResult:
    """One cell's answer, or why there is none, with its scores by metric. `passages`: id, language and score each.

    `mapped_gold`: the gold passages in the corpus that the run searched, None where they are the question's.
    """

    run: int
    question: Question
    text: str = ""
    answer_language: str = ""
    passages: tuple[tuple[str, str, float], ...] = ()
    seconds: float = 0.0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    error: str = ""
    scores: Mapping[str, Score] | None = None
    mapped_gold: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run as it is stored; `recipe` is JSON, "" for predictions from elsewhere.

    `corpus_version` is the fingerprint of the corpus that is searched, "" where it is not known.
    """

    number: int
    title: str
    dataset: str
    corpus: str
    mode: str
    scope: str
    prompt: str
    model: str
    k: int
    perturbation: str
    recipe: str
    fingerprint: str
    corpus_version: str = field(default="", kw_only=True)


def new_id() -> str:
    """The id of an experiment that is not stored yet."""
    return uuid4().hex[:12]


def add_experiment(
    engine: Engine,
    name: str,
    kind: str,
    spec: str,
    cells: int,
    material: str,
    runs: Iterable[RunRow],
    *,
    experiment_id: str = "",
) -> str:
    """Stores an experiment with its runs; returns its id, a new one where none is given."""
    experiment_id = experiment_id or new_id()
    with alone(engine) as connection:
        connection.execute(
            insert(t.experiments).values(
                id=experiment_id, name=name, kind=kind, spec=spec, created=time.time(), cells=cells, material=material
            )
        )
        for rows in batched(({**asdict(run), "experiment_id": experiment_id} for run in runs), ROWS_AT_ONCE):
            connection.execute(insert(t.runs), rows)
    return experiment_id


def stored_run_ids(connection: Connection, experiment_id: str) -> dict[int, int]:
    """The stored id of each run by its number."""
    rows = connection.execute(select(t.runs.c.number, t.runs.c.id).where(t.runs.c.experiment_id == experiment_id))
    return {row.number: row.id for row in rows}


class Writer:
    """Writes the answers of one experiment. `metrics` are the names that its scores are stored under."""

    def __init__(self, engine: Engine, experiment_id: str, metrics: Sequence[str]) -> None:
        self._engine = engine
        self._experiment_id = experiment_id
        with alone(engine) as connection:
            self._runs = stored_run_ids(connection, experiment_id)
            self._metrics = {name: _metric(connection, name) for name in metrics}

    def done(self, phase: str) -> set[int]:
        """The numbers of the batches that are finished in a phase, which has the name of the stage that ends it."""
        b = t.batches.c
        statement = select(b.batch).where(b.experiment_id == self._experiment_id, b.phase == phase)
        with self._engine.connect() as connection:
            return set(connection.execute(statement).scalars())

    def answered(self, dataset: str, questions: Sequence[Question]) -> set[tuple[int, str]]:
        """Run number and question id of those cells of some questions that have an answer or a failure already."""
        if not questions:
            return set()
        numbers = {run: number for number, run in self._runs.items()}
        with alone(self._engine) as connection:
            names = {_question(connection, dataset, question): question.id for question in questions}
            statement = select(t.answers.c.run, t.answers.c.question).where(
                t.answers.c.run.in_(list(numbers)), t.answers.c.question.in_(list(names))
            )
            return {(numbers[run], names[question]) for run, question in connection.execute(statement)}

    def write(self, phase: str, batch: int, dataset: str, results: Sequence[CellResult]) -> None:
        """Stores the results of a batch and that it is finished in a phase, completely or not at all."""
        with alone(self._engine) as connection:
            questions = {(result.question.id, result.question.language): result.question for result in results}
            ids = {key: _question(connection, dataset, question) for key, question in questions.items()}
            rows, scores, golds = [], [], []
            for item in results:
                run, question = self._runs[item.run], ids[item.question.id, item.question.language]
                rows.append(_answer(item, run, question))
                if item.mapped_gold is not None:
                    gold = json.dumps(item.mapped_gold, ensure_ascii=False)
                    golds.append({"run": run, "question": question, "gold": gold})
                for name, score in (item.scores or {}).items():
                    scores.append(
                        {
                            "metric": self._metrics[name],
                            "run": run,
                            "language": item.question.language,
                            "question": question,
                            "value": score.value,
                            "reason": score.reason or None,
                        }
                    )
            if rows:
                connection.execute(insert(t.answers), rows)
                add_answers(connection, rows)
                languages = [[language for _, language, _ in result.passages] for result in results]
                answered = [pair for pair in zip(rows, languages, strict=True) if not pair[0]["failed"]]
                add_flows(connection, answered)
                if given := [
                    {"run": row["run"], "question": row["question"], "language": language}
                    for row, codes in zip(rows, languages, strict=True)
                    for language in dict.fromkeys(codes)
                ]:
                    connection.execute(insert(t.document_languages), given)
            if golds:
                connection.execute(insert(t.mapped_golds), golds)
            if scores:
                # In the table's own order, which is how a tree of pages is filled fastest.
                scores.sort(key=lambda row: (row["metric"], row["run"], row["language"], row["question"]))
                connection.execute(insert(t.scores), scores)
                add_scores(connection, scores)
                add_blocks(connection, scores)
            connection.execute(insert(t.batches).values(experiment_id=self._experiment_id, phase=phase, batch=batch))


def forget_failed(engine: Engine, experiment_id: str) -> int:
    """Drops the rows of failed cells, and the marks of finished batches, so that they are tried again; how many."""
    runs = select(t.runs.c.id).where(t.runs.c.experiment_id == experiment_id)
    a, d = t.answers.c, t.document_languages.c
    failed = exists().where(a.run == d.run, a.question == d.question, a.failed)
    with alone(engine) as connection:
        connection.execute(delete(t.document_languages).where(d.run.in_(runs), failed))
        dropped = connection.execute(delete(t.answers).where(a.run.in_(runs), a.failed)).rowcount
        if dropped:
            clear_failed(connection, runs)
            connection.execute(delete(t.batches).where(t.batches.c.experiment_id == experiment_id))
    return int(dropped)


def set_kind(engine: Engine, experiment_id: str, kind: str) -> None:
    """Gives an experiment another kind, and the present as the time of its creation: lists change by that."""
    e = t.experiments
    with alone(engine) as connection:
        connection.execute(update(e).where(e.c.id == experiment_id).values(kind=kind, created=time.time()))


def rename(engine: Engine, experiment_id: str, name: str, spec: str) -> None:
    """Gives an experiment another name and the YAML that states it."""
    e = t.experiments
    with alone(engine) as connection:
        connection.execute(update(e).where(e.c.id == experiment_id).values(name=name, spec=spec))


def remove(engine: Engine, experiment_id: str, kind: str = "") -> None:
    """Deletes an experiment with all its results; cached steps stay. With `kind` only an experiment of that kind."""
    e = t.experiments.c
    runs = select(t.runs.c.id).where(t.runs.c.experiment_id == experiment_id)
    with alone(engine) as connection:
        if kind and connection.execute(select(e.kind).where(e.id == experiment_id)).scalar() != kind:
            return
        # The rows of scores are in the order of metrics: a run's are found without reading all by naming these, too.
        connection.execute(
            delete(t.scores).where(t.scores.c.metric.in_(select(t.metrics.c.id)), t.scores.c.run.in_(runs))
        )
        sums = (t.score_blocks, t.score_totals, t.flows, t.answer_totals)
        for table in (*sums, t.mapped_golds, t.document_languages, t.answers):
            connection.execute(delete(table).where(table.c.run.in_(runs)))
        for table in (t.batches, t.runs):
            connection.execute(delete(table).where(table.c.experiment_id == experiment_id))
        connection.execute(delete(t.experiments).where(t.experiments.c.id == experiment_id))


def _answer(result: CellResult, run: int, question: int) -> dict[str, object]:
    return {
        "run": run,
        "question": question,
        "language": result.question.language,
        "failed": bool(result.error),
        "error": result.error,
        "text": result.text,
        "answer_language": result.answer_language,
        "passages": json.dumps(result.passages, ensure_ascii=False, separators=(",", ":")),
        "seconds": result.seconds,
        "prompt_tokens": result.prompt_tokens,
        "completion_tokens": result.completion_tokens,
    }


def _question(connection: Connection, dataset: str, question: Question) -> int:
    """The stored id of a question as it is now."""
    version = fingerprint("question", question.to_stored())
    q = t.questions.c
    key = (
        q.dataset == dataset,
        q.language == question.language,
        q.name == question.id,
        q.fingerprint == version,
    )
    question_id = connection.execute(select(q.id).where(*key)).scalar()
    if question_id is not None:
        return int(question_id)
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    connection.execute(
        dialect.insert(t.questions)
        .values(
            dataset=dataset,
            language=question.language,
            name=question.id,
            fingerprint=version,
            text=question.text,
            answers=json.dumps(question.answers, ensure_ascii=False),
            gold=json.dumps(question.gold, ensure_ascii=False),
            evidence_in=question.evidence_in,
        )
        .on_conflict_do_nothing()
    )
    return int(connection.execute(select(q.id).where(*key)).scalar_one())


def _metric(connection: Connection, name: str) -> int:
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    connection.execute(dialect.insert(t.metrics).values(name=name).on_conflict_do_nothing())
    return int(connection.execute(select(t.metrics.c.id).where(t.metrics.c.name == name)).scalar_one())
