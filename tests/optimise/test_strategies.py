"""The strategies over a planted landscape: what they find, what they spend, and that a killed search goes on alike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tests.optimise.landscape import PlantedEvaluator, planted_space, true_worth, unwatched
from workbench.core.errors import UsageError
from workbench.core.stopping import JobStopped
from workbench.optimise.measurement import FloatArray, RecipeTrial
from workbench.optimise.strategies.optuna_search import pareto_front
from workbench.optimise.strategies.race import LOOKS, question_blocks
from workbench.optimise.strategies.recipe_sampling import DEFAULT_TRIALS, random_recipes
from workbench.optimise.strategies.search_outcome import Budget, SearchOutcome, SearchStep
from workbench.optimise.strategies.strategy_catalogue import STRATEGIES, search, strategy_facts
from workbench.pipeline.fields import effective
from workbench.pipeline.recipe import Recipe

SPACE = planted_space()
BEST = max(SPACE.recipes(), key=true_worth)


class WithinReach:
    """A rule of races that is easy to foresee: whoever is within `reach` of the leader's mean may still win."""

    def __init__(self, reach: float) -> None:
        self.reach = reach

    def survivors(self, scores: FloatArray, groups: Sequence[str]) -> tuple[int, ...]:
        assert scores.shape[1] == len(groups)
        assert float(np.nanmin(scores)) >= 0
        assert float(np.nanmax(scores)) <= 1
        means = np.nanmean(scores, axis=1)
        return tuple(int(row) for row in np.flatnonzero(means >= means.max() - self.reach))


def run(name: str, evaluator: PlantedEvaluator, budget: Budget | None = None, reach: float = 0.05) -> SearchOutcome:
    limits = budget or (Budget(trials=25) if STRATEGIES[name].needs_trials else Budget())
    return search(name, SPACE, evaluator, limits, unwatched, WithinReach(reach))


def summary(outcome: SearchOutcome) -> tuple[list[str], str, list[tuple[str, int]], str]:
    return (
        [trial.recipe.fingerprint for trial in outcome.trials],
        outcome.best.fingerprint,
        [(decision.node, decision.taken) for decision in outcome.decisions],
        outcome.stopped_early,
    )


class MostlyFailing(PlantedEvaluator):
    """The last recipe fails on all questions but one, on which it is perfect."""

    def evaluate(
        self, recipes: Sequence[Recipe], metrics: Sequence[str], rows: Sequence[int] | None = None
    ) -> list[RecipeTrial]:
        failing = list(SPACE.recipes())[-1].fingerprint
        trials = super().evaluate(recipes, metrics, rows)
        for trial in trials:
            if trial.recipe.fingerprint == failing:
                for values in trial.scores.values():
                    values[:] = np.nan
                    values[0] = 1.0
        return trials


def test_a_recipe_that_fails_on_almost_all_questions_never_wins() -> None:
    assert run("exhaustive", MostlyFailing(noise=0.0)).best.fingerprint == BEST.fingerprint


def test_exhaustive_search_measures_every_recipe_once() -> None:
    evaluator = PlantedEvaluator(noise=0.0)
    outcome = run("exhaustive", evaluator)
    assert len(outcome.trials) == SPACE.size == 270
    assert evaluator.calls == 270 * len(evaluator.questions) * len(SPACE.metrics)
    assert outcome.best.fingerprint == BEST.fingerprint
    assert outcome.stopped_early == ""


@pytest.mark.parametrize("name", ["greedy", "models-first", "race", "tpe", "multi-objective"])
def test_a_strategy_comes_close_to_the_true_best_at_a_fraction_of_its_cost(name: str) -> None:
    evaluator = PlantedEvaluator(noise=0.005)
    outcome = run(name, evaluator, Budget(trials=80) if STRATEGIES[name].needs_trials else None)
    worst = min(true_worth(recipe) for recipe in SPACE.recipes())
    assert (true_worth(outcome.best) - worst) / (true_worth(BEST) - worst) > 0.9
    assert evaluator.calls < 0.5 * 270 * len(evaluator.questions) * len(SPACE.metrics)


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_the_same_search_twice_is_the_same(name: str) -> None:
    assert summary(run(name, PlantedEvaluator())) == summary(run(name, PlantedEvaluator()))


@pytest.mark.parametrize("name", sorted(STRATEGIES))
@pytest.mark.parametrize("share", [0.1, 0.9])
def test_a_killed_search_goes_on_as_if_nothing_had_happened(name: str, share: float) -> None:
    whole = PlantedEvaluator()
    expected = summary(run(name, whole))
    evaluator = PlantedEvaluator(stop_after=int(share * whole.calls))
    with pytest.raises(JobStopped):
        run(name, evaluator)
    evaluator.stop_after = None
    assert summary(run(name, evaluator)) == expected
    assert evaluator.calls == whole.calls


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_another_seed_never_changes_what_is_measured_only_which(name: str) -> None:
    space = planted_space(seed=8)
    outcome = search(name, space, PlantedEvaluator(noise=0.0), Budget(trials=12), unwatched, WithinReach(0.05))
    assert 1 <= len(outcome.trials) <= 12
    known = {recipe.fingerprint for recipe in SPACE.recipes()}
    assert {trial.recipe.fingerprint for trial in outcome.trials} <= known


def test_random_search_depends_on_the_seed() -> None:
    orders = [[recipe.fingerprint for recipe in random_recipes(planted_space(seed=seed))] for seed in (1, 2)]
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1])


def test_random_search_of_a_large_space_draws_distinct_recipes() -> None:
    values = {"candidates": list(range(20, 120)), "rrf_k": list(range(20))}
    nodes = [
        {"node": "retrieval", "modules": [{"name": "a", "values": values}]},
        {"node": "reranker", "modules": [{"name": "b", "values": {"k": list(range(1, 21))}}]},
    ]
    drawn = random_recipes(planted_space(nodes=nodes))
    assert len({next(drawn).fingerprint for _ in range(300)}) == 300


@pytest.mark.parametrize("name", ["random", "tpe", "multi-objective"])
def test_a_search_without_a_number_of_trials_measures_the_default_number(name: str) -> None:
    assert len(run(name, PlantedEvaluator(), Budget(answers=10_000)).trials) == DEFAULT_TRIALS


@pytest.mark.parametrize("name", ["random", "tpe", "multi-objective"])
def test_a_search_ends_where_the_space_does(name: str) -> None:
    nodes = [{"node": "reranker", "modules": [{"name": "k", "values": {"k": [3, 5, 10]}}]}]
    space = planted_space(nodes=nodes)
    outcome = search(name, space, PlantedEvaluator(), Budget(trials=50), unwatched, WithinReach(1))
    assert sorted(trial.recipe.k for trial in outcome.trials) == [3, 5, 10]


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_recipes_that_differ_only_in_fields_without_an_effect_are_measured_once(name: str) -> None:
    modules = [
        {"name": "BM25", "values": {"retriever": "lexical", "fusion_weight": [0.3, 0.5, 0.7], "rrf_k": [10, 60]}},
        {"name": "DBSF", "values": {"retriever": "dbsf", "fusion_weight": [0.3, 0.5, 0.7]}},
    ]
    space = planted_space(nodes=[{"node": "retrieval", "modules": modules}])
    outcome = search(name, space, PlantedEvaluator(noise=0.0), Budget(trials=9), unwatched, WithinReach(1))
    keys = [effective(item.recipe) for item in outcome.trials]
    assert len(set(keys)) == len(keys) == space.size == 4
    assert outcome.best in [item.recipe for item in outcome.trials]


def test_a_race_stops_what_can_no_longer_win() -> None:
    evaluator = PlantedEvaluator(noise=0.005)
    outcome = run("race", evaluator, reach=0.04)
    assert outcome.best.fingerprint == BEST.fingerprint
    assert len(outcome.trials) == 270
    measured = [int(np.count_nonzero(~np.isnan(trial.scores["char3_recall"]))) for trial in outcome.trials]
    assert min(measured) == len(evaluator.questions) // LOOKS
    assert evaluator.calls == sum(measured) < 0.2 * 270 * len(evaluator.questions)


def test_a_race_measures_all_on_the_same_questions() -> None:
    outcome = run("race", PlantedEvaluator(), reach=1.0)
    rows = {tuple(np.flatnonzero(~np.isnan(trial.scores["char3_recall"]))) for trial in outcome.trials}
    assert rows == {tuple(range(24))}


def test_a_race_never_parts_the_translations_of_a_question() -> None:
    questions = PlantedEvaluator().questions
    blocks = question_blocks(questions, seed=3)
    assert sorted(row for block in blocks for row in block) == list(range(len(questions)))
    groups = [{questions.groups[row] for row in block} for block in blocks]
    assert sum(len(part) for part in groups) == len(set(questions.groups))


def test_a_race_where_lower_is_better_keeps_the_lowest() -> None:
    space = planted_space(objective="hallucination")
    outcome = search("race", space, PlantedEvaluator(noise=0.0), Budget(), unwatched, WithinReach(0.01))
    assert outcome.best.fingerprint == min(space.recipes(), key=true_worth).fingerprint


def test_where_lower_is_better_the_lowest_is_the_best() -> None:
    space = planted_space(objective="hallucination")
    outcome = search("exhaustive", space, PlantedEvaluator(noise=0.0), Budget(), unwatched, WithinReach(1))
    assert outcome.best.fingerprint == min(space.recipes(), key=true_worth).fingerprint


@pytest.mark.parametrize(
    ("budget", "sentence"),
    [
        (Budget(trials=10), "The search stopped: 10 recipes are measured, 10 are allowed."),
        (Budget(answers=100), "The search stopped: 96 answers are measured, 100 are allowed, and the next recipe needs "
                              "more than are left."),
        (Budget(calls=100), "The search stopped: 120 calls of a language model are spent, 100 are allowed."),
        (Budget(tokens=20_000), "The search stopped: 26,400 tokens are spent, 20,000 are allowed."),
        (Budget(seconds=20), "The search stopped: 22 seconds are spent, 20 are allowed."),
    ],
)  # fmt: skip
def test_a_search_stops_at_its_budget_and_says_so(budget: Budget, sentence: str) -> None:
    outcome = run("exhaustive", PlantedEvaluator(), budget)
    assert outcome.stopped_early == sentence
    assert 0 < len(outcome.trials) < 270
    assert outcome.best in [trial.recipe for trial in outcome.trials]


def test_a_budget_that_covers_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="The budget ends before the first recipe is measured"):
        run("exhaustive", PlantedEvaluator(), Budget(answers=3))


def test_every_trial_is_reported_as_it_is_measured() -> None:
    steps: list[SearchStep] = []
    outcome = search("greedy", SPACE, PlantedEvaluator(), Budget(), steps.append, WithinReach(1))
    assert [step.spending.trials for step in steps] == sorted(step.spending.trials for step in steps)
    assert steps[-1].spending == outcome.spending
    assert {step.node for step in steps} >= {"mode", "retrieval", "generator"}


def test_an_answer_that_is_measured_twice_over_is_counted_once() -> None:
    # Greedy measures its first recipe for a ranking and later for its answer.
    outcome = run("greedy", PlantedEvaluator())
    assert outcome.spending.answers == len(outcome.trials) * 24


def test_what_an_evaluator_knows_from_before_changes_nothing() -> None:
    class KnowsMore(PlantedEvaluator):
        """Returns metrics and questions that nobody asked about, as one that has measured more may."""

        def evaluate(
            self, recipes: Sequence[Recipe], metrics: Sequence[str], rows: Sequence[int] | None = None
        ) -> list[RecipeTrial]:
            return super().evaluate(recipes, [*metrics, "rouge_l"], None)

    for name in ("greedy", "race"):
        assert summary(run(name, KnowsMore())) == summary(run(name, PlantedEvaluator()))


def trial(score: float, tokens: float, seconds: float) -> RecipeTrial:
    return RecipeTrial(Recipe(), {"mrr": np.array([score])}, np.array([seconds]), np.array([tokens]))


def test_the_front_is_what_nothing_beats_at_quality_tokens_and_time() -> None:
    trials = [
        trial(0.5, 100, 1.0),
        trial(0.7, 300, 2.0),
        trial(0.6, 300, 3.0),  # worse and slower than the one before
        trial(0.7, 200, 4.0),
        trial(0.4, 100, 0.5),
        trial(np.nan, 1, 0.1),
    ]
    assert pareto_front(trials, "mrr") == (3, 1, 0, 4)


def test_equal_trials_are_all_on_the_front() -> None:
    assert pareto_front([trial(0.5, 1, 1), trial(0.5, 1, 1)], "mrr") == (0, 1)


def test_the_search_for_several_aims_spreads_over_the_front() -> None:
    outcome = run("multi-objective", PlantedEvaluator(noise=0.0), Budget(trials=80))
    front = [outcome.trials[number].recipe for number in pareto_front(outcome.trials, "char3_recall")]
    assert {recipe.generator for recipe in front} >= {"extractive", "gpt-4o"}


def test_an_unknown_strategy_is_named() -> None:
    with pytest.raises(UsageError, match="Unknown strategy “best”"):
        strategy_facts("best")
