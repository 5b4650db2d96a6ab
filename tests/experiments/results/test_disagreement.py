"""The answers over which two metrics are furthest apart come first."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Engine

from tests.databases import database_url
from workbench.core.records import Question
from workbench.experiments.results.filters import Filter
from workbench.experiments.results.result_store import ResultStore
from workbench.experiments.results.run_pairs import furthest_apart
from workbench.experiments.results.writer import CellResult, RunRow, Writer, add_experiment
from workbench.metrics.measure import Score
from workbench.workspace.database import open_store

PAIRS = {"q1": (1.0, 1.0), "q2": (0.9, 0.0), "q3": (0.5, 0.25), "q4": (1.0, None), "q5": (0.0, 1.0)}
"""Values of `recall` and `em` by question."""


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    store = open_store(database_url(tmp_path / "apart.db"))
    row = RunRow(0, "run", "d", "c", "drag", "all", "p", "m", 5, "none", "", "0")
    writer = Writer(store, add_experiment(store, "Mine", "matrix", "", 5, "", [row]), ["recall", "em"])
    cells = [
        CellResult(
            0,
            Question(name, "?", "fi", ("gold",)),
            scores={"recall": Score(one), "em": Score(other, "" if other is not None else "Unscored.")},
        )
        for name, (one, other) in PAIRS.items()
    ]
    writer.write("detect language", 0, "d", cells)
    return store


def test_the_widest_apart_come_first_and_equal_or_unscored_ones_not_at_all(engine: Engine) -> None:
    count, cells = furthest_apart(ResultStore(engine).of(), "recall", "em", start=0, limit=10)
    assert (count, [item.question for item in cells]) == (3, ["q5", "q2", "q3"])


def test_they_come_a_page_at_a_time(engine: Engine) -> None:
    count, cells = furthest_apart(ResultStore(engine).of(), "recall", "em", start=2, limit=2)
    assert (count, [item.question for item in cells]) == (3, ["q3"])


def test_nothing_is_apart_where_nothing_is_scored(engine: Engine) -> None:
    assert furthest_apart(ResultStore(engine).where(Filter(modes=("trag",))), "recall", "em", start=0, limit=2) == (
        0,
        [],
    )


def test_marks_from_1_to_5_are_no_further_from_shares_than_they_mean(tmp_path: Path) -> None:
    store = open_store(database_url(tmp_path / "marks.db"))
    row = RunRow(0, "run", "d", "c", "drag", "all", "p", "m", 5, "none", "", "0")
    writer = Writer(store, add_experiment(store, "Mine", "matrix", "", 2, "", [row]), ["em", "g_eval"])
    cells = [
        CellResult(0, Question(name, "?", "fi", ("gold",)), scores={"em": Score(em), "g_eval": Score(mark)})
        for name, em, mark in (("agreed", 1.0, 5.0), ("apart", 1.0, 2.0))
    ]
    writer.write("detect language", 0, "d", cells)
    count, instances = furthest_apart(ResultStore(store).of(), "em", "g_eval", start=0, limit=10)
    assert (count, [item.question for item in instances]) == (1, ["apart"])
