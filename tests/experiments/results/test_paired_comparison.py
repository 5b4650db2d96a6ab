"""Runs against runs: what is paired, and what several pairs say together."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Engine

from tests.databases import database_url
from workbench.core.records import Question
from workbench.experiments.results.filters import Filter
from workbench.experiments.results.result_store import ResultStore
from workbench.experiments.results.run_pairs import run_deltas
from workbench.experiments.results.writer import CellResult, RunRow, Writer, add_experiment
from workbench.metrics.measure import Score
from workbench.workspace.database import open_store

GAINS = (0.1, 0.3, 0.2, 0.0, 0.5, -0.1, 0.2, 0.4)
"""What the second run of a pair gains on each question."""


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """Two modes under two prompts: runs 1 and 2 of one mode, 3 and 4 of the other, over eight questions."""
    store = open_store(database_url(tmp_path / "pairs.db"))
    runs = [
        RunRow(number, "run", "d", "c", mode, "all", prompt, "m", 5, "none", "", str(number))
        for number, (mode, prompt) in enumerate([("multirag", "p"), ("multirag", "q"), ("drag", "p"), ("drag", "q")])
    ]
    writer = Writer(store, add_experiment(store, "Mine", "matrix", "", 32, "", runs), ["recall"])
    cells = [
        CellResult(run, Question(f"q{number}", "?", "fi", ("gold",)), scores={"recall": Score(0.3 + gain * (run > 1))})
        for run in range(4)
        for number, gain in enumerate(GAINS)
    ]
    writer.write("detect language", 0, "d", cells)
    return store


def test_several_pairs_are_no_surer_than_their_questions(engine: Engine) -> None:
    one, both = run_deltas(ResultStore(engine).of(), "recall", [[(1, 3)], [(1, 3), (2, 4)]])
    assert (one.n, both.n) == (8, 16)
    assert (one.questions, both.questions) == (8, 8)
    assert both.mean == pytest.approx(0.2)
    assert (both.low, both.high) == pytest.approx((one.low, one.high))
    assert both.detectable == pytest.approx(one.detectable)


def test_pairs_that_say_the_opposite_cancel_out(engine: Engine) -> None:
    (delta,) = run_deltas(ResultStore(engine).of(), "recall", [[(1, 3), (4, 2)]])
    assert delta.mean == pytest.approx(0.0)
    assert delta.p == 1.0


def test_pairs_without_a_question_in_common_have_nothing_to_say(engine: Engine) -> None:
    thai = ResultStore(engine).where(Filter(languages=("th",)))
    (delta,) = run_deltas(thai, "recall", [[(1, 3)]])
    assert (delta.mean, delta.p, delta.n) == (None, None, 0)


def test_languages_that_only_one_run_has_are_left_out_and_counted(tmp_path: Path) -> None:
    store = open_store(database_url(tmp_path / "languages.db"))
    runs = [RunRow(number, "run", "d", "c", "drag", "all", "p", "m", 5, "none", "", str(number)) for number in (0, 1)]
    writer = Writer(store, add_experiment(store, "Mine", "matrix", "", 12, "", runs), ["recall"])
    languages = [(0, "en"), (0, "fi"), (1, "fi"), (1, "th")]
    cells = [
        CellResult(run, Question(f"q{number}", "?", code, ("gold",)), scores={"recall": Score(0.5)})
        for run, code in languages
        for number in range(3)
    ]
    writer.write("detect language", 0, "d", cells)
    (delta,) = run_deltas(ResultStore(store).of(), "recall", [[(1, 2)]])
    assert (delta.n, delta.left_out) == (3, 6)
