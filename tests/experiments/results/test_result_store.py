"""Results by SQL: means, counts and instances worked out by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import Engine

from tests.databases import database_url
from workbench.core.errors import UsageError
from workbench.core.records import Question
from workbench.experiments.results.filters import Dimension, Filter
from workbench.experiments.results.queries import score_arrays
from workbench.experiments.results.queries.score_arrays import QuestionSums
from workbench.experiments.results.result_store import ResultStore, ResultView
from workbench.experiments.results.writer import CellResult, RunRow, Writer, add_experiment
from workbench.metrics.measure import Score
from workbench.workspace.database import open_store

SHORT = Score(None, "Too short.")


def run_row(number: int, mode: str) -> RunRow:
    return RunRow(number, f"{mode} run", "d", "c", mode, "all", "p", "m", 5, "none", "{}", str(number))


def given(run: int, name: str, code: str, recall: float, clr: Score, documents: str = "en en") -> CellResult:
    passages = tuple((f"{n}.{lang}", lang, 1.0) for n, lang in enumerate(documents.split()))
    scores = {"recall": Score(recall), "clr": clr}
    evidence_in = "en" if name == "q1" else "conflict"
    question = Question(name, f"{name}?", code, ("gold",), ("0.en",), evidence_in)
    return CellResult(run, question, f"answer {name}", code, passages, 2.0, 10, 5, scores=scores)


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """Run 0 (multirag) has 1, 0 and ½ in Finnish and Thai, run 1 (drag) 1 and 1 and a failure."""
    store = open_store(database_url(tmp_path / "results.db"))
    experiment_id = add_experiment(store, "Mine", "matrix", "", 6, "", [run_row(0, "multirag"), run_row(1, "drag")])
    writer = Writer(store, experiment_id, ["recall", "clr"])
    writer.write(
        "detect language",
        0,
        "d",
        [
            given(0, "q1", "fi", 1.0, Score(1.0)),
            given(0, "q2", "fi", 0.0, SHORT, "en fi"),
            given(0, "q1", "th", 0.5, Score(0.0), "th th"),
            given(1, "q1", "fi", 1.0, Score(1.0)),
            given(1, "q2", "fi", 1.0, Score(1.0)),
            CellResult(1, Question("q1", "q1?", "th", ("gold",), ("0.en",), "en"), error="It refused."),
        ],
    )
    return store


def view(engine: Engine, **choices: tuple[str, ...]) -> ResultView:
    return ResultStore(engine).where(Filter(**choices))  # type: ignore[arg-type]


def means(engine: Engine, by: tuple[Dimension, ...], metric: str = "recall", **choices: tuple[str, ...]) -> object:
    rows = view(engine, **choices).means([metric], by)
    return [(item.key, item.mean, item.n, item.unscored) for item in rows]


def sums(engine: Engine, filter_: Filter, by: tuple[Dimension, ...], cells: int | None = None) -> list[QuestionSums]:
    with engine.connect() as connection:
        return score_arrays.sums_by_group(connection, filter_, "recall", by, cells)


@pytest.mark.parametrize("end", [40, 10_000])
def test_distinct_numbers_and_their_places_are_those_of_numpy(end: int) -> None:
    for size in (0, 1, 30):
        numbers = np.random.default_rng(size).integers(0, 40, size)
        distinct, places = score_arrays._distinct(numbers, end)
        assert distinct.tolist() == np.unique(numbers).tolist()
        assert distinct[places].tolist() == numbers.tolist()


def test_means_by_mode(engine: Engine) -> None:
    assert means(engine, ("mode",)) == [(("drag",), 1.0, 2, 0), (("multirag",), 0.5, 3, 0)]


def test_means_by_two_dimensions(engine: Engine) -> None:
    assert means(engine, ("mode", "language")) == [
        (("drag", "fi"), 1.0, 2, 0),
        (("multirag", "fi"), 0.5, 2, 0),
        (("multirag", "th"), 0.5, 1, 0),
    ]


def test_unscored_answers_are_counted_and_never_a_zero(engine: Engine) -> None:
    assert means(engine, ("mode",), "clr") == [(("drag",), 1.0, 2, 0), (("multirag",), 0.5, 2, 1)]
    assert view(engine).unscored("clr") == [("Too short.", 1)]


def test_filters_by_run_language_and_question(engine: Engine) -> None:
    assert means(engine, ("mode",), languages=("th",)) == [(("multirag",), 0.5, 1, 0)]
    assert means(engine, ("language",), modes=("drag",)) == [(("fi",), 1.0, 2, 0)]
    assert means(engine, ("mode",), evidence_in=("conflict",)) == [(("drag",), 1.0, 1, 0), (("multirag",), 0.0, 1, 0)]
    assert means(engine, ("mode",), prompts=("another",)) == []


def test_the_deviation_is_the_populations(engine: Engine) -> None:
    (row,) = view(engine, modes=("multirag",), languages=("fi",)).means(["recall"])
    assert row.deviation == pytest.approx(0.5)


def test_a_metric_that_nobody_scored_by_is_named(engine: Engine) -> None:
    with pytest.raises(UsageError, match="Unknown metric of these results “beauty”"):
        view(engine).means(["beauty"])


def test_experiments_count_answers_and_failures(engine: Engine) -> None:
    (row,) = ResultStore(engine).experiments()
    assert ResultStore(engine).experiment(row.id) == row
    assert (row.name, row.cells, row.answered, row.failed) == ("Mine", 6, 5, 1)
    assert view(engine).failures() == [("It refused.", 1)]


def test_effort_sums_tokens_and_averages_seconds_over_answers(engine: Engine) -> None:
    drag, multirag = view(engine).effort(("mode",))
    assert (drag.answers, drag.failed, drag.seconds, drag.prompt_tokens, drag.completion_tokens) == (2, 1, 2.0, 20, 10)
    assert (multirag.answers, multirag.failed) == (3, 0)


def test_flows_count_documents_from_question_language_to_answer_language(engine: Engine) -> None:
    flows = [
        (flow.language, flow.document_language, flow.answer_language, flow.documents) for flow in view(engine).flows()
    ]
    assert flows == [("fi", "en", "fi", 7), ("fi", "fi", "fi", 1), ("th", "th", "th", 2)]


def test_values_are_gathered_by_question_over_languages(engine: Engine) -> None:
    (row,) = sums(engine, Filter(modes=("multirag",)), ("mode",))
    # q1 has 1 in Finnish and ½ in Thai, q2 has 0 in Finnish.
    assert (row.key, row.sums.tolist(), row.sizes.tolist()) == (("multirag",), [1.5, 0.0], [2.0, 1.0])


def test_values_are_gathered_by_run_and_language(engine: Engine) -> None:
    rows = sums(engine, Filter(), ("language", "mode"))
    assert {item.key: item.sums.tolist() for item in rows} == {
        ("fi", "multirag"): [1.0, 0.0],
        ("th", "multirag"): [0.5],
        ("fi", "drag"): [1.0, 1.0],
    }


def test_of_many_values_every_so_many_questions_are_read_whole(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score_arrays, "VALUES_READ", 2)
    monkeypatch.setattr(score_arrays, "QUESTIONS_READ", 1)
    (row,) = sums(engine, Filter(modes=("multirag",)), ("mode",), cells=5)
    assert (row.sums.tolist(), row.sizes.tolist(), row.share) == ([1.5], [2.0], 0.5)


def test_nothing_scored_gathers_nothing(engine: Engine) -> None:
    assert sums(engine, Filter(prompts=("another",)), ("mode",)) == []


def test_pairs_are_the_questions_that_both_runs_were_scored_on(engine: Engine) -> None:
    first, second = (run.id for run in view(engine).runs())
    both = ResultStore(engine).where(Filter(runs=(first, second)))
    values = both.values_by_question("recall")
    keys, one, other = score_arrays.common(values[first], values[second])
    assert (one.tolist(), other.tolist()) == ([1.0, 0.0], [1.0, 1.0])
    assert both.question_numbers()[keys].tolist() == [0, 1]


def test_instances_come_a_page_at_a_time_with_their_scores(engine: Engine) -> None:
    page = view(engine, modes=("multirag",)).instances(limit=2)
    assert [(cell.question, cell.scores) for cell in page] == [
        ("q1", {"recall": 1.0, "clr": 1.0}),
        ("q2", {"recall": 0.0, "clr": None}),
    ]
    assert page[1].reasons == {"clr": "Too short."}
    (last,) = view(engine, modes=("multirag",)).instances(limit=2, after=page[-1].answer)
    assert last.language == "th" and last.golds == ("gold",) and last.passages[0] == ("0.th", "th", 1.0)
    assert view(engine).count(failed=True) == 1
    assert [cell.answer for cell in view(engine).all_instances()] == [1, 2, 3, 4, 5, 6]
