"""Which labels people exchange for each other: candidates to be merged, or to be defined better.

Two labels are exchanged where one person gives a part of an answer the one and another person the other.  For each such
pair of labels: how often, on how many answers, and Krippendorff's α before and after counting both as one label, with
the interval of the change over resampled items.  Where an answer has exactly one label, α is over all labels; where it
may have several, before is the mean of the two labels' α, and after is that of “either of them”.

α rises where people do not tell two labels apart, and falls where they do: then a merge would throw away what they
agree on.  A higher α is not a reason by itself: merge labels whose difference nobody needs, define the others better.
For context: Cruz Blandón et al. (2025, MEMERAG) report agreement of .64 to .86 by language for a coarse choice of
labels, and .16 to .46 for a fine one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from workbench.annotation.error_taxonomy import Taxonomy
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue import ANSWER
from workbench.annotation.queue_store import QueueStore
from workbench.metrics import AssociationFigure, Floats, association_figure, coincidences, question_weights

LEAST_MERGED = 20
"""Answers that two people completed, below which α and its change are not stated."""
PAIRS_SHOWN = 10
"""Pairs of labels that are looked at, the most often exchanged first."""
YES, NO = "1", "0"
TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class LabelPair:
    """Two labels that people exchanged on `exchanged` of `n` answers, by `pairs` pairs of people in all.

    `together` answers got one of the two from somebody. `before` and `after` are α without and with the merge, `change`
    their difference; without values where fewer than `LEAST_MERGED` answers were labelled by two.
    """

    first: str
    second: str
    exchanged: int
    pairs: int
    together: int
    n: int
    before: AssociationFigure
    after: AssociationFigure
    change: AssociationFigure


@dataclass(frozen=True, slots=True)
class LabelMerging:
    """The pairs of labels that were exchanged, most often first, among `n` answers that at least two completed."""

    n: int
    pairs: tuple[LabelPair, ...]


Sets = Sequence[Sequence[frozenset[str]]]
"""The labels of each person who completed an answer, by answer."""


def label_merging(queues: QueueStore, labels: LabelStore, queue_id: str, language: str = "") -> LabelMerging:
    """The exchanged labels of a queue, in one language where it is named. First showings of answers count.

    Raises UsageError for a queue that does not exist.
    """
    queue = queues.queue(queue_id)
    numbers = {item.number for item in queues.items(queue.id) if language in ("", item.language)}
    records = {
        (record.number, record.annotator): frozenset(record.labels)
        for record in labels.labels(queue.id)
        if record.on == ANSWER and record.showing == 1
    }
    people: dict[int, list[frozenset[str]]] = {}
    for number, annotator in sorted(queues.completed(queue.id)):
        if number in numbers:
            people.setdefault(number, []).append(records.get((number, annotator), frozenset()))
    return merging_of(queues.taxonomy_of(queue.id), list(people.values()))


def merging_of(taxonomy: Taxonomy, sets: Sets) -> LabelMerging:
    """The exchanged labels among people's sets of labels."""
    shared = [unit for unit in sets if len(unit) >= 2]
    pairs: Counter[tuple[str, str]] = Counter()
    answers: Counter[tuple[str, str]] = Counter()
    for unit in shared:
        exchanges = [pair for one, other in combinations(unit, 2) for pair in _exchanged(taxonomy, one, other)]
        pairs.update(exchanges)
        answers.update(set(exchanges))
    order = sorted(pairs, key=lambda pair: (-answers[pair], -pairs[pair], taxonomy.keys.index(pair[0])))
    rows = [_row(taxonomy, shared, pair, answers[pair], pairs[pair]) for pair in order[:PAIRS_SHOWN]]
    return LabelMerging(len(shared), tuple(rows))


def _exchanged(taxonomy: Taxonomy, one: frozenset[str], other: frozenset[str]) -> list[tuple[str, str]]:
    """The pairs of labels of which each person gave the one that the other person did not give."""
    place = {key: number for number, key in enumerate(taxonomy.keys)}
    pairs = [(first, second) for first in one - other for second in other - one]
    return [(a, b) if place[a] < place[b] else (b, a) for a, b in pairs if a in place and b in place]


def _row(taxonomy: Taxonomy, sets: Sets, pair: tuple[str, str], exchanged: int, pairs: int) -> LabelPair:
    together = sum(any(labels & set(pair) for labels in unit) for unit in sets)
    nothing = AssociationFigure(None, None, None)
    if len(sets) < LEAST_MERGED:
        return LabelPair(*pair, exchanged, pairs, together, len(sets), nothing, nothing, nothing)
    if taxonomy.several:
        befores = [_alphas([[YES if key in labels else NO for labels in unit] for unit in sets]) for key in pair]
        before = (befores[0] + befores[1]) / 2
        after = _alphas([[YES if labels & set(pair) else NO for labels in unit] for unit in sets])
    else:
        singles = [[next(iter(labels), None) for labels in unit] for unit in sets]
        before = _alphas(singles)
        after = _alphas([[pair[0] if label == pair[1] else label for label in unit] for unit in singles])
    figures = (association_figure(alphas, (np.inf, -np.inf)) for alphas in (before, after, after - before))
    return LabelPair(*pair, exchanged, pairs, together, len(sets), *figures)


def _alphas(labels: Sequence[Sequence[str | None]]) -> Floats:
    """Krippendorff's α of the sample and of its resamples, NaN where all used one label; equal resamples each time."""
    # Weights are drawn over all answers, so that α before and after a merge have the same resamples.
    weights = question_weights(range(len(labels)))
    parts, _, numbers = coincidences(labels)
    if not len(parts):
        return np.full(len(weights), np.nan)
    size = parts.shape[1]
    matrices = (weights[:, numbers] @ parts.reshape(len(parts), size * size)).reshape(-1, size, size)
    totals = matrices.sum(axis=2)
    total = totals.sum(axis=1)
    # A resample may hold no answer with two labels: it has no α.
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = np.trace(matrices, axis1=1, axis2=2) / total
        chance = np.sum(totals * (totals - 1), axis=1) / (total * (total - 1))
        alphas = np.where(1 - chance > TOLERANCE, (observed - chance) / (1 - chance), np.nan)
    return np.asarray(alphas, dtype=np.float64)
