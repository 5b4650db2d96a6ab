"""How far the people who labelled a queue agree, and which labels they exchange for each other.

A unit is one part of one item, usually the complete answer, that at least two people completed.  Each label is a
question of yes or no about a unit; where an answer has exactly one label, all labels together are compared too.  The
figures are raw agreement, Cohen's κ and Krippendorff's α, as `metrics.statistics.rater_agreement` defines them;
intervals are over items, so parts of one answer do not count as independent.  κ is defined for two people, and is
missing for any other number of them.

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

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from workbench.annotation.error_taxonomy import Taxonomy
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue import ANSWER, LabelRecord
from workbench.annotation.queue_store import QueueStore
from workbench.metrics import (
    Agreement,
    AssociationFigure,
    Floats,
    Score,
    association_figure,
    cohen_kappa,
    coincidences,
    influences,
    krippendorff_alpha,
    mean_interval,
    question_weights,
)

YES, NO = "yes", "no"
STRENGTHS = ((0.8, "almost perfect"), (0.6, "substantial"), (0.4, "moderate"), (0.2, "fair"), (0.0, "slight"))
"""The words for κ and α above each value, after Landis and Koch (1977)."""
RARE_RAW, RARE_CHANCE = 0.8, 0.2
"""From this raw agreement on, up to this α: a label that nearly everybody gives, or leaves out, each time."""
TOO_FEW = "No answer was labelled by two people."


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """Agreement on one label in one language.

    `label` is "" for all labels together, `language` "" for all languages. `n` units of `items` items were labelled by
    two of `annotators` people or more. `raw` is the share of pairs of people who agree.
    """

    label: str
    language: str
    n: int
    items: int
    annotators: int
    raw: Agreement
    kappa: Agreement
    alpha: Agreement


def strength(value: float) -> str:
    """How strong an agreement beyond chance is, in words.

    >>> strength(0.72), strength(-0.1)
    ('substantial', 'no')
    """
    return next((words for bound, words in STRENGTHS if value > bound), "no")


def is_hidden_by_chance(raw: Agreement, alpha: Agreement) -> bool:
    """Whether people agree often and still not beyond chance, since nearly all of their replies are the same."""
    often, beyond = raw.score.value, alpha.score.value
    return often is not None and beyond is not None and often >= RARE_RAW and beyond <= RARE_CHANCE


@dataclass(frozen=True, slots=True)
class SelfAgreement:
    """How far one person agrees with themselves over items shown to them twice: the complete set of labels."""

    annotator: str
    raw: Agreement
    kappa: Agreement


@dataclass(frozen=True, slots=True)
class _Unit:
    """One part of an item: the labels of each person who completed it."""

    number: int
    language: str
    labels: Mapping[str, frozenset[str]]


def agreement(queues: QueueStore, labels: LabelStore, queue_id: str) -> tuple[LabelAgreement, ...]:
    """Agreement on each label of a queue's taxonomy in each language, languages together first.

    Only first showings count. Raises UsageError for a queue that does not exist.
    """
    queue = queues.queue(queue_id)
    records = [record for record in labels.labels(queue.id) if record.showing == 1]
    languages = {item.number: item.language for item in queues.items(queue.id)}
    complete = queues.completed(queue.id)
    return table(queues.taxonomy_of(queue.id), records, languages, complete)


def table(
    taxonomy: Taxonomy,
    records: Iterable[LabelRecord],
    languages: Mapping[int, str],
    complete: Iterable[tuple[int, str]],
) -> tuple[LabelAgreement, ...]:
    """The rows of `agreement`. `languages` are those of items by number; `complete`: items that people completed."""
    units = _units(records, languages, complete)
    codes = sorted({unit.language for unit in units})
    labels = taxonomy.keys if taxonomy.several else ("", *taxonomy.keys)
    return tuple(
        _row(label, code, [unit for unit in units if code in ("", unit.language)])
        for label in labels
        for code in ("", *codes)
    )


def self_agreement(queues: QueueStore, labels: LabelStore, queue_id: str) -> tuple[SelfAgreement, ...]:
    """Each person's agreement with themselves, for those who completed items twice, by name."""
    queue = queues.queue(queue_id)
    both = queues.completed(queue.id) & queues.completed(queue.id, showing=2)
    sets = {
        (record.number, record.annotator, record.showing): "\n".join(sorted(record.labels))
        for record in labels.labels(queue.id)
        if record.on == ANSWER
    }
    rows = []
    for person in sorted({name for _, name in both}):
        numbers = sorted(number for number, name in both if name == person)
        first, second = ([sets.get((number, person, showing), "") for number in numbers] for showing in (1, 2))
        rows.append(
            SelfAgreement(person, _raw(list(zip(first, second, strict=True)), numbers), cohen_kappa(first, second))
        )
    return tuple(rows)


def _units(
    records: Iterable[LabelRecord], languages: Mapping[int, str], complete: Iterable[tuple[int, str]]
) -> list[_Unit]:
    people: defaultdict[int, set[str]] = defaultdict(set)
    for number, annotator in complete:
        people[number].add(annotator)
    parts: defaultdict[tuple[int, str], dict[str, frozenset[str]]] = defaultdict(dict)
    for record in records:
        if record.annotator in people[record.number]:
            parts[record.number, record.on][record.annotator] = frozenset(record.labels)
    # Who completed an item and left a part without labels has chosen none of them there.
    return [
        _Unit(number, languages[number], {person: sets.get(person, frozenset()) for person in sorted(people[number])})
        for (number, _), sets in sorted(parts.items())
        if len(people[number]) >= 2
    ]


def _row(label: str, language: str, units: Sequence[_Unit]) -> LabelAgreement:
    people = sorted({person for unit in units for person in unit.labels})
    items = [unit.number for unit in units]
    columns = {person: [_value(unit, person, label) for unit in units] for person in people}
    by_unit = [[_value(unit, person, label) for person in unit.labels] for unit in units]
    if len(people) == 2:
        kappa = cohen_kappa(columns[people[0]], columns[people[1]], items)
    else:
        reason = f"Cohen's κ compares two people, and {len(people)} labelled these." if people else TOO_FEW
        kappa = Agreement(Score(None, reason), None, None, 0)
    shared = [unit for unit, values in zip(units, by_unit, strict=True) if sum(v is not None for v in values) >= 2]
    return LabelAgreement(
        label=label,
        language=language,
        n=len(shared),
        items=len({unit.number for unit in shared}),
        annotators=len(people),
        raw=_raw(by_unit, items),
        kappa=kappa,
        alpha=krippendorff_alpha(by_unit, items),
    )


def _value(unit: _Unit, person: str, label: str) -> str | None:
    """What a person says about a label: yes or no; of all labels together the one, None where there is none."""
    if person not in unit.labels:
        return None
    labels = unit.labels[person]
    if label:
        return YES if label in labels else NO
    return next(iter(labels), None)


def _raw(values: Sequence[Sequence[str | None]], items: Sequence[int]) -> Agreement:
    """The share of agreeing pairs among the values of each unit."""
    agreeing: defaultdict[int, float] = defaultdict(float)
    pairs: defaultdict[int, float] = defaultdict(float)
    n = 0
    for unit, item in zip(values, items, strict=True):
        named = [value for value in unit if value is not None]
        if len(named) < 2:
            continue
        n += 1
        # As in α, a unit counts by its people, not by their pairs, of which many people have very many.
        equal = sum(named.count(value) - 1 for value in named)
        agreeing[item] += equal / (len(named) - 1)
        pairs[item] += len(named)
    if not n:
        return Agreement(Score(None, TOO_FEW), None, None, 0)
    shares = influences(np.array(list(agreeing.values())), np.array(list(pairs.values())))
    interval = mean_interval(shares)
    value = sum(agreeing.values()) / sum(pairs.values())
    return Agreement(Score(value), interval.low if interval else None, interval.high if interval else None, n)


LEAST_MERGED = 20
"""Answers that two people completed, below which α and its change are not stated."""
PAIRS_SHOWN = 10
"""Pairs of labels that are looked at, the most often exchanged first."""
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
    rows = [_pair_row(taxonomy, shared, pair, answers[pair], pairs[pair]) for pair in order[:PAIRS_SHOWN]]
    return LabelMerging(len(shared), tuple(rows))


def _exchanged(taxonomy: Taxonomy, one: frozenset[str], other: frozenset[str]) -> list[tuple[str, str]]:
    """The pairs of labels of which each person gave the one that the other person did not give."""
    place = {key: number for number, key in enumerate(taxonomy.keys)}
    pairs = [(first, second) for first in one - other for second in other - one]
    return [(a, b) if place[a] < place[b] else (b, a) for a, b in pairs if a in place and b in place]


def _pair_row(taxonomy: Taxonomy, sets: Sets, pair: tuple[str, str], exchanged: int, pairs: int) -> LabelPair:
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
