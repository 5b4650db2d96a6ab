"""How far proposals agree with people on the same answers: raw, Cohen's κ and Krippendorff's α, by label and language.

People label by the taxonomy that the rules propose from. Each person who completed an answer is compared with the
proposal for it: two labels of one answer, the rules' and the person's. Intervals are over answers, so that several
people on one answer do not count as independent. An answer for which nothing is proposed is left out, and counted.
The definitions are those of `metrics.statistics.rater_agreement`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement

from workbench.annotation.diagnosis.proposal import TAXONOMY
from workbench.annotation.diagnosis.proposal_store import CellKey, ProposalStore, cell_key
from workbench.annotation.error_taxonomy import shipped_taxonomies
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue import ANSWER, LabelRecord
from workbench.annotation.queue_store import QueueStore
from workbench.annotation.text_spans import nfc
from workbench.experiments import Filter, Instance, ResultStore
from workbench.metrics import Agreement, Score, cohen_kappa, krippendorff_alpha, mean_interval
from workbench.workspace import result_tables

YES, NO = "yes", "no"
NOBODY = "Nobody has labelled an answer that has a proposal."


@dataclass(frozen=True, slots=True)
class LabelledCase:
    """One person's label of an answer and the proposal for it, "" for none."""

    cell: CellKey
    annotator: str
    label: str
    proposed: str

    @property
    def language(self) -> str:
        """The language of the question."""
        return self.cell[-1]


@dataclass(frozen=True, slots=True)
class ProposalAgreement:
    """Agreement of proposals with people on one label in one language; "" for all labels, for all languages.

    `n` labels of people on `answers` answers are compared. `raw` is the share that is equal, in [0, 1].
    """

    label: str
    language: str
    n: int
    answers: int
    raw: Agreement
    kappa: Agreement
    alpha: Agreement


def labelled_cases(
    store: ResultStore, filter_: Filter | None = None, conditions: Sequence[ColumnElement[bool]] = ()
) -> tuple[LabelledCase, ...]:
    """What people said in the queues labelled by the taxonomy of proposals, with what is proposed for the same answers.

    Only first showings that are complete count, and only answers that a filter and further conditions let through. An
    item whose answer was replaced or deleted since is left out.
    """
    queues, labels, proposals = QueueStore(store), LabelStore(store), ProposalStore(store)
    pairs: list[tuple[Instance, LabelRecord]] = []
    for queue in queues.queues():
        if queue.taxonomy != TAXONOMY:
            continue
        items = {item.number: item for item in queues.items(queue.id)}
        complete = queues.completed(queue.id)
        for record in labels.labels(queue.id):
            if record.showing == 1 and record.on == ANSWER and (record.number, record.annotator) in complete:
                item = items[record.number]
                instance = queues.instance(item)
                if instance is not None and nfc(instance.output) == item.answer:
                    pairs.append((instance, record))
    within = _within(store, {instance.answer for instance, _ in pairs}, filter_ or Filter(), conditions)
    cases: list[LabelledCase] = []
    for instance, record in pairs:
        if instance.answer in within:
            proposal = proposals.of(instance)
            proposed = proposal.label if proposal else ""
            cases += [LabelledCase(cell_key(instance), record.annotator, label, proposed) for label in record.labels]
    return tuple(cases)


def _within(
    store: ResultStore, answers: Collection[int], filter_: Filter, conditions: Sequence[ColumnElement[bool]]
) -> frozenset[int]:
    """Those of some answers (stored ids) that a filter and further conditions let through."""
    if not answers:
        return frozenset()
    these = result_tables.answers.c.id.in_(answers)
    rows = store.where(filter_).instances(limit=len(answers), conditions=[*conditions, these])
    return frozenset(item.answer for item in rows)


def proposal_agreement(cases: Sequence[LabelledCase]) -> tuple[ProposalAgreement, ...]:
    """Agreement by label and language, all together first; labels in no pair are left out."""
    both = [case for case in cases if case.proposed]
    languages = ("", *sorted({case.language for case in both}))
    order = next(item.keys for item in shipped_taxonomies() if item.name == TAXONOMY)
    used = {case.label for case in both} | {case.proposed for case in both}
    labels = ("", *(key for key in order if key in used))
    by_language = {code: [case for case in both if code in ("", case.language)] for code in languages}
    return tuple(_row(label, code, rows) for label in labels for code, rows in by_language.items())


def people_counts(cases: Sequence[LabelledCase]) -> Mapping[tuple[str, str], int]:
    """How often people gave each label, by label and language."""
    counts: dict[tuple[str, str], int] = {}
    for case in cases:
        counts[case.label, case.language] = counts.get((case.label, case.language), 0) + 1
    return counts


def _row(label: str, code: str, cases: Sequence[LabelledCase]) -> ProposalAgreement:
    numbers = {cell: number for number, cell in enumerate(dict.fromkeys(case.cell for case in cases))}
    items = [numbers[case.cell] for case in cases]
    rules = [_value(case.proposed, label) for case in cases]
    people = [_value(case.label, label) for case in cases]
    return ProposalAgreement(
        label=label,
        language=code,
        n=len(cases),
        answers=len(numbers),
        raw=_raw(rules, people, items),
        kappa=cohen_kappa(rules, people, items),
        alpha=krippendorff_alpha(list(zip(rules, people, strict=True)), items),
    )


def _value(answer_label: str, label: str) -> str:
    """The label itself where all are compared, else whether it is this one."""
    if not label:
        return answer_label
    return YES if answer_label == label else NO


def _raw(rules: Sequence[str], people: Sequence[str], items: Sequence[int]) -> Agreement:
    """The share of equal labels, every answer counting the same however many people labelled it."""
    if not items:
        return Agreement(Score(None, NOBODY), None, None, 0)
    equal: dict[int, list[float]] = {}
    for one, other, item in zip(rules, people, items, strict=True):
        equal.setdefault(item, []).append(float(one == other))
    shares = [sum(values) / len(values) for values in equal.values()]
    interval = mean_interval(shares)
    low, high = (interval.low, interval.high) if interval else (None, None)
    return Agreement(Score(sum(shares) / len(shares)), low, high, len(items))
