"""Which metric, and which judge, to trust in which language: how well each tells what people labelled right from wrong.

For each metric and language: the AUC with its interval over questions; Kendall's τ_b and the point-biserial r with
people's marks; and for metrics of 0 and 1 Cohen's κ.  An answer whose people are divided evenly has no side: it counts
for τ_b and r alone.  Unscored answers stay unscored and are counted.  Formulas: `metrics.statistics.association`.

In each language the metric with the highest AUC leads; another one is as good as far as these labels show if the
interval of the difference, over the answers that both scored, includes 0.  Those are to be trusted whose AUC is above
chance, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.annotation.analysis.labelled_scores import LabelledAnswer, LabelledScores
from workbench.metrics import (
    AssociationFigure,
    Floats,
    association_figure,
    auc,
    auc_reach,
    binary_kappa,
    kendall_tau_b,
    pearson_r,
    question_weights,
)

LEAST_LABELLED, LEAST_OF_EACH = 30, 5
"""Labelled and scored answers of a language, and those of them on either side, below which nothing is stated."""
MIDDLE = 0.5
CHANCE = 0.5
NONE = AssociationFigure(None, None, None)


@dataclass(frozen=True, slots=True)
class MetricTrust:
    """How well one metric tells right from wrong in one language, "" for all of them together.

    `right` and `wrong` of the `n` answers that people marked and the metric scored are on either side; `unscored`
    marked answers have no value. `reason` is why there are no figures, "" where there are. `trusted`: best, or not told
    apart from the best, and better than chance.
    """

    metric: str
    language: str
    n: int
    right: int
    wrong: int
    unscored: int
    auc: AssociationFigure = NONE
    tau_b: AssociationFigure = NONE
    point_biserial: AssociationFigure = NONE
    kappa: AssociationFigure = NONE
    reason: str = ""
    trusted: bool = False


@dataclass(frozen=True, slots=True)
class _Pairs:
    """A metric's values beside people's marks, one per answer, by cell."""

    cells: tuple[int, ...]
    questions: tuple[object, ...]
    values: Floats
    marks: Floats

    def only(self, places: Sequence[int]) -> _Pairs:
        return _Pairs(
            tuple(self.cells[place] for place in places),
            tuple(self.questions[place] for place in places),
            self.values[list(places)],
            self.marks[list(places)],
        )

    def decided(self) -> _Pairs:
        """Those whose people are not divided evenly, with marks of 0 and 1."""
        part = self.only([place for place, mark in enumerate(self.marks) if mark != MIDDLE])
        return replace(part, marks=(part.marks > MIDDLE).astype(np.float64))


def metric_trust(scores: LabelledScores) -> list[MetricTrust]:
    """A row for each metric in all languages together and in each, the languages in order, the best first in each."""
    rows: list[MetricTrust] = []
    for language in ("", *scores.languages):
        marked = [
            item for item in scores.labelled if item.mark is not None and language in ("", item.language) and item.cell
        ]
        pairs = {metric: _pairs(marked, scores.values(metric)) for metric in scores.metrics}
        figures = [_row(metric, language, part, len(marked)) for metric, part in pairs.items()]
        rows += sorted(
            _with_trust(figures, pairs), key=lambda row: -1.0 if row.auc.value is None else -1 - row.auc.value
        )
    return rows


def _pairs(marked: Sequence[LabelledAnswer], values: Mapping[int, float]) -> _Pairs:
    both = [(item, values[item.cell]) for item in marked if item.cell is not None and item.cell in values]
    return _Pairs(
        tuple(item.cell or 0 for item, _ in both),
        tuple(item.question for item, _ in both),
        np.array([value for _, value in both], dtype=np.float64),
        np.array([item.mark for item, _ in both], dtype=np.float64),
    )


def _row(metric: str, language: str, pairs: _Pairs, marked: int) -> MetricTrust:
    sides = pairs.decided()
    right = int(sides.marks.sum())
    wrong = len(sides.marks) - right
    n = len(pairs.values)
    row = MetricTrust(metric, language, n, right, wrong, marked - n)
    if n < LEAST_LABELLED or min(right, wrong) < LEAST_OF_EACH:
        reason = (
            f"{n:,} labelled and scored answers, {right:,} right and {wrong:,} wrong: at least {LEAST_LABELLED} with "
            f"{LEAST_OF_EACH} of each are needed."
        )
        return replace(row, reason=reason)
    if np.ptp(pairs.values) < 1e-12:
        return replace(row, reason="It gives all these answers the same value.")
    weights, sided = question_weights(pairs.questions), question_weights(sides.questions)
    areas = auc(sides.values, sides.marks, sided)
    is_binary = set(np.unique(pairs.values).tolist()) <= {0.0, 1.0}
    return replace(
        row,
        auc=association_figure(areas, auc_reach(sides.values, sides.marks, float(areas[0]))),
        tau_b=association_figure(kendall_tau_b(pairs.values, pairs.marks, weights)),
        point_biserial=association_figure(pearson_r(pairs.values, pairs.marks, weights)),
        kappa=association_figure(binary_kappa(sides.values, sides.marks, sided)) if is_binary else NONE,
    )


def _with_trust(rows: Sequence[MetricTrust], pairs: Mapping[str, _Pairs]) -> list[MetricTrust]:
    measured = [row for row in rows if row.auc.value is not None]
    if not measured:
        return list(rows)
    leader = max(measured, key=lambda row: row.auc.value or 0.0)
    return [
        replace(
            row, trusted=_beats_chance(row) and (row is leader or not _differ(pairs[leader.metric], pairs[row.metric]))
        )
        for row in rows
    ]


def _beats_chance(row: MetricTrust) -> bool:
    return row.auc.low is not None and row.auc.low > CHANCE


def _differ(leader: _Pairs, other: _Pairs) -> bool:
    """Whether the AUC of a metric is lower than the leader's over the answers that both scored."""
    places = {cell: place for place, cell in enumerate(other.cells)}
    common = [(place, places[cell]) for place, cell in enumerate(leader.cells) if cell in places]
    first = leader.only([one for one, _ in common]).decided()
    second = other.only([two for _, two in common]).decided()
    weights = question_weights(first.questions)
    difference = association_figure(
        auc(first.values, first.marks, weights) - auc(second.values, second.marks, weights), (np.inf, -np.inf)
    )
    return difference.low is not None and difference.low > 0
