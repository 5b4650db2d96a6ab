"""How far the people who labelled a queue agree: raw, Cohen's κ and Krippendorff's α, per label and language.

A unit is one part of one item, usually the complete answer, that at least two people completed.  Each label is a
question of yes or no about a unit; where an answer has exactly one label, all labels together are compared too.  The
definitions and the intervals are those of `metrics.statistics.rater_agreement`; intervals are over items, so parts of
one answer do not count as independent.  κ is defined for two people, and is missing for any other number of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.annotation.error_taxonomy import Taxonomy
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue import ANSWER, LabelRecord
from workbench.annotation.queue_store import QueueStore
from workbench.metrics import Agreement, Score, cohen_kappa, influences, krippendorff_alpha, mean_interval

YES, NO = "yes", "no"
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
