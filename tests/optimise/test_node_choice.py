"""A node's variant is selected by the formulas of AutoRAG: examples worked by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from workbench.optimise.measurement import RecipeTrial
from workbench.optimise.selection.selection_rules import selection_values
from workbench.optimise.space.search_space import SpaceNode
from workbench.optimise.strategies.node_choice import decide
from workbench.optimise.strategies.search_outcome import Decision
from workbench.pipeline.recipe import Recipe


def test_the_mean_of_metrics() -> None:
    means = np.array([[0.5, 0.3], [0.2, 0.9]])
    assert selection_values(means, "mean") == pytest.approx([0.4, 0.55])


def test_reciprocal_ranks_are_added_up() -> None:
    # Ranks by the first metric 1, 2, 3; by the second 3, 1, 2.
    means = np.array([[0.9, 0.1], [0.8, 0.7], [0.1, 0.5]])
    assert selection_values(means, "rank") == pytest.approx([1 + 1 / 3, 1 / 2 + 1, 1 / 3 + 1 / 2])


def test_equal_means_share_their_mean_rank() -> None:
    # Ranks 1.5, 1.5 and 3.
    means = np.array([[0.4], [0.4], [0.2]])
    assert selection_values(means, "rank") == pytest.approx([1 / 1.5, 1 / 1.5, 1 / 3])


def test_means_are_normalised_over_the_variants() -> None:
    # ROUGE from 0.2 to 0.4, G-Eval from 2 to 4: (0 + 1) / 2, (1 + 0) / 2, (0.5 + 0.75) / 2.
    means = np.array([[0.2, 4.0], [0.4, 2.0], [0.3, 3.5]])
    assert selection_values(means, "normalised-mean") == pytest.approx([0.5, 0.5, 0.625])


def test_a_metric_that_is_the_same_everywhere_counts_nothing() -> None:
    means = np.array([[0.3, 0.1], [0.3, 0.2]])
    assert selection_values(means, "normalised-mean") == pytest.approx([0.0, 0.5])


def test_the_three_rules_can_disagree() -> None:
    # The first leads by far at one metric, the second by little at two, the third is never last.
    means = np.array([[0.90, 0.10, 0.10], [0.10, 0.32, 0.32], [0.30, 0.31, 0.31]])
    assert [int(np.argmax(selection_values(means, rule))) for rule in ("mean", "rank", "normalised-mean")] == [0, 1, 2]
    assert selection_values(means, "normalised-mean") == pytest.approx([1 / 3, 2 / 3, (0.25 + 2 * 21 / 22) / 3])


def decision(
    scores: list[list[list[float]]],
    metrics: tuple[str, ...] = ("mrr",),
    seconds: tuple[float, ...] = (),
    tokens: tuple[float, ...] = (),
    judge: dict[str, Any] | None = None,
    **rules: Any,
) -> Decision:
    """The decision about variants, each with the scores of each metric."""
    modules = [{"name": f"m{number}", "values": {"k": number + 1}} for number in range(len(scores))]
    node = SpaceNode.model_validate({"node": "reranker", "modules": modules, "metrics": metrics, **rules})
    other = SpaceNode.model_validate({"node": "generator", "modules": modules, **judge}) if judge else node
    trials = [
        RecipeTrial(
            Recipe(k=number + 1),
            {metric: np.array(values) for metric, values in zip(metrics, item, strict=True)},
            np.array([seconds[number] if seconds else 1.0]),
            np.array([tokens[number] if tokens else 0.0]),
        )
        for number, item in enumerate(scores)
    ]
    return decide(node, other, metrics, node.variants(), trials)


def test_the_variant_with_the_highest_value_is_taken() -> None:
    choice = decision([[[0.0, 1.0]], [[1.0, 1.0]], [[0.0, 0.0]]])
    assert (choice.taken, choice.variants[1].module, choice.variants[1].scores) == (1, "m1", {"mrr": 1.0})
    assert choice.reason == "It has the highest mean of mrr, 1.0000."


def test_of_equal_variants_the_first_is_taken() -> None:
    assert decision([[[0.5]], [[0.5]]]).taken == 0


def test_a_mean_is_over_the_questions_that_were_scored() -> None:
    choice = decision([[[0.6] * 5], [[0.7, 0.7, 0.7, 0.7, np.nan]]])
    assert choice.variants[1].scores == {"mrr": pytest.approx(0.7)}
    assert choice.taken == 1


def test_a_variant_that_failed_on_most_questions_is_excluded() -> None:
    choice = decision([[[0.8] * 5], [[1.0, np.nan, np.nan, np.nan, np.nan]]])
    assert choice.taken == 0
    assert choice.variants[1].excluded == "Only 1 question was scored by mrr."


@pytest.mark.parametrize("rule", ["mean", "rank", "normalised-mean"])
def test_where_lower_is_better_the_lowest_is_taken(rule: str) -> None:
    assert decision([[[0.4]], [[0.1]]], ("hallucination",), selection=rule).taken == 1


def test_a_variant_that_takes_too_long_is_excluded() -> None:
    choice = decision([[[0.9]], [[0.5]]], seconds=(3.0, 1.0), max_seconds=2)
    assert choice.taken == 1
    assert choice.variants[0].excluded == "It takes 3.00 seconds; 2 are allowed."
    assert np.isnan(choice.variants[0].value)


def test_a_variant_that_takes_too_many_tokens_is_excluded() -> None:
    choice = decision([[[0.9]], [[0.5]]], tokens=(4000, 900), max_tokens=1000)
    assert choice.taken == 1
    assert choice.variants[0].excluded == "It takes 4,000 tokens; 1,000 are allowed."


def test_an_excluded_variant_does_not_count_in_the_normalisation() -> None:
    # Without the first, the second metric ranges from 0.4 to 0.5.
    metrics = ("mrr", "map")
    scores = [[[0.0], [0.9]], [[0.3], [0.5]], [[0.4], [0.4]]]
    choice = decision(scores, metrics, seconds=(9.0, 1.0, 1.0), max_seconds=2, selection="normalised-mean")
    assert [item.value for item in choice.variants[1:]] == pytest.approx([0.5, 0.5])


def test_where_all_are_beyond_the_limits_all_are_compared() -> None:
    choice = decision([[[0.2]], [[0.6]]], seconds=(3.0, 4.0), max_seconds=2)
    assert choice.taken == 1
    assert choice.reason.endswith("No variant is within the node's limits, so all were compared.")


def test_a_variant_without_scores_is_excluded() -> None:
    choice = decision([[[np.nan]], [[0.1]]])
    assert choice.taken == 1
    assert choice.variants[0].excluded == "No question was scored by mrr."


def test_where_nothing_was_scored_the_first_stays() -> None:
    choice = decision([[[np.nan]], [[np.nan]]])
    assert choice.taken == 0
    assert choice.reason == "Nothing was scored by mrr, so the first variant stays."


def test_the_rule_is_that_of_the_node_whose_metrics_judge() -> None:
    scores = [[[0.90], [0.10], [0.10]], [[0.10], [0.32], [0.32]], [[0.30], [0.31], [0.31]]]
    metrics = ("mrr", "map", "ndcg@5")
    assert decision(scores, metrics).taken == 0
    choice = decision(scores, metrics, judge={"selection": "rank"})
    assert (choice.taken, choice.judged_by) == (1, "generator")
