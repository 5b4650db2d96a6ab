"""Greedy search: node by node, a node without metrics judged by the next one, at m + n trials."""

from __future__ import annotations

from typing import Any

from tests.optimise.landscape import SPACE, PlantedEvaluator, planted_space, true_worth, unwatched
from workbench.optimise.space.search_space import SearchSpace
from workbench.optimise.strategies.greedy import greedy, models_first, models_first_order
from workbench.optimise.strategies.search_outcome import Budget


def two_nodes(first: int, second: int) -> SearchSpace:
    """A node without metrics of `first` variants before one with metrics of `second`."""
    before = {"node": "reranker", "modules": [{"name": "k", "values": {"k": list(range(1, first + 1))}}]}
    weights = [round(0.1 * number, 1) for number in range(second)]
    values = {"retriever": "dbsf", "fusion_weight": weights}
    after = {"node": "retrieval", "metrics": ["char3_recall"], "modules": [{"name": "w", "values": values}]}
    return planted_space(nodes=[before, after])


def test_a_deferred_node_costs_m_plus_n_trials() -> None:
    evaluator = PlantedEvaluator()
    outcome = greedy(two_nodes(7, 5), evaluator, Budget(), unwatched)
    assert [len(decision.variants) for decision in outcome.decisions] == [7, 5]
    # m + n trials, of which the variant taken first is one of both; not m x n.
    assert len(outcome.trials) == 7 + 5 - 1
    assert evaluator.calls == (7 + 5 - 1) * len(evaluator.questions)


def test_while_a_node_is_judged_the_next_one_is_fixed_at_its_first_variant() -> None:
    outcome = greedy(two_nodes(4, 3), PlantedEvaluator(), Budget(), unwatched)
    first = outcome.decisions[0]
    assert {item.recipe.fusion_weight for item in first.variants} == {0.0}
    assert first.judged_by == "retrieval"


def test_a_variant_without_an_effect_is_not_tried() -> None:
    retrieval = {"node": "retrieval", "modules": [{"name": "BM25", "values": {"retriever": "lexical"}}]}
    # Nothing is fused, so that the constant of a fusion changes no answer.
    constants = {"node": "other", "modules": [{"name": "RRF", "values": {"rrf_k": [10, 60, 100]}}]}
    outcome = greedy(planted_space(nodes=[retrieval, constants]), PlantedEvaluator(), Budget(), unwatched)
    assert len(outcome.trials) == 1
    decision = outcome.decisions[-1]
    assert [item.choices for item in decision.variants] == [{"rrf_k": 10}]
    assert decision.reason == "No other variant makes a difference beside the other choices."


def test_each_node_is_decided_with_those_before_it_as_decided() -> None:
    outcome = greedy(planted_space(), PlantedEvaluator(noise=0.0), Budget(), unwatched)
    assert [decision.node for decision in outcome.decisions] == [item["node"] for item in SPACE["nodes"]]
    mode, retrieval, _, _, generator = outcome.decisions
    assert {item.recipe.retriever for item in mode.variants} == {"lexical"}
    assert {item.recipe.mode for item in retrieval.variants} == {"crossrag"}
    assert {(item.recipe.k, item.recipe.balance) for item in generator.variants} == {(5, "none")}


def test_where_choices_do_not_depend_on_each_other_greedy_comes_to_the_best_recipe() -> None:
    space = planted_space()
    outcome = greedy(space, PlantedEvaluator(noise=0.0), Budget(), unwatched)
    assert outcome.best.fingerprint == max(space.recipes(), key=true_worth).fingerprint
    assert len(outcome.trials) <= 3 + 5 + 2 + 3 + 3


def test_a_node_is_measured_by_its_judges_alone() -> None:
    evaluator = PlantedEvaluator()
    greedy(planted_space(), evaluator, Budget(), unwatched)
    assert [metrics for _, metrics, _ in evaluator.requests[:2]] == [("mrr",), ("mrr",)]


def test_the_winner_is_scored_by_the_objective() -> None:
    space = planted_space(nodes=SPACE["nodes"][:2])
    outcome = greedy(space, PlantedEvaluator(), Budget(), unwatched)
    winner = next(trial for trial in outcome.trials if trial.recipe == outcome.best)
    assert set(winner.scores) == {"mrr", "char3_recall"}


def test_models_come_first() -> None:
    names = [planted_space().nodes[number].node for number in models_first_order(planted_space())]
    assert names == ["generator", "mode", "retrieval", "language-balance", "reranker"]


def test_generators_come_before_encoders_before_rerankers() -> None:
    nodes: list[dict[str, Any]] = [
        {"node": "mode", "modules": [{"name": "m", "values": {"mode": ["trag", "multirag"]}}]},
        {"node": "reranker", "modules": [{"name": "r", "values": {"reranker": ["pass", "bge-reranker-v2-m3"]}}]},
        {"node": "retrieval", "modules": [{"name": "e", "values": {"encoder": ["builtin", "bge-m3"]}}]},
        {"node": "generator", "modules": [{"name": "g", "values": {"generator": ["gpt-4o", "extractive"]}}]},
    ]
    assert models_first_order(planted_space(nodes=nodes)) == (3, 2, 1, 0)


def test_a_node_that_names_one_model_only_keeps_its_place() -> None:
    nodes: list[dict[str, Any]] = [
        {"node": "mode", "modules": [{"name": "m", "values": {"mode": ["trag", "multirag"]}}]},
        {"node": "retrieval", "modules": [{"name": "e", "values": {"encoder": "builtin", "candidates": [20, 50]}}]},
    ]
    assert models_first_order(planted_space(nodes=nodes)) == (0, 1)


def test_models_first_decides_in_that_order() -> None:
    outcome = models_first(planted_space(), PlantedEvaluator(noise=0.0), Budget(), unwatched)
    assert outcome.decisions[0].node == "generator"
    assert {item.recipe.generator for item in outcome.decisions[1].variants} == {"gpt-4o"}


def test_a_greedy_search_that_runs_out_of_budget_keeps_what_it_decided() -> None:
    outcome = greedy(planted_space(), PlantedEvaluator(noise=0.0), Budget(trials=9), unwatched)
    assert outcome.stopped_early == "The search stopped: 9 recipes are measured, 9 are allowed."
    assert [decision.node for decision in outcome.decisions] == ["mode", "retrieval", "language-balance"]
    assert (outcome.best.mode, outcome.best.retriever) == ("crossrag", "dbsf")
    assert len(outcome.trials) == 9
