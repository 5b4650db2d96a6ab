"""What a search's report says: the best on both halves, who may be as good, luck, languages, choices and nodes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.optimise.reports import GOAL, random_scores, report_over
from tests.optimise.searches import SearchesHere, searched, small_space
from workbench.app.workbench import Workbench
from workbench.core.errors import UsageError
from workbench.optimise import search_report
from workbench.optimise.report_words import (
    comparison_words,
    headline,
    language_words,
    luck_words,
    size_words,
    verdict,
)
from workbench.optimise.search_figures import variant_labels, variant_numbers
from workbench.optimise.search_report import report_of
from workbench.optimise.search_store import SearchJobs
from workbench.optimise.selection.chance import PilotSpread, needed_rows
from workbench.optimise.selection.paired_scores import TooFewQuestions


def test_a_clear_lead_is_a_winner_and_its_score_is_given_on_both_halves() -> None:
    report = report_over(random_scores(6, 60, [0.3]))
    assert report.best is not None and report.best_row == 0
    assert (report.best.searched.n, report.best.holdout.n) == (30, 30)
    assert report.confidence is not None and report.confidence.winner == 0
    assert comparison_words(report) == ""
    assert report.luck is not None and not report.luck.is_luck
    assert "more than luck explains" in luck_words(report)
    assert "Luck takes the best of these recipes here, as an exhaustive search does" in luck_words(report)
    assert report.recommended_row == 0
    assert (
        verdict(report)
        == "The best is BM25 · Passages to the generator (k): 1: told apart from all 5 others on 30 questions."
    )
    assert "on held-out questions, within chance" in headline(report) and "n = 30" in headline(report)


def test_copies_are_all_as_good_so_none_is_recommended_and_luck_covers_the_gain() -> None:
    report = report_over(np.tile(random_scores(1, 40), (6, 1)), tokens=[9, 9, 9, 3, 9, 9])
    assert len(report.may_be_best) == 6 and report.cheapest_row == 3
    assert [item.is_cheapest for item in report.recipes].count(True) == 1
    assert report.luck is not None and report.luck.is_luck
    assert report.recommended is None and not any(item.is_recommended for item in report.recipes)
    assert headline(report).startswith("Answer contains the gold (letters) of what the search took, BM25")


def test_where_nothing_is_told_apart_one_sentence_says_so_and_how_many_questions_would_tell() -> None:
    report = report_over(random_scores(6, 8, [0.3]))
    assert report.recommended is None
    assert verdict(report) == (
        "Nothing can be told apart: with 4 distinct questions, any of the 6 recipes may be the best; about "
        f"{report.groups_needed} would show a difference of {report.gain_to_show:.2f}."
    )
    assert report.groups_needed > 4
    assert "cheapest" not in f"{headline(report)} {comparison_words(report)} {luck_words(report)}"


def test_where_some_are_told_apart_the_cheapest_of_the_others_is_recommended() -> None:
    scores = random_scores(4, 60, [0.3])
    scores[1] = scores[0]
    report = report_over(scores, tokens=[9, 3, 1, 1])
    assert report.recommended_row == 1
    assert verdict(report) == (
        "2 of 4 recipes may be the best, as 30 distinct questions do not tell them apart; the cheapest of them is "
        "BM25 · Passages to the generator (k): 3."
    )


def test_a_held_out_score_is_said_to_be_lower_or_higher() -> None:
    scores = random_scores(3, 60, [0.4])
    parts = report_over(scores).figures.parts
    scores[:, list(parts.holdout)] -= 0.1
    assert "lower on held-out questions" in headline(report_over(scores))
    scores[:, list(parts.holdout)] += 0.2
    assert "higher on held-out questions" in headline(report_over(scores))


def test_a_recipe_without_its_held_out_figures_is_reported_as_not_confirmed() -> None:
    scores = random_scores(3, 20, [0.3])
    report = report_over(scores)
    scores[:, list(report.figures.parts.holdout)] = np.nan
    assert report_over(scores).shrinkage is None
    assert "not measured on the held-out questions yet" in headline(report_over(scores))


def test_without_held_out_questions_the_score_is_called_too_high() -> None:
    report = report_over(random_scores(3, 20), holdout=0.0)
    assert report.shrinkage is None and "so this score is too high" in headline(report)


def test_a_search_that_took_another_recipe_than_the_best_by_the_goal_says_so() -> None:
    report = report_over(random_scores(2, 60, [0.0, 0.3]), best=0)
    assert report.recommended_row == 1 and report.best_row == 0
    leader = report.choices_of(report.figures.recipes[1])
    assert comparison_words(report).endswith(f"{leader} is ahead of the recipe that the search took.")
    assert verdict(report).startswith(f"The best is {leader}: told apart from the only other recipe")
    assert luck_words(report) == ""


def test_held_out_questions_that_are_easier_are_not_called_chance() -> None:
    scores = random_scores(3, 60)
    parts = report_over(scores).figures.parts
    scores[:, list(parts.search)] = 0.1
    scores[:, list(parts.holdout)] = 0.9
    assert "the held-out questions are easier by more than chance explains" in headline(report_over(scores))


def test_shrinkage_without_an_interval_is_no_verdict() -> None:
    scores = random_scores(2, 3)
    words = headline(report_over(scores, holdout=0.4))
    assert "within chance" not in words and "too few questions for an interval" in words


def test_a_recipe_whose_rankings_alone_were_timed_is_not_on_the_front() -> None:
    report = report_over(random_scores(3, 40, [0.2]), tokens=[9.0, 9.0, float("nan")])
    report.figures.seconds[2] = np.nan
    assert 2 not in report.front and report.cheapest_row != 2


def test_nothing_measured_and_one_recipe_are_no_errors() -> None:
    empty = report_over(np.full((2, 8), np.nan))
    assert empty.best is None and empty.importances == () and empty.front == ()
    assert verdict(empty) == "No recipe is scored yet." and headline(empty) == ""
    single = report_over(random_scores(1, 8))
    assert single.confidence is None and single.luck is None and luck_words(single) == ""


def test_one_recipe_per_language_pays_where_languages_need_different_ones() -> None:
    scores = random_scores(2, 80)
    scores[0, 0::2] += 0.3
    scores[1, 1::2] += 0.25
    report = report_over(scores, ("en", "fi"))
    assert report.languages is not None and report.languages.pays
    assert [item.winner for item in report.languages.languages] == [0, 1]
    searched_mean, holdout = report.figure_in("fi", 1)
    assert searched_mean.n == holdout.n == 20
    assert language_words(report).startswith("Specialising pays")
    assert report.languages.interval is not None and report.languages.interval.low < 0
    assert "rare questions that were not drawn" in language_words(report)


def test_importance_is_by_node_overall_and_by_language() -> None:
    space = small_space()
    scores = random_scores(6, 60)
    for row, recipe in enumerate(space.recipes()):
        scores[row] += 0.3 if recipe.retriever == "rrf" else 0.0
    report = report_over(scores, ("en", "fi"), space=space)
    assert [each.language for each in report.importances] == ["", "en", "fi"]
    first = report.importances[0].fields[0]
    assert first.field == "Retrieval" and first.share is not None and first.share > 0.9
    assert {value.value for value in first.values} == {"BM25", "RRF"}


def test_a_lower_score_is_better_where_the_metric_says_so() -> None:
    space = small_space(objective="hallucination", judge="openai-like:m@http://127.0.0.1:9/v1")
    report = report_over(random_scores(3, 40, [-0.15]), space=space)
    assert report.best_row == 0
    assert report.confidence is not None and report.confidence.members[0] == 0


def test_a_variant_averages_the_recipes_that_have_it() -> None:
    space = small_space()
    scores = random_scores(6, 20)
    report = report_over(scores, space=space)
    retrieval, reranker = report.nodes
    mark = next(item for item in retrieval.marks if item.label == "RRF" and item.metric == GOAL)
    rows = [row for row, recipe in enumerate(space.recipes()) if recipe.retriever == "rrf"]
    expected = scores[np.ix_(rows, report.figures.parts.search)].mean()
    assert mark.recipes == 3 and mark.figure.mean is not None and abs(mark.figure.mean - expected) < 1e-12
    assert {item.label for item in reranker.marks} == {f"Passages to the generator (k): {k}" for k in (1, 3, 5)}
    assert sum(item.is_taken for item in retrieval.marks if item.metric == GOAL) == 1


def test_a_recipe_is_told_by_what_it_takes_at_each_node() -> None:
    space = small_space()
    recipes = list(space.recipes())
    assert [variant_numbers(space, recipe) for recipe in recipes] == [(i, j) for i in range(2) for j in range(3)]
    assert variant_labels(space.nodes[0]) == ("BM25", "RRF")
    assert report_over(random_scores(6, 20)).choices_of(recipes[4]) == "RRF · Passages to the generator (k): 3"


def test_the_front_has_no_recipe_that_another_beats() -> None:
    scores = np.array([[0.5] * 10, [0.6] * 10, [0.4] * 10])
    report = report_over(scores, tokens=[5, 9, 7])
    assert set(report.front) == {0, 1}


def test_the_smallest_difference_that_questions_can_show_is_told_with_what_it_rests_on() -> None:
    spread = PilotSpread(0.3, 0.4, 5, 2.0)
    assert size_words(100, 10, spread).startswith(
        "With 100 distinct questions the smallest difference between 10 recipes that can be shown is 0.13, by the "
    )
    assert "if two recipes differ as much as is usual" in size_words(100, 10, None)
    assert "With 3 distinct questions no difference between 10 recipes can be shown" in size_words(3, 10, spread)
    rows = needed_rows(10, spread)
    assert [one < every for _, _, one, every in rows] == [True] * len(rows) and len(rows) == 4
    assert needed_rows(1, spread) == []
    equal = PilotSpread(0.0, 0.0, 5, 2.0)
    assert "as much as is usual" in size_words(100, 10, equal)
    assert len({row[0] for row in needed_rows(10, equal)}) > 1


def test_the_report_of_a_stored_search_reads_what_its_process_measured(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SearchesHere, "spawn", SearchJobs.spawn)
    jobs, _, row = searched(workbench, small_space(questions=4), strategy="greedy", holdout=0.5)
    report = report_of(workbench, jobs.store, row)
    best = report.best
    assert best is not None and best.recipe.model_dump(mode="json") == row.outcome["best"]
    assert best.searched.mean == row.progress["best"]["metrics"][GOAL]["mean"]
    assert best.holdout.n == 4 and best.seconds is not None
    assert [node.reason != "" for node in report.nodes] == [True, True]
    assert sum(mark.is_taken for mark in report.nodes[0].marks) == 1


def test_a_statistic_of_too_few_questions_is_left_out_and_a_wrong_argument_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def raises(error: Exception) -> None:
        def statistic(*_: object, **__: object) -> None:
            raise error

        monkeypatch.setattr(search_report, "luck_gauge", statistic)

    raises(TooFewQuestions("Two or more."))
    assert report_over(random_scores(3, 20)).luck is None
    raises(UsageError("That is no row."))
    with pytest.raises(UsageError, match="no row"):
        report_over(random_scores(3, 20)).luck  # noqa: B018
