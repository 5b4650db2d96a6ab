"""Results by SQL: means, counts and instances worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Engine

from workbench.errors import UsageError
from workbench.metrics.measure import Score
from workbench.records import Question
from workbench.results import result_store, score_arrays
from workbench.results.filters import Filter
from workbench.results.instances import count, instances
from workbench.results.writer import CellResult, RunRow, Writer, add_experiment
from workbench.storage.database import open_store

SHORT = Score(None, "Too short.")


def run_row(number: int, mode: str) -> RunRow:
    return RunRow(number, f"{mode} run", "d", "c", mode, "all", "p", "m", 5, "none", "{}", str(number))


def given(run: int, name: str, code: str, recall: float, clr: Score, documents: str = "en en") -> CellResult:
    passages = tuple((f"{n}.{lang}", lang, 1.0) for n, lang in enumerate(documents.split()))
    scores = {"recall": Score(recall), "clr": clr}
    found_in = "en" if name == "q1" else "conflict"
    question = Question(name, f"{name}?", code, ("gold",), ("0.en",), found_in)
    return CellResult(run, question, f"answer {name}", code, passages, 2.0, 10, 5, scores=scores)


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """Run 0 (multirag) has 1, 0 and ½ in Finnish and Thai, run 1 (drag) 1 and 1 and a failure."""
    made = open_store(f"sqlite:///{tmp_path / 'results.db'}")
    identity = add_experiment(made, "Mine", "matrix", "", 6, "", [run_row(0, "multirag"), run_row(1, "drag")])
    writer = Writer(made, identity, ["recall", "clr"])
    writer.write(
        5,
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
    return made


def means(
    engine: Engine, by: tuple[result_store.Dimension, ...], metric: str = "recall", **chosen: tuple[str, ...]
) -> object:
    found = result_store.aggregate(engine, Filter(**chosen), [metric], by)  # type: ignore[arg-type]
    return [(item.key, item.mean, item.n, item.unscored) for item in found]


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
    assert result_store.unscored(engine, Filter(), "clr") == [("Too short.", 1)]


def test_filters_by_run_language_and_question(engine: Engine) -> None:
    assert means(engine, ("mode",), languages=("th",)) == [(("multirag",), 0.5, 1, 0)]
    assert means(engine, ("language",), modes=("drag",)) == [(("fi",), 1.0, 2, 0)]
    assert means(engine, ("mode",), found_in=("conflict",)) == [(("drag",), 1.0, 1, 0), (("multirag",), 0.0, 1, 0)]
    assert means(engine, ("mode",), prompts=("another",)) == []


def test_the_deviation_is_the_populations(engine: Engine) -> None:
    (found,) = result_store.aggregate(engine, Filter(modes=("multirag",), languages=("fi",)), ["recall"])
    assert found.deviation == pytest.approx(0.5)


def test_a_metric_that_nobody_scored_by_is_named(engine: Engine) -> None:
    with pytest.raises(UsageError, match="Unknown metric of these results “beauty”"):
        result_store.aggregate(engine, Filter(), ["beauty"])


def test_experiments_count_answers_and_failures(engine: Engine) -> None:
    (row,) = result_store.experiments(engine)
    assert (row.name, row.cells, row.answered, row.failed) == ("Mine", 6, 5, 1)
    assert result_store.failures(engine, Filter()) == [("It refused.", 1)]


def test_effort_sums_tokens_and_averages_seconds_over_answers(engine: Engine) -> None:
    drag, multirag = result_store.effort(engine, Filter(), ("mode",))
    assert (drag.answers, drag.failed, drag.seconds, drag.prompt_tokens, drag.completion_tokens) == (2, 1, 2.0, 20, 10)
    assert (multirag.answers, multirag.failed) == (3, 0)


def test_flows_count_documents_from_question_language_to_answer_language(engine: Engine) -> None:
    flows = result_store.flows(engine, Filter())
    found = [(flow.language, flow.document_language, flow.answer_language, flow.documents) for flow in flows]
    assert found == [("fi", "en", "fi", 7), ("fi", "fi", "fi", 1), ("th", "th", "th", 2)]


def test_values_are_gathered_by_question_over_languages(engine: Engine) -> None:
    (found,) = score_arrays.by_group(engine, Filter(modes=("multirag",)), "recall", ("mode",))
    # q1 has 1 in Finnish and ½ in Thai, q2 has 0 in Finnish.
    assert (found.key, found.sums.tolist(), found.sizes.tolist()) == (("multirag",), [1.5, 0.0], [2.0, 1.0])


def test_values_are_gathered_by_run_and_language(engine: Engine) -> None:
    found = score_arrays.by_group(engine, Filter(), "recall", ("language", "mode"))
    assert {item.key: item.sums.tolist() for item in found} == {
        ("fi", "multirag"): [1.0, 0.0],
        ("th", "multirag"): [0.5],
        ("fi", "drag"): [1.0, 1.0],
    }


def test_of_many_values_every_so_many_questions_are_read_whole(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score_arrays, "ENOUGH", 2)
    monkeypatch.setattr(score_arrays, "LEAST", 1)
    (found,) = score_arrays.by_group(engine, Filter(modes=("multirag",)), "recall", ("mode",), cells=5)
    assert (found.sums.tolist(), found.sizes.tolist(), found.share) == ([1.5], [2.0], 0.5)


def test_nothing_scored_gathers_nothing(engine: Engine) -> None:
    assert score_arrays.by_group(engine, Filter(prompts=("another",)), "recall", ("mode",)) == []


def test_pairs_are_the_questions_that_both_runs_were_scored_on(engine: Engine) -> None:
    first, second = (run.id for run in result_store.runs(engine, Filter()))
    columns = score_arrays.by_question(engine, "recall", [first, second])
    keys, one, other = score_arrays.common(columns[first], columns[second])
    assert (one.tolist(), other.tolist()) == ([1.0, 0.0], [1.0, 1.0])
    assert score_arrays.question_numbers(engine, [first])[keys].tolist() == [0, 1]


def test_instances_come_a_page_at_a_time_with_their_scores(engine: Engine) -> None:
    page = instances(engine, Filter(modes=("multirag",)), limit=2)
    assert [(cell.question, cell.scores) for cell in page] == [
        ("q1", {"recall": 1.0, "clr": 1.0}),
        ("q2", {"recall": 0.0, "clr": None}),
    ]
    assert page[1].reasons == {"clr": "Too short."}
    (last,) = instances(engine, Filter(modes=("multirag",)), limit=2, after=page[-1].answer)
    assert last.language == "th" and last.golds == ("gold",) and last.passages[0] == ("0.th", "th", 1.0)
    assert count(engine, Filter(), failed=True) == 1
