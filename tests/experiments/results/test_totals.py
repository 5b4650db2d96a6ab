"""Totals say what the rows add up to, whatever was written, failed, tried again or taken away."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from sqlalchemy import Engine, delete, select
from sqlalchemy.engine import Connection

from benchmarks.dashboard.synthetic import count_totals
from tests.databases import database_url
from workbench.core.records import Question
from workbench.experiments.results import writer as writer_module
from workbench.experiments.results.filters import Filter, given_in
from workbench.experiments.results.queries.score_arrays import cell_of, values_by_answer
from workbench.experiments.results.result_store import ResultStore
from workbench.experiments.results.writer import CellResult, RunRow, Writer, add_experiment, forget_failed, remove
from workbench.metrics.measure import Score
from workbench.workspace import result_tables as t
from workbench.workspace.database import open_store

TOTALS = (t.answer_totals, t.score_totals)


def answered(run: int, name: str, code: str, value: float | None, seconds: float = 0.5) -> CellResult:
    score = Score(value) if value is not None else Score(None, "Too short.")
    question = Question(name, f"{name}?", code, ("gold",))
    return CellResult(
        run, question, "an answer", code, (("d.en", "en", 1.0),), seconds, 7, None, scores={"recall": score}
    )


def failed(run: int, name: str, code: str) -> CellResult:
    return CellResult(run, Question(name, f"{name}?", code, ("gold",)), seconds=9.0, error="It refused.")


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return open_store(database_url(tmp_path / "totals.db"))


@pytest.fixture
def experiment_id(engine: Engine) -> str:
    """Two runs over two languages in two batches, one cell of them failed."""
    runs = [RunRow(number, "run", "d", "c", "drag", "all", "p", "m", 5, "none", "", str(number)) for number in (0, 1)]
    experiment_id = add_experiment(engine, "Mine", "matrix", "", 8, "", runs)
    writer = Writer(engine, experiment_id, ["recall"])
    writer.write(
        "detect language", 0, "d", [answered(0, "q1", "fi", 0.25), answered(0, "q2", "fi", None), failed(1, "q1", "fi")]
    )
    writer.write(
        "detect language",
        1,
        "d",
        [answered(0, "q3", "fi", 0.75), answered(0, "q1", "th", 1.0), answered(1, "q2", "fi", 0.0)],
    )
    return experiment_id


def by_block(engine: Engine) -> dict[tuple[int, int], float]:
    """The values by run and question as intervals and tests read them."""
    with engine.connect() as connection:
        values = values_by_answer(connection, Filter(), "recall")
    return {cell_of(int(key)): value for key, value in zip(values.keys, values.values.tolist(), strict=True)}


def by_row(engine: Engine) -> dict[tuple[int, int], float]:
    """The same as the rows of `scores` have them."""
    s = t.scores.c
    with engine.connect() as connection:
        rows = connection.execute(select(s.run, s.question, s.value).where(s.value.is_not(None)))
        return {(row.run, row.question): row.value for row in rows}


def rows(connection: Connection) -> list[list[tuple[Any, ...]]]:
    return [sorted(tuple(row) for row in connection.execute(select(table))) for table in TOTALS]


def kept_and_counted(engine: Engine) -> tuple[list[list[tuple[Any, ...]]], list[list[tuple[Any, ...]]]]:
    """The totals as they were kept, and as counting all rows anew gives them."""
    with engine.connect() as connection:
        kept = rows(connection)
        for table in TOTALS:
            connection.execute(delete(table))
        count_totals(connection)
        counted = rows(connection)
        connection.rollback()
    return kept, counted


def test_batches_add_up_to_what_their_rows_do(engine: Engine, experiment_id: str) -> None:
    kept, counted = kept_and_counted(engine)
    assert kept == counted
    # run, language, answered, failed, seconds, tokens read and written
    assert kept[0] == [(1, "fi", 3, 0, 1.5, 21, 0), (1, "th", 1, 0, 0.5, 7, 0), (2, "fi", 1, 1, 0.5, 7, 0)]
    # metric, run, language, cells, n, total, squares
    assert kept[1] == [(1, 1, "fi", 3, 2, 1.0, 0.625), (1, 1, "th", 1, 1, 1.0, 1.0), (1, 2, "fi", 1, 1, 0.0, 0.0)]


def test_failed_cells_that_are_tried_again_count_once(engine: Engine, experiment_id: str) -> None:
    assert forget_failed(engine, experiment_id) == 1
    Writer(engine, experiment_id, ["recall"]).write("detect language", 0, "d", [answered(1, "q1", "fi", 0.5)])
    kept, counted = kept_and_counted(engine)
    assert kept == counted
    assert kept[0][-1] == (2, "fi", 2, 0, 1.0, 14, 0)


def test_an_experiment_taken_away_leaves_no_totals(engine: Engine, experiment_id: str) -> None:
    remove(engine, experiment_id)
    with engine.connect() as connection:
        assert rows(connection) == [[], []]
        assert connection.execute(select(t.score_blocks)).all() == []


class Killed(Exception):
    """A writer's process ends before its transaction does."""


def random_cell(generator: random.Random, run: int, number: int) -> CellResult:
    code = generator.choice(("fi", "th", "zh"))
    if generator.random() < 0.2:
        return failed(run, f"q{number}", code)
    return answered(run, f"q{number}", code, None if generator.random() < 0.3 else generator.choice((0.0, 0.25, 1.0)))


@pytest.mark.parametrize("seed", range(12))
def test_whatever_happens_to_results_what_is_kept_is_what_counting_them_anew_gives(
    engine: Engine, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator, experiments, questions = random.Random(seed), list[str](), iter(range(10_000))
    for step in range(25):
        act = generator.choice(("add", "write", "write", "write", "write", "kill", "retry", "remove"))
        if act == "add" or not experiments:
            runs = [RunRow(at, "run", "d", "c", "drag", "all", "p", "m", 5, "none", "", str(at)) for at in range(2)]
            experiments.append(add_experiment(engine, "Mine", "matrix", "", 8, "", runs))
        experiment_id = generator.choice(experiments)
        batch = [
            random_cell(generator, generator.randrange(2), next(questions)) for _ in range(generator.randint(1, 9))
        ]
        writer = Writer(engine, experiment_id, ["recall"])
        if act == "write":
            writer.write("detect language", step, "d", batch)
        elif act == "kill":
            with monkeypatch.context() as patch:
                patch.setattr(writer_module, "add_blocks", Mock(side_effect=Killed))
                with suppress(Killed):
                    writer.write("detect language", step, "d", batch)
        elif act == "retry":
            forget_failed(engine, experiment_id)
        elif act == "remove":
            remove(engine, experiment_id)
            experiments.remove(experiment_id)
        kept, counted = kept_and_counted(engine)
        # Of a run and language whose cells all failed and are to be tried again, a row of zeros is kept.
        assert [row for row in kept[0] if any(row[2:])] == counted[0] and kept[1] == counted[1]
        assert by_block(engine) == by_row(engine)
        numbers = ResultStore(engine).of().question_numbers()
        assert all(numbers[question] >= 0 for _, question in by_row(engine))


def given(engine: Engine, language: str) -> list[tuple[int, str]]:
    """Run number and question of the answers that were given a document in a language."""
    a, q, r = t.answers.c, t.questions.c, t.runs.c
    pairs = select(r.number, q.name).join(t.answers, a.run == r.id).join(t.questions, q.id == a.question)
    with engine.connect() as connection:
        return sorted((row.number, row.name) for row in connection.execute(pairs.where(*given_in(language))))


def test_answers_are_listed_by_the_languages_of_their_documents(engine: Engine, experiment_id: str) -> None:
    assert given(engine, "en") == [(0, "q1"), (0, "q1"), (0, "q2"), (0, "q3"), (1, "q2")]
    assert given(engine, "fi") == []


def test_the_documents_of_a_failed_cell_and_of_a_removed_experiment_are_forgotten(
    engine: Engine, experiment_id: str
) -> None:
    writer = Writer(engine, experiment_id, ["recall"])
    halfway = replace(failed(1, "q3", "fi"), passages=(("d.fi", "fi", 1.0),))
    writer.write("detect language", 2, "d", [halfway])
    assert given(engine, "fi") == [(1, "q3")]
    forget_failed(engine, experiment_id)
    writer.write("detect language", 2, "d", [answered(1, "q3", "fi", 0.5)])
    assert given(engine, "fi") == [] and (1, "q3") in given(engine, "en")
    remove(engine, experiment_id)
    with engine.connect() as connection:
        assert connection.execute(select(t.document_languages)).all() == []
