"""The rules that propose a label for a wrong answer, with evidence; the stored proposals; how far people agree.

The rules are pure decisions over what `observation` observes and `diagnosing` tries. They go from what needs no run to
what needs many, and the first that applies decides; where none applies nothing is proposed, and the reason is given. A
proposal has no probability: how often proposals are right is measured (docs/diagnosis.md). One is stored per answer,
replaced by a newer one, and kept apart from labels.

People label by the taxonomy that the rules propose from, so how far both agree is computed: raw, Cohen's κ and
Krippendorff's α, by label and language, as `metrics.statistics.rater_agreement` defines them. Each person who completed
an answer is compared with the proposal for it. Intervals are over answers, so that several people on one answer do not
count as independent. An answer for which nothing is proposed is left out, and counted.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Literal

from sqlalchemy import ColumnElement, and_, delete, func, insert, select

from workbench.annotation.diagnosis.surface_matches import SurfaceMatch
from workbench.annotation.error_taxonomy import shipped_taxonomies
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue import ANSWER, LabelRecord
from workbench.annotation.queue_store import QueueStore
from workbench.annotation.text_spans import nfc
from workbench.core import fingerprint
from workbench.experiments import Filter, Instance, ResultStore, answer_conditions
from workbench.metrics import Agreement, Score, cohen_kappa, krippendorff_alpha, mean_interval
from workbench.workspace import proposals as table, result_tables, verb, writing

RULES_VERSION = 2
"""Goes up with each change of a rule: stored proposals of another version are made anew."""
TAXONOMY = "what-went-wrong"
"""The shipped taxonomy whose labels are proposed, and by which people can label the same answers."""

TrialKind = Literal["unchanged", "gold-given", "deeper", "left-out", "translated", "answer-in-ul"]


@dataclass(frozen=True, slots=True)
class CaseTrial:
    """One counterfactual: what was changed, the answer then, and whether it is right.

    `right` is None where it could not be tried, for the reason in `note`. `passage` is the id of the one left out.
    """

    kind: TrialKind
    change: str
    answer: str = ""
    answer_language: str = ""
    right: bool | None = None
    note: str = ""
    passage: str = ""


@dataclass(frozen=True, slots=True)
class CaseFacts:
    """What is known of an answer without running anything but a search.

    `unusable`: why nothing can be proposed, "" where something can; `untried`: why no change can be tried. `bearing`
    are the ids of passages of the corpus that answer the question; `is_known`: the dataset names them (else they
    contain a gold answer); `outside_scope`: the recipe does not search their languages. `given` are the ids of what the
    reader was given, `bearing_given` those of them that answer. `rank` is the best rank of a passage that answers among
    `depth` candidates, None for none.
    """

    right: bool
    unusable: str = ""
    unanswerable: bool = False
    sections_missing: bool = False
    match: SurfaceMatch | None = None
    untried: str = ""
    bearing: tuple[str, ...] = ()
    is_known: bool = False
    outside_scope: bool = False
    given: tuple[str, ...] = ()
    bearing_given: tuple[str, ...] = ()
    rank: int | None = None
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Proposal:
    """A label proposed by rules, never one that a person gave. `label` is "" where nothing is proposed.

    `evidence` are sentences; `trials` what was tried, in order; `thorough`: whether all that is possible was tried.
    """

    label: str
    evidence: tuple[str, ...]
    trials: tuple[CaseTrial, ...] = field(default=())
    rules: int = RULES_VERSION
    thorough: bool = False


def decided_without_trials(facts: CaseFacts) -> Proposal | None:
    """The proposal that needs no counterfactual, None where one is needed."""
    if facts.unusable:
        return Proposal("", (facts.unusable,))
    if facts.sections_missing:
        return Proposal("format", ("The output lacks the labelled part that should state the answer.",))
    if facts.right:
        return Proposal("not-wrong", ("The answer contains a gold answer, or rightly states that there is none.",))
    if facts.unanswerable:
        return Proposal(
            "answer-not-in-corpus", ("The dataset marks the question as one that the corpus cannot answer.",)
        )
    if facts.match:
        return Proposal(facts.match.kind, (_match_sentence(facts.match),))
    if facts.untried:
        return Proposal("", (facts.untried,))
    if not facts.bearing:
        sentence = (
            "No passage of the corpus contains a gold answer, in any language in which the gold answers are known."
        )
        return Proposal("answer-not-in-corpus", (sentence,))
    return None


def decide(facts: CaseFacts, trials: Sequence[CaseTrial], *, thorough: bool = False) -> Proposal:
    """The proposal from all that was observed and tried; `thorough`: whether all that is possible was tried."""
    first = decided_without_trials(facts)
    if first is None:
        first = _by_trials(facts, {trial.kind: trial for trial in trials if trial.kind != "left-out"}, trials)
    return Proposal(first.label, first.evidence, tuple(trials), thorough=thorough)


def _by_trials(facts: CaseFacts, by_kind: dict[TrialKind, CaseTrial], trials: Sequence[CaseTrial]) -> Proposal:
    if _is(by_kind.get("unchanged"), right=True):
        sentence = "The same recipe gives a right answer now, so that what a change shows could be chance."
        return Proposal("", (sentence,))
    if _is(by_kind.get("answer-in-ul"), right=True) and not _is(by_kind.get("gold-given"), right=True):
        return Proposal("wrong-language", ("The answer is right once the prompt asks for the question's language.",))
    if not facts.bearing_given:
        return _not_given(facts, by_kind)
    for trial in trials:
        if trial.kind == "left-out" and trial.right:
            return Proposal("misled-by-document", (_given_sentence(facts), f"{trial.change}: the answer is right."))
    gold = by_kind.get("gold-given")
    if _is(gold, right=True):
        if len(facts.bearing_given) == len(facts.given):
            sentence = (
                "With the right documents alone the answer is right, though all that were given answer the question."
            )
            return Proposal("", (sentence,))
        sentence = (
            "With the right documents alone the answer is right; leaving out any single document does not fix it."
        )
        return Proposal("misled-by-document", (_given_sentence(facts), sentence))
    return _reader(by_kind) or _without_reader(facts, gold)


def _not_given(facts: CaseFacts, by_kind: dict[TrialKind, CaseTrial]) -> Proposal:
    """The search failed first, whatever the reader would have done; whether a better one mends it is evidence."""
    gold, sentences = by_kind.get("gold-given"), [_rank_sentence(facts)]
    if _is(gold, right=True):
        sentences.append("Given the right documents, the answer is right.")
        if _is(by_kind.get("deeper"), right=True):
            sentences.append("So it is with a deeper retrieval.")
    elif not facts.is_known:
        tried = "does not help" if _is(gold, right=False) else "could not be tried"
        sentence = f"The dataset names no passage that answers, and one that contains a gold answer {tried}."
        return Proposal("", (*sentences, sentence))
    elif _is(gold, right=False):
        mended = _is(by_kind.get("translated"), right=True)
        sentences.append(
            "Given the right documents, the answer is right only when they are translated to English."
            if mended
            else "A better search alone does not fix it: given the right documents, the answer is still wrong."
        )
    elif gold:
        sentences.append(gold.note)
    return Proposal("not-retrieved", tuple(sentences))


def _reader(by_kind: dict[TrialKind, CaseTrial]) -> Proposal | None:
    """The proposal where the answer is wrong with the right documents alone, None where that was not tried."""
    if not _is(by_kind.get("gold-given"), right=False):
        return None
    sentence = "Given the right documents alone, the answer is still wrong."
    if _is(by_kind.get("translated"), right=True):
        return Proposal("foreign-documents", (sentence, "Translated to English, they lead to a right answer."))
    return Proposal("reader-error", (sentence,))


def _without_reader(facts: CaseFacts, gold: CaseTrial | None) -> Proposal:
    """Where nothing could be run again: documents that all answer the question can mislead nobody."""
    if facts.is_known and len(facts.bearing_given) == len(facts.given):
        return Proposal("reader-error", ("Every document that was given answers the question.",))
    reason = gold.note if gold and gold.note else "The right documents were given; the answer could not be tried again."
    return Proposal("", (_given_sentence(facts), reason))


def _is(trial: CaseTrial | None, *, right: bool) -> bool:
    return trial is not None and trial.right is right


def _match_sentence(match: SurfaceMatch) -> str:
    return {
        "inflected-form": f"“{match.text}” is another form of the gold answer “{match.gold}”.",
        "transliterated-name": f"“{match.text}” is the gold answer “{match.gold}”, spelt differently.",
        "code-switched": f"“{match.text}” is a gold answer in another language, within a text in the question's.",
        "wrong-language": f"“{match.text}” is a gold answer in another language, and so is the rest of the answer.",
    }[match.kind]


def _given_sentence(facts: CaseFacts) -> str:
    places = ", ".join(str(facts.given.index(name) + 1) for name in facts.bearing_given)
    return f"A document that answers the question was given: number {places} of {len(facts.given)}."


def _rank_sentence(facts: CaseFacts) -> str:
    if facts.outside_scope:
        return "The documents that answer the question are in languages that the recipe does not search."
    if facts.rank is not None:
        return f"The best document that answers the question is ranked {facts.rank}; {len(facts.given)} were given."
    if facts.depth:
        return f"No document that answers the question is among the first {facts.depth}."
    return f"None of the {len(facts.given)} documents that were given answers the question."


CellKey = tuple[str, int, str, str, str]
"""An answer by its experiment's id, its run's number, its dataset, its question's id and its language."""
COLUMNS = ("experiment_id", "run_number", "dataset", "question_name", "language")
"""The columns of such a key."""


class ProposalStore:
    """The proposals of a workspace, over the database of its results."""

    def __init__(self, store: ResultStore) -> None:
        self._store = store

    @verb("proposals.run")
    def save(self, item: Instance, proposal: Proposal) -> None:
        """Stores a proposal for an answer in place of an earlier one; when it returns, a kill does not lose it."""
        values = {
            **dict(zip(COLUMNS, cell_key(item), strict=True)),
            "fingerprint": item.run.fingerprint,
            "answer_digest": _digest(item),
            "rules": proposal.rules,
            "thorough": proposal.thorough,
            "label": proposal.label,
            "evidence": json.dumps(proposal.evidence, ensure_ascii=False),
            "trials": json.dumps([asdict(trial) for trial in proposal.trials], ensure_ascii=False),
            "saved": time.time(),
        }
        with writing(self._store.engine) as connection:
            connection.execute(delete(table).where(*_of_cell(cell_key(item))))
            connection.execute(insert(table).values(values))

    def of(self, item: Instance) -> Proposal | None:
        """The proposal for an answer as it is now, None where there is none by the present rules."""
        with self._store.engine.connect() as connection:
            row = connection.execute(select(table).where(*_of_cell(cell_key(item)))).first()
        if row is None or row.rules != RULES_VERSION or row.answer_digest != _digest(item):
            return None
        trials = tuple(CaseTrial(**values) for values in json.loads(row.trials))
        return Proposal(row.label, tuple(json.loads(row.evidence)), trials, row.rules, row.thorough)

    def missing(self, items: Sequence[Instance]) -> list[Instance]:
        """Those of some answers that have no proposal by the present rules, in order."""
        if not items:
            return []
        c = table.c
        experiments = {item.run.experiment_id for item in items}
        statement = select(*(c[name] for name in COLUMNS), c.answer_digest).where(
            c.experiment_id.in_(experiments), c.rules == RULES_VERSION
        )
        with self._store.engine.connect() as connection:
            digests = {tuple(row[:-1]): row[-1] for row in connection.execute(statement)}
        return [item for item in items if digests.get(cell_key(item)) != _digest(item)]

    def counts(self, filter_: Filter, conditions: Sequence[ColumnElement[bool]] = ()) -> Counter[tuple[str, str]]:
        """How many of the answers that a filter lets through have each proposed label, by label and language."""
        r, q, a = result_tables.runs.c, result_tables.questions.c, result_tables.answers.c
        statement = (
            select(table.c.label, table.c.language, func.count())
            .select_from(
                result_tables.answers.join(result_tables.runs, r.id == a.run).join(
                    result_tables.questions, q.id == a.question
                )
            )
            .join(table, _same_cell())
            .where(*answer_conditions(filter_), *conditions, table.c.rules == RULES_VERSION)
            .group_by(table.c.label, table.c.language)
        )
        with self._store.engine.connect() as connection:
            return Counter({(label, code): count for label, code, count in connection.execute(statement)})

    def drop_orphans(self) -> int:
        """Deletes the proposals of experiments that no longer exist; returns how many."""
        existing = select(result_tables.runs.c.experiment_id)
        with writing(self._store.engine) as connection:
            return int(connection.execute(delete(table).where(table.c.experiment_id.not_in(existing))).rowcount)


def cell_key(item: Instance) -> CellKey:
    """What names an answer also when its experiment is stored again."""
    return (item.run.experiment_id, item.run.number, item.run.dataset, item.question, item.language)


def _of_cell(key: CellKey) -> list[ColumnElement[bool]]:
    return [table.c[name] == value for name, value in zip(COLUMNS, key, strict=True)]


def _same_cell() -> ColumnElement[bool]:
    r, q, p = result_tables.runs.c, result_tables.questions.c, table.c
    same_run = and_(p.experiment_id == r.experiment_id, p.run_number == r.number)
    return and_(same_run, p.dataset == q.dataset, p.question_name == q.name, p.language == q.language)


def _digest(item: Instance) -> str:
    """A digest of what a proposal is about: the answer, its golds and the passages that it was given."""
    return fingerprint("diagnosed", [item.output, list(item.golds), [name for name, _, _ in item.passages]])


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
