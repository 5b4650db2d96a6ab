"""The sentences above the figures: what they call better, what they do not, and the numbers that they name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.experiments.results.test_standings import view_of
from workbench.app.workbench import Workbench
from workbench.core.records import Question
from workbench.experiments.results.filters import Filter
from workbench.experiments.results.queries.aggregates import Flow, MeanWithInterval
from workbench.experiments.results.result_store import ResultStore, ResultView
from workbench.experiments.results.run_pairs import Delta, MetricCorrelation, run_deltas
from workbench.experiments.results.summaries import findings
from workbench.experiments.results.summaries.findings import standings
from workbench.experiments.results.writer import CellResult, RunRow, Writer, add_experiment
from workbench.metrics.catalogue import metric_name
from workbench.metrics.measure import Score
from workbench.workspace.database import opened_store

QUESTIONS = [str(number) for number in range(40)]
GOOD, BAD = dict.fromkeys(QUESTIONS, 1.0), dict.fromkeys(QUESTIONS, 0.0)
NEARLY = {**GOOD, "0": 0.0}
LESS = Delta(-0.4, -0.6, -0.2, 0.001, 40, 40, 0, 0.1, 6, 20, 3)


def _sentence(workbench: Workbench, *runs: dict[str, float]) -> str:
    view = view_of(workbench, *runs)
    rows, _ = standings(view, "em", 10)
    return " ".join(findings.run_finding(view, "em", rows, {row.run: f"run {row.run}" for row in rows}))


def test_what_the_test_shows_is_called_better_with_value_interval_and_n(workbench: Workbench) -> None:
    sentence = _sentence(workbench, GOOD, BAD)
    assert "run 1 has the best mean: 1.00 (95 %:" in sentence
    assert "n = 40 answers" in sentence
    assert "It is better than run 2, by 1.00." in sentence


def test_what_chance_could_explain_cannot_be_told_apart(workbench: Workbench) -> None:
    sentence = _sentence(workbench, GOOD, NEARLY)
    # s = 1 / √40 of the paired differences, of which one is 1: ((1.96 + 0.84) s / 0.025)² = 314, by Student's t 316.
    assert "It cannot be told apart from run 2: too few questions (n = 40) to tell." in sentence
    assert "A difference like the one seen, 0.025, would need about 320 questions." in sentence
    assert "better" not in sentence


def test_below_six_questions_no_difference_can_be_told() -> None:
    few = Delta(0.3, -1.0, 1.0, 0.5, 5, 5, 0, None, None, 3)
    assert findings.few_words([few]) == ": too few questions (n = 5) to tell any difference"


def test_the_largest_difference_seen_states_what_would_be_needed_unless_the_questions_would_have_shown_it() -> None:
    small, large = replace(LESS, mean=0.01, needed=9_876), replace(LESS, mean=-0.05, needed=432)
    assert findings.few_words([small, large]) == (
        ": too few questions (n = 40) to tell. A difference like the largest seen, 0.05, would need about 430 "
        "questions, smaller ones more"
    )
    assert findings.few_words([replace(LESS, needed=40)]) == findings.few_words([replace(LESS, needed=None)]) == ""


def test_equal_scores_are_called_the_same_on_every_question(workbench: Workbench) -> None:
    assert "It has the same score as run 2 on every answer compared." in _sentence(workbench, GOOD, GOOD)


def test_a_single_run_is_compared_with_nothing(workbench: Workbench) -> None:
    assert "There is nothing to compare it with here." in _sentence(workbench, GOOD)


def test_a_difference_of_identical_runs_is_marked_as_such(workbench: Workbench) -> None:
    view = view_of(workbench, GOOD, GOOD, NEARLY)
    same, other = run_deltas(view, "em", [[(1, 2)], [(1, 3)]])
    assert (same.is_same, same.differing) == (True, 0)
    assert (other.is_same, other.differing) == (False, 1)


def test_two_runs_differ_alike_from_either_of_them(workbench: Workbench) -> None:
    view = view_of(workbench, GOOD, BAD, NEARLY)
    from_good = run_deltas(view, "em", [[(1, 2)], [(1, 3)]])[1]
    from_nearly = run_deltas(view, "em", [[(3, 1)], [(3, 2)]])[0]
    assert from_good.p == from_nearly.p and from_good.family == from_nearly.family == 3
    bounds = [from_good.low or 0.0, from_good.high or 0.0]
    assert bounds == pytest.approx([-(from_nearly.high or 0.0), -(from_nearly.low or 0.0)])
    alone = run_deltas(view, "em", [[(1, 3)]])[0]
    assert alone.p is not None and from_good.p == min(1.0, 3 * alone.p)
    assert bounds[0] < (alone.low or 0.0), "as wide as p is strict"


def test_a_difference_states_direction_n_and_what_p_is_corrected_for() -> None:
    sentence = findings.difference_finding("base", {"x": LESS}, "em")
    assert "x (-0.40) is worse than base." in sentence
    assert "p and intervals are corrected for all 3 pairs" in sentence
    assert "n = 40 answers" in sentence


def test_where_lower_is_better_less_is_better() -> None:
    assert "is better than base" in findings.difference_finding("base", {"x": LESS}, "code_switch")


def test_languages_whose_intervals_overlap_are_not_ordered_for_certain() -> None:
    high = MeanWithInterval(("fi",), "em", 0.8, 0.6, 0.9, 20, 0)
    low = MeanWithInterval(("th",), "em", 0.7, 0.5, 0.85, 20, 0)
    rows = [("Finnish", high), ("Thai", low)]
    assert "chance may explain" in findings.extremes_finding(rows, "language")
    apart = [("Finnish", high), ("Thai", replace(low, mean=0.2, low=0.1, high=0.3))]
    assert "chance may explain" not in findings.extremes_finding(apart, "language")


def test_shares_of_documents_leave_english_questions_out() -> None:
    flows = [Flow("en", "en", "en", 100), Flow("fi", "en", "fi", 1), Flow("fi", "fi", "fi", 3)]
    sentence = findings.documents_finding(flows)
    assert "25% are in English, 75% in the question's language and 0% in others (n = 4 documents" in sentence


def test_the_metrics_that_agree_most_and_least_are_named() -> None:
    pairs = [MetricCorrelation("a", "b", 0.9, 5), MetricCorrelation("a", "c", 0.1, 5)]
    assert "“a” and “b” agree most (r = 0.90, n = 5 answers); “a” and “c” least" in findings.agreement_finding(pairs)


def test_where_lower_is_better_in_one_metric_of_two_a_negative_correlation_is_agreement() -> None:
    pairs = [MetricCorrelation("em", "abstention_error", -0.6, 5), MetricCorrelation("f1", "abstention_error", 0.2, 5)]
    sentence = findings.agreement_finding(pairs)
    names = [metric_name(name) for name in ("em", "f1", "abstention_error")]
    assert sentence.startswith(f"“{names[0]}” and “{names[2]}” agree most (r = -0.60, n = 5 answers; in “{names[2]}”, ")
    assert f"“{names[1]}” and “{names[2]}” least (r = 0.20" in sentence


def test_a_choice_with_one_value_is_not_called_the_best(workbench: Workbench) -> None:
    sentence = findings.choice_finding(view_of(workbench, GOOD, BAD), "em", "prompt")
    assert "is the only one here: 0.50" in sentence
    assert "best" not in sentence


def test_what_is_best_for_its_cost_is_named_from_the_cheapest_to_the_best() -> None:
    sentence = findings.cost_finding([("quick", 0.4, "3 ms"), ("good", 0.8, "9 ms")], 5)
    assert "2 of 5 runs are best for their cost, from quick (0.40 at 3 ms) to good (0.80 at 9 ms)" in sentence


def _where_answers_lie(workbench: Workbench) -> ResultView:
    """Two runs of 20 questions each of which a half is answered in no English document, where the second fails."""
    engine = opened_store(workbench.settings.database_url)
    rows = [RunRow(n, f"run {n}", "d", "sample", "trag", "en", "p", "m", 5, "none", "", str(n)) for n in range(2)]
    writer = Writer(engine, add_experiment(engine, "Mine", "matrix", "", 0, "none", rows), ("em", "clr"))
    for run in range(2):
        cells = []
        for number in range(20):
            place = "other" if number < 10 else "both"
            wrong = run == 1 and place == "other"
            scores = {"em": Score(float(not wrong)), "clr": Score(float(not (wrong and number < 4)))}
            question = Question(f"q{number}", "Who?", "fi", ("x",), evidence_in=place)
            cells.append(CellResult(run, question, "x", "en", (), 0.1, 1, 1, scores=scores))
        writer.write("detect language", run, "d", cells)
    return ResultStore(engine).of()


def test_results_are_filtered_by_where_the_answer_lies_and_so_are_differences(workbench: Workbench) -> None:
    view = _where_answers_lie(workbench)
    assert view.evidence() == ["both", "other"]
    for place, mean in (("both", 0.0), ("other", -1.0)):
        part = view.with_filter(Filter(evidence_in=(place,)))
        (delta,) = run_deltas(part, "em", [[(1, 2)]])
        assert (delta.mean, delta.n) == (mean, 10)
        rows, _ = standings(part, "em", 10)
        assert [row.n for row in rows] == [10, 10]


def test_answers_in_another_language_than_the_golds_are_counted_among_those_with_score_0(workbench: Workbench) -> None:
    view = _where_answers_lie(workbench)
    assert "of 10 answers with score 0, 4 are in another language" in findings.elsewhere_finding(view, "em")
    assert findings.elsewhere_finding(view.with_filter(Filter(runs=(1,))), "em") == ""
    assert findings.elsewhere_finding(view, "clr") == ""
