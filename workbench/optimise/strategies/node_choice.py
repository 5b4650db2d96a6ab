"""How a node's variant is selected: by the mean of its metrics, by rank, or by the normalised mean, within limits.

Kim et al. (2024), section 3.1.2: performance by the node's metrics, by statistical measures over them, and the time
that a module takes. Their formulas, as AutoRAG documents them:

- `mean`: the mean of the metrics' means.
- `rank`: for each metric the variants are ranked, 1 the best, equal ones by their mean rank; a variant's value is the
  sum of the reciprocals of its ranks.
- `normalised-mean`: each metric's means are put on a common scale, (x - min) / (max - min) over the variants, and
  averaged; a metric that is the same everywhere counts 0. The paper selects generators so (section 3.3.2), which also
  puts G-Eval, 1 to 5, on the others' scale.

Of a metric that is better lower, the negative is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from workbench.optimise.measurement import RecipeTrial
from workbench.optimise.selection.paired_scores import COVERAGE
from workbench.optimise.selection.selection_rules import selection_values
from workbench.optimise.space.search_space import Selection, SpaceNode, direction
from workbench.optimise.strategies.measuring import mean_of, scored_count
from workbench.optimise.strategies.search_outcome import Decision, VariantFigures

RULES: Mapping[Selection, str] = {
    "mean": "the highest mean of",
    "rank": "the highest sum of reciprocal ranks by",
    "normalised-mean": "the highest normalised mean of",
}


def decide(
    node: SpaceNode,
    judge: SpaceNode | None,
    metrics: Sequence[str],
    variants: Sequence[tuple[str, Mapping[str, object]]],
    trials: Sequence[RecipeTrial],
) -> Decision:
    """Which variant of `node` is taken, by the metrics of the node `judge` (None: the search's objective).

    The limits of time and tokens are those of `node`. Where no variant is within them, all are compared, as AutoRAG
    does. Equal values: the first.
    """
    figures = [_figures(variant, trial, metrics) for variant, trial in zip(variants, trials, strict=True)]
    missing = _missing_scores(trials, metrics)
    eligible = [number for number, sentence in enumerate(missing) if not sentence]
    within = [number for number in eligible if not _over(node, figures[number])]
    compared = within or eligible
    rule = (judge or node).selection
    values = np.full(len(figures), np.nan)
    if compared:
        signs = [direction(metric) for metric in metrics]
        means = np.array([[figures[number].scores[metric] for metric in metrics] for number in compared])
        values[compared] = selection_values(means * signs, rule)
    taken = int(np.nanargmax(values)) if compared else 0
    figures = [
        replace(figure, value=float(values[number]), excluded=missing[number] or (within and _over(node, figure)) or "")
        for number, figure in enumerate(figures)
    ]
    names = " and ".join(metrics)
    if not compared:
        reason = f"Nothing was scored by {names}, so the first variant stays."
    elif len(figures) == 1:
        only = len(node.variants()) == 1
        reason = "It is the only variant." if only else "No other variant makes a difference beside the other choices."
    else:
        reason = f"It has {RULES[rule]} {names}, {values[taken]:.4f}."
        if not within:
            reason += " No variant is within the node's limits, so all were compared."
    return Decision(node.node, judge.node if judge else "", tuple(figures), taken, reason)


def _figures(variant: tuple[str, Mapping[str, object]], trial: RecipeTrial, metrics: Sequence[str]) -> VariantFigures:
    module, choices = variant
    scores = {metric: mean_of(trial.scores.get(metric)) for metric in metrics}
    seconds, tokens = mean_of(trial.seconds), mean_of(trial.tokens)
    return VariantFigures(module, choices, trial.recipe, scores, seconds, tokens, float("nan"))


def _missing_scores(trials: Sequence[RecipeTrial], metrics: Sequence[str]) -> list[str]:
    """Why each trial cannot be compared, "" where it can: by some metric it has too few scores beside the others."""
    counts = {metric: [scored_count(trial.scores.get(metric)) for trial in trials] for metric in metrics}
    sentences = []
    for number in range(len(trials)):
        few = [metric for metric, some in counts.items() if some[number] < max(1.0, COVERAGE * max(some))]
        scored = min((counts[metric][number] for metric in few), default=0)
        questions = "No question was" if not scored else f"Only {scored:,} question{'s were' if scored > 1 else ' was'}"
        sentences.append(f"{questions} scored by {' and '.join(few)}." if few else "")
    return sentences


def _over(node: SpaceNode, figures: VariantFigures) -> str:
    """Which limit of the node a variant exceeds, in a sentence, "" for none."""
    if node.max_seconds is not None and figures.seconds > node.max_seconds:
        return f"It takes {figures.seconds:.2f} seconds; {node.max_seconds:g} are allowed."
    if node.max_tokens is not None and figures.tokens > node.max_tokens:
        return f"It takes {figures.tokens:,.0f} tokens; {node.max_tokens:,g} are allowed."
    return ""
