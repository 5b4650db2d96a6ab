"""Writing results: an experiment and its runs once, then each batch of answers in one transaction with its mark."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from uuid import uuid4

from sqlalchemy import Connection, Engine, delete, insert, select
from sqlalchemy.dialects import postgresql, sqlite

from workbench.identity import fingerprint
from workbench.metrics.measure import Score
from workbench.records import Question
from workbench.results import totals
from workbench.storage import result_tables as t
from workbench.storage.batched import batched
from workbench.storage.schema import ALONE

ROWS_AT_ONCE = 5_000


@dataclass(frozen=True, slots=True)
class CellResult:
    """One cell's answer, or why there is none, with its scores by metric. `passages`: id, language and score each."""

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


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run as it is stored; `recipe` is JSON, "" for predictions from elsewhere."""

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


def add_experiment(
    engine: Engine, name: str, kind: str, spec: str, cells: int, material: str, runs: Iterable[RunRow]
) -> str:
    """Stores an experiment with its runs; returns its id."""
    identity = uuid4().hex[:12]
    with engine.connect().execution_options(**{ALONE: True}) as connection, connection.begin():
        connection.execute(
            insert(t.experiments).values(
                id=identity, name=name, kind=kind, spec=spec, created=time.time(), cells=cells, material=material
            )
        )
        for some in batched(({**asdict(run), "experiment": identity} for run in runs), ROWS_AT_ONCE):
            connection.execute(insert(t.runs), some)
    return identity


def run_ids(connection: Connection, experiment: str) -> dict[int, int]:
    """The stored id of each run by its number."""
    rows = connection.execute(select(t.runs.c.number, t.runs.c.id).where(t.runs.c.experiment == experiment))
    return {number: identity for number, identity in rows}  # noqa: C416 - a dict of plain integers, not of rows


class Writer:
    """Writes the answers of one experiment. Ids of questions and metrics are asked for once."""

    def __init__(self, engine: Engine, experiment: str, metrics: Sequence[str]) -> None:
        self._engine = engine
        self._experiment = experiment
        with engine.connect().execution_options(**{ALONE: True}) as connection, connection.begin():
            self._runs = run_ids(connection, experiment)
            self._metrics = {name: _metric(connection, name) for name in metrics}

    def done(self, phase: int) -> set[int]:
        """The numbers of the batches that a phase has finished."""
        asked = select(t.batches.c.batch).where(t.batches.c.experiment == self._experiment, t.batches.c.phase == phase)
        with self._engine.connect() as connection:
            return set(connection.execute(asked).scalars())

    def answered(self, dataset: str, questions: Sequence[Question]) -> set[tuple[int, str]]:
        """Run number and question id of those cells of some questions that have a row already."""
        if not questions:
            return set()
        numbers = {identity: number for number, identity in self._runs.items()}
        with self._engine.connect().execution_options(**{ALONE: True}) as connection, connection.begin():
            names = {_question(connection, dataset, item): item.id for item in questions}
            asked = select(t.answers.c.run, t.answers.c.question).where(
                t.answers.c.run.in_(list(numbers)), t.answers.c.question.in_(list(names))
            )
            return {(numbers[run], names[question]) for run, question in connection.execute(asked)}

    def write(self, phase: int, batch: int, dataset: str, given: Sequence[CellResult]) -> None:
        """Stores what a batch gave and that it is finished, whole or not at all."""
        with self._engine.connect().execution_options(**{ALONE: True}) as connection, connection.begin():
            asked = {(item.question.id, item.question.language): item.question for item in given}
            ids = {place: _question(connection, dataset, question) for place, question in asked.items()}
            rows, scores = [], []
            for item in given:
                run, question = self._runs[item.run], ids[item.question.id, item.question.language]
                rows.append(_answer(item, run, question))
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
                totals.add_answers(connection, rows)
                documents = [[code for _, code, _ in item.passages] for item in given]
                answered = [pair for pair in zip(rows, documents, strict=True) if not pair[0]["failed"]]
                totals.add_flows(connection, answered)
            if scores:
                # In the table's own order, which is how a tree of pages is filled fastest.
                scores.sort(key=lambda row: (row["metric"], row["run"], row["language"], row["question"]))
                connection.execute(insert(t.scores), scores)
                totals.add_scores(connection, scores)
            connection.execute(insert(t.batches).values(experiment=self._experiment, phase=phase, batch=batch))


def forget_failed(engine: Engine, experiment: str) -> int:
    """Drops the rows of failed cells, and the marks of what is finished, so that they are tried again; how many."""
    mine = select(t.runs.c.id).where(t.runs.c.experiment == experiment)
    with engine.connect().execution_options(**{ALONE: True}) as connection, connection.begin():
        dropped = connection.execute(delete(t.answers).where(t.answers.c.run.in_(mine), t.answers.c.failed)).rowcount
        if dropped:
            totals.forget_failed(connection, mine)
            connection.execute(delete(t.batches).where(t.batches.c.experiment == experiment))
    return int(dropped)


def remove(engine: Engine, experiment: str) -> None:
    """Deletes an experiment with all its results; cached steps stay."""
    mine = select(t.runs.c.id).where(t.runs.c.experiment == experiment)
    with engine.connect().execution_options(**{ALONE: True}) as connection, connection.begin():
        for table in (t.scores, t.score_totals, t.flows, t.answer_totals, t.answers):
            connection.execute(delete(table).where(table.c.run.in_(mine)))
        for table in (t.batches, t.jobs, t.runs):
            connection.execute(delete(table).where(table.c.experiment == experiment))
        connection.execute(delete(t.experiments).where(t.experiments.c.id == experiment))


def _answer(item: CellResult, run: int, question: int) -> dict[str, object]:
    return {
        "run": run,
        "question": question,
        "language": item.question.language,
        "failed": bool(item.error),
        "error": item.error,
        "text": item.text,
        "answer_language": item.answer_language,
        "passages": json.dumps(item.passages, ensure_ascii=False, separators=(",", ":")),
        "seconds": item.seconds,
        "prompt_tokens": item.prompt_tokens,
        "completion_tokens": item.completion_tokens,
    }


def _question(connection: Connection, dataset: str, question: Question) -> int:
    """The stored id of a question as it now is."""
    identity = fingerprint("question", asdict(question))
    place = (
        t.questions.c.dataset == dataset,
        t.questions.c.language == question.language,
        t.questions.c.name == question.id,
        t.questions.c.fingerprint == identity,
    )
    found = connection.execute(select(t.questions.c.id).where(*place)).scalar()
    if found is not None:
        return int(found)
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    connection.execute(
        dialect.insert(t.questions)
        .values(
            dataset=dataset,
            language=question.language,
            name=question.id,
            fingerprint=identity,
            text=question.text,
            answers=json.dumps(question.answers, ensure_ascii=False),
            gold=json.dumps(question.gold, ensure_ascii=False),
            found_in=question.found_in,
        )
        .on_conflict_do_nothing()
    )
    return int(connection.execute(select(t.questions.c.id).where(*place)).scalar_one())


def _metric(connection: Connection, name: str) -> int:
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    connection.execute(dialect.insert(t.metrics).values(name=name).on_conflict_do_nothing())
    return int(connection.execute(select(t.metrics.c.id).where(t.metrics.c.name == name)).scalar_one())
