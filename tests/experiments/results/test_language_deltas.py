"""One run against another, in each language and over all of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Engine

from tests.databases import database_url
from workbench.core.records import Question
from workbench.experiments.results.filters import Filter
from workbench.experiments.results.result_store import ResultStore, ResultView
from workbench.experiments.results.run_pairs import language_deltas, run_deltas
from workbench.experiments.results.writer import CellResult, RunRow, Writer, add_experiment
from workbench.metrics.measure import Score
from workbench.workspace.database import open_store

GAINS = {"ar": 0.0, "fi": 0.1, "th": 0.5}
"""What the second run gains on every question of a language."""
QUESTIONS = 12


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """Two runs over twelve questions in three languages; in Finnish the last question is not scored for one of them."""
    store = open_store(database_url(tmp_path / "languages.db"))
    runs = [RunRow(number, "run", "d", "c", "drag", "all", "p", "m", 5, "none", "", str(number)) for number in (0, 1)]
    writer = Writer(store, add_experiment(store, "Mine", "matrix", "", 72, "", runs), ["recall"])
    cells = [
        CellResult(
            run,
            Question(f"q{number}", "?", code, ("gold",)),
            scores={"recall": _score(code, gain, run, number)},
        )
        for code, gain in GAINS.items()
        for number in range(QUESTIONS)
        for run in (0, 1)
    ]
    writer.write("detect language", 0, "d", cells)
    return store


def view(engine: Engine, *languages: str) -> ResultView:
    return ResultStore(engine).where(Filter(languages=languages))


def _score(code: str, gain: float, run: int, number: int) -> Score:
    if run and code == "fi" and number == QUESTIONS - 1:
        return Score(None, "Cut off.")
    return Score((number % 3) / 10 + run * gain)


def test_all_languages_come_first_and_then_each_with_its_difference(engine: Engine) -> None:
    deltas = language_deltas(view(engine), "recall", [(1, 2)])
    assert [item.language for item in deltas] == ["", "ar", "fi", "th"]
    assert [item.delta.mean for item in deltas[1:]] == pytest.approx([0.0, 0.1, 0.5])
    assert [(item.delta.n, item.delta.left_out) for item in deltas] == [(35, 1), (12, 0), (11, 1), (12, 0)]


def test_p_is_corrected_over_the_languages_and_stands_for_itself_over_all(engine: Engine) -> None:
    whole, *each = language_deltas(view(engine), "recall", [(1, 2)])
    (alone,) = run_deltas(view(engine), "recall", [[(1, 2)]])
    raw = [run_deltas(view(engine, item.language), "recall", [[(1, 2)]])[0].p for item in each]
    assert whole.delta == alone
    assert [item.delta.p for item in each] == [min(1.0, 3 * p) for p in raw if p is not None]
    assert each[2].delta.p != raw[2]


def test_only_the_languages_that_are_looked_at_are_corrected_over(engine: Engine) -> None:
    whole, thai = language_deltas(view(engine, "th"), "recall", [(1, 2)])
    assert (thai.language, thai.delta) == ("th", whole.delta)
