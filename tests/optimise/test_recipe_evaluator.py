"""The evaluator over the real sample: what experiments measure, shared, in parts, and never twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests.experiments.experiments import stored
from tests.optimise.searches import RECIPE, evaluator_of, small_space
from tests.servers.misbehaving import misbehaving
from workbench.app.workbench import Workbench
from workbench.core.errors import UsageError
from workbench.experiments.experiment import Run, make_experiment
from workbench.experiments.results.result_store import ResultStore
from workbench.experiments.results.scoring import STAGE
from workbench.optimise.measurement import StoredTrials
from workbench.optimise.recipe_evaluator import RecipeEvaluator
from workbench.optimise.search_store import SearchJobs
from workbench.optimise.spending import SearchOptions
from workbench.pipeline.recipe import Recipe, make_recipe


def test_scores_are_those_of_an_experiment_with_the_same_recipe(workbench: Workbench) -> None:
    evaluator = evaluator_of(workbench, small_space())
    recipe = make_recipe({**RECIPE, "retriever": "lexical", "k": 3})
    (trial,) = evaluator.evaluate([recipe], ["char3_recall", "mrr"])
    experiment = make_experiment(
        {
            "languages": ["en", "fi"],
            "questions": 3,
            "k": 3,
            "prompts": ["reply-short-en"],
            "recipe": {"retriever": "lexical", "encoder": "builtin"},
            "metrics": ["char3_recall", "mrr"],
        }
    )
    experiment_id, runner = stored(workbench, experiment)
    runner.run()
    cells = list(ResultStore.at(workbench.settings.database_url).of(experiment_id).all_instances())
    for metric in ("char3_recall", "mrr"):
        for code in ("en", "fi"):
            theirs = sorted(float(cell.scores[metric] or 0) for cell in cells if cell.language == code)
            ours = sorted(trial.scores[metric][list(evaluator.questions.rows(frozenset({code})))])
            assert ours == pytest.approx(theirs)


class NumberedBackwards(RecipeEvaluator):
    """Numbers its runs from the last to the first."""

    def runs_of(self, recipes: Sequence[Recipe], rows: Sequence[int]) -> list[tuple[Run, Recipe]]:
        pairs = super().runs_of(recipes, rows)
        return [(replace(run, number=len(pairs) - 1 - run.number), recipe) for run, recipe in pairs]


def test_a_recipe_s_figures_are_its_own_whatever_the_numbers_of_the_runs(workbench: Workbench) -> None:
    recipes = [make_recipe({**RECIPE, "retriever": "lexical", "mode": mode}) for mode in ("baseline", "multirag")]
    forwards = evaluator_of(workbench, small_space())
    backwards = NumberedBackwards(workbench, forwards.material, forwards.fixed)
    scores, others = (
        [trial.scores["char3_recall"].tolist() for trial in evaluator.evaluate(recipes, ["char3_recall"])]
        for evaluator in (forwards, backwards)
    )
    assert scores == others and scores[0] != scores[1]


def test_metrics_of_rankings_run_the_search_alone(workbench: Workbench) -> None:
    evaluator = evaluator_of(workbench, small_space())
    (trial,) = evaluator.evaluate([next(small_space().recipes())], ["mrr"])
    assert set(evaluator.counts.ran) == {"retrieve"}
    assert not np.isnan(trial.seconds).any() and trial.tokens.sum() == 0


def test_a_judge_of_candidates_reads_them_at_their_depth_and_no_answer_is_generated(workbench: Workbench) -> None:
    with misbehaving() as server:
        server.script = lambda user: "Verdict: 1"
        judge = f"openai-like:m@{server.url('says')}"
        space = small_space(objective="context_precision_10", judge=judge, judge_language="en")
        evaluator = evaluator_of(workbench, space)
        recipe = next(space.recipes()).with_(k=2, candidates=20)
        metric = space.metrics[0]
        (trial,) = evaluator.evaluate([recipe], [metric])
    assert set(evaluator.counts.ran) == {"retrieve", STAGE}
    assert trial.scores[metric].tolist() == [1.0] * len(evaluator.questions)
    assert len(server.requests) == 10 * len(evaluator.questions)


def test_recipes_share_their_steps(workbench: Workbench) -> None:
    evaluator = evaluator_of(workbench, small_space())
    keys: dict[str, set[str]] = {}
    evaluator.runner.executor.on_key = lambda stage, key: keys.setdefault(stage, set()).add(key)
    recipes = list(small_space().recipes())
    evaluator.evaluate(recipes, ["char3_recall"])
    assert len(recipes) == 6 and evaluator.counts.ran["retrieve"] == 2 * 6
    assert evaluator.counts.ran == {name: len(some) for name, some in keys.items()}


def test_what_was_measured_is_not_measured_again(workbench: Workbench) -> None:
    evaluator = evaluator_of(workbench, small_space())
    recipes = list(small_space().recipes())[:2]
    first = evaluator.evaluate(recipes, ["char3_recall"], [0, 1])
    before = dict(evaluator.counts.ran), dict(evaluator.counts.from_cache)
    again = evaluator.evaluate(recipes, ["char3_recall"], [0, 1])
    assert (dict(evaluator.counts.ran), dict(evaluator.counts.from_cache)) == before
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one.scores["char3_recall"], other.scores["char3_recall"])
        np.testing.assert_array_equal(one.seconds, other.seconds)
    assert np.isnan(first[0].scores["char3_recall"][2:]).all()


def test_the_seconds_of_a_ranking_stay_after_the_answer_was_measured(workbench: Workbench) -> None:
    evaluator = evaluator_of(workbench, small_space())
    recipe = next(small_space().recipes())
    (before,) = evaluator.evaluate([recipe], ["mrr"])
    evaluator.evaluate([recipe], ["char3_recall"])
    (after,) = evaluator.evaluate([recipe], ["mrr"])
    np.testing.assert_array_equal(before.seconds, after.seconds)


def test_a_recipe_that_fails_has_errors_and_the_others_go_on(workbench: Workbench) -> None:
    evaluator = evaluator_of(workbench, small_space())
    good = next(small_space().recipes())
    missing = good.with_(generator="openai-like:nothing")
    elsewhere = good.with_(corpus="nowhere")
    trials = evaluator.evaluate([missing, elsewhere, good], ["char3_recall"])
    assert [trial.errors for trial in trials] == [6, 6, 0]
    assert np.isnan(trials[0].scores["char3_recall"]).all() and np.isnan(trials[0].seconds).all()
    assert not np.isnan(trials[2].scores["char3_recall"]).any()


def test_translations_of_a_question_are_one_group(workbench: Workbench) -> None:
    questions = evaluator_of(workbench, small_space()).questions
    assert len(questions) == 6 and len(set(questions.groups)) == 3
    assert {questions.groups[row] for row in questions.rows(frozenset({"en"}))} == set(questions.groups)


def test_another_evaluator_continues_from_the_log_without_a_step(workbench: Workbench) -> None:
    space = small_space()
    jobs = SearchJobs(workbench.settings)
    search_id = jobs.create(workbench, space, SearchOptions())
    log = StoredTrials(jobs.engine, search_id)
    recipes = list(space.recipes())
    first = evaluator_of(workbench, space, log).evaluate(recipes, ["char3_recall", "mrr"])
    other = evaluator_of(workbench, space, log)
    again = other.evaluate(recipes, ["char3_recall", "mrr"])
    assert not other.counts.ran and not other.counts.from_cache
    for one, two in zip(first, again, strict=True):
        for name in one.scores:
            np.testing.assert_array_equal(one.scores[name], two.scores[name])
        np.testing.assert_array_equal(one.seconds, two.seconds)
        np.testing.assert_array_equal(one.tokens, two.tokens)
    assert [recipe.fingerprint for recipe in jobs.store.recipes(search_id)] == [item.fingerprint for item in recipes]


def test_a_metric_that_the_search_does_not_have_is_named(workbench: Workbench) -> None:
    with pytest.raises(UsageError, match="“rouge_l” is not one of the search's"):
        evaluator_of(workbench, small_space()).evaluate([next(small_space().recipes())], ["rouge_l"])


def test_a_search_without_questions_is_refused(workbench: Workbench) -> None:
    from workbench.data.datasets.dataset_library import DatasetLibrary

    DatasetLibrary(workbench.settings.datasets).add("empty", "sample", [], aligned=False)
    with pytest.raises(UsageError, match="no questions"):
        evaluator_of(workbench, small_space(datasets=["empty"], languages=["all"]))
