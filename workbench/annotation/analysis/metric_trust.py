"""Which metric, and which judge, to trust in which language, and what people would say of all answers.

What a person says is the value of their labels under the taxonomy, from 0 (wrong) to 1 (right); an answer's mark is the
mean over the people who completed it.  Labels without a value say nothing of that, and an answer for which nobody gave
a label with a value is undecided.  First showings of complete answers count.

For each metric and language: the AUC with its interval over questions; Kendall's τ_b and the point-biserial r with
people's marks; and for metrics of 0 and 1 Cohen's κ.  An answer whose people are divided evenly has no side: it counts
for τ_b and r alone.  Unscored answers stay unscored and are counted.  Formulas: `metrics.statistics.association`.

In each language the metric with the highest AUC leads; another one is as good as far as these labels show if the
interval of the difference, over the answers that both scored, includes 0.  Those are to be trusted whose AUC is above
chance, too.

A judge, or any other metric, marks every answer and is wrong in its way; people label few and are what counts.
Prediction-powered inference (`metrics.statistics.corrected_mean`) combines both: its interval is hardly ever longer
than that of the labels alone, and shorter the better the judge is.

For that only languages with enough labels count, and only queues whose answers are a random sample of those of their
runs (`check_sample`).  A queue is drawn by its seed, which is not taken on trust: the draw is repeated, and the queue's
answers must be those that it gives.  Each person sees the answers in an order of their own that the seed determines, so
what was labelled first is a random sample too, unless people put answers off: a language with such an answer does not
count until it is labelled.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from sqlalchemy import select

from workbench.annotation.error_taxonomy import Taxonomy
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue import ANSWER, AnnotationQueue, QueueItem, sample
from workbench.annotation.queue_store import QueueStore
from workbench.annotation.text_spans import nfc
from workbench.experiments import KEY_BASE, Filter, ResultStore
from workbench.metrics import (
    LABELS_AT_LEAST,
    AssociationFigure,
    CorrectedMean,
    Floats,
    JudgedSample,
    association_figure,
    auc,
    auc_reach,
    binary_kappa,
    corrected_mean,
    kendall_tau_b,
    pearson_r,
    question_weights,
    scale_of,
)
from workbench.workspace import annotation_tables, items, result_tables as t

Question = tuple[str, str]
"""A dataset and a question's id there, which its translations share."""


@dataclass(frozen=True, slots=True)
class LabelledAnswer:
    """An answer of a queue that `people` completed; `mark` from 0 (wrong) to 1 (right), None where undecided.

    `cell` is the key of its values, None where the answer is no longer among the results or was replaced there.
    """

    number: int
    language: str
    question: Question
    people: int
    mark: float | None
    cell: int | None


@dataclass(frozen=True, slots=True)
class RunAnswer:
    """An answer of the queue's runs, labelled or not."""

    language: str
    question: Question


class LabelledScores:
    """The labelled answers of a queue with all values of its runs. `taxonomy` is the one whose values are used."""

    def __init__(self, store: ResultStore, queue: AnnotationQueue, taxonomies: Iterable[Taxonomy] = ()) -> None:
        self._store = store
        self.queue = queue
        queues = QueueStore(store)
        self.taxonomy = valued_taxonomy(queues.taxonomy_of(queue.id), taxonomies)
        numbers: defaultdict[str, set[int]] = defaultdict(set)
        for name in queue.runs:
            experiment_id, _, number = name.rpartition("/")
            numbers[experiment_id].add(int(number))
        runs = store.where(Filter(experiments=tuple(numbers))).runs() if numbers else []
        self.runs = {
            run.id: (run.experiment_id, run.number) for run in runs if run.number in numbers[run.experiment_id]
        }
        self._view = store.where(Filter(runs=tuple(self.runs)))
        self.metrics = self._view.metrics() if self.runs else []
        self.answers, cells = self._run_answers()
        self.labelled = self._labelled(queues, cells)
        self.values = cache(self._values)

    @property
    def languages(self) -> list[str]:
        """The languages of answers with a mark, in order."""
        return sorted({item.language for item in self.labelled if item.mark is not None})

    def _values(self, metric: str) -> Mapping[int, float]:
        """A metric's values from 0 (worst) to 1 (best) by cell; unscored answers are left out."""
        stored = self._view.values_by_answer(metric)
        goodness = np.clip(scale_of(metric).goodness(stored.values), 0.0, 1.0)
        return dict(zip(stored.keys.tolist(), goodness.tolist(), strict=True))

    def _run_answers(self) -> tuple[dict[int, RunAnswer], dict[tuple[int, str, str], int]]:
        """The answers of the runs that did not fail, by cell, and the cells by run, question and language."""
        a, q, r = t.answers.c, t.questions.c, t.runs.c
        statement = (
            select(a.run, a.question, a.language, q.name, r.dataset)
            .join(t.questions, q.id == a.question)
            .join(t.runs, r.id == a.run)
            .where(a.run.in_(self.runs), a.failed.is_(False), a.text != "")
        )
        answers: dict[int, RunAnswer] = {}
        cells: dict[tuple[int, str, str], int] = {}
        with self._store.engine.connect() as connection:
            for run, question, language, name, dataset in connection.execute(statement):
                cell = run * KEY_BASE + question
                answers[cell] = RunAnswer(language, (dataset, name))
                cells[run, name, language] = cell
        return answers, cells

    def _labelled(self, queues: QueueStore, cells: Mapping[tuple[int, str, str], int]) -> list[LabelledAnswer]:
        sets = {
            (record.number, record.annotator): record.labels
            for record in LabelStore(self._store).labels(self.queue.id)
            if record.on == ANSWER and record.showing == 1
        }
        people: defaultdict[int, list[str]] = defaultdict(list)
        for number, annotator in sorted(queues.completed(self.queue.id)):
            people[number].append(annotator)
        ids = {place: run for run, place in self.runs.items()}
        stored = self._stored_texts()
        answers = []
        for item in queues.items(self.queue.id):
            names = people.get(item.number, [])
            if not names:
                continue
            values = [self.taxonomy.value(sets.get((item.number, name), ())) for name in names]
            marks = [value for value in values if value is not None]
            run = ids.get((item.experiment_id, item.run_number), 0)
            is_same = stored.get(item.number) == item.answer
            answers.append(
                LabelledAnswer(
                    number=item.number,
                    language=item.language,
                    question=(item.dataset, item.question_name),
                    people=len(names),
                    mark=float(np.mean(marks)) if marks else None,
                    cell=cells.get((run, item.question_name, item.language)) if is_same else None,
                )
            )
        return answers

    def _stored_texts(self) -> dict[int, str]:
        """The answers as they are stored now, by the number of their item: values of another answer are not its."""
        i, r, q, a = items.c, t.runs.c, t.questions.c, t.answers.c
        statement = (
            select(i.number, a.text)
            .join(t.runs, (r.experiment_id == i.experiment_id) & (r.number == i.run_number))
            .join(t.questions, (q.name == i.question_name) & (q.language == i.language))
            .join(t.answers, (a.run == r.id) & (a.question == q.id))
            .where(i.queue == self.queue.id)
        )
        with self._store.engine.connect() as connection:
            return {number: nfc(text) for number, text in connection.execute(statement)}


def valued_taxonomy(used: Taxonomy, known: Iterable[Taxonomy]) -> Taxonomy:
    """The taxonomy whose values count for labels given under `used`: itself, or where it states no values a newer one.

    The newer one is that of the same name among `known`, if no label that has a value there means something else.
    """
    if used.has_values:
        return used
    for item in known:
        if item.name == used.name and item.version > used.version and item.has_values and not item.touched(used):
            return item
    return used


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


NOT_DRAWN = (
    "The answers of this queue are not those that its seed draws from its runs: its labels may not stand for the "
    "others. Create a new queue from these runs."
)
PUT_OFF = "put off and labelled by nobody: label them first, or what is labelled is not a random sample."


@dataclass(frozen=True, slots=True)
class SampleCheck:
    """`problem` is why no label of the queue may be used, "" where they may; `languages` the same for single ones."""

    problem: str
    languages: Mapping[str, str]

    def of(self, language: str) -> str:
        """Why the labels of a language, "" for all of them together, may not be used; "" where they may."""
        if self.problem:
            return self.problem
        if language:
            return self.languages.get(language, "")
        return next(iter(self.languages.values()), "")


def check_sample(store: ResultStore, queue: AnnotationQueue, runs: Sequence[int]) -> SampleCheck:
    """Repeats the draw of a queue from its runs (stored ids), and looks for items that were put off."""
    items = QueueStore(store).items(queue.id)
    p = annotation_tables.places.c
    with store.engine.connect() as connection:
        rows = sample(connection, runs, queue.per_language, queue.seed)
        put_off = connection.execute(
            select(p.number).where(p.queue == queue.id, p.showing == 1, p.skipped.is_not(None))
        ).scalars()
        skipped = set(put_off)
    if {row["instance_key"] for row in rows} != {item.instance_key for item in items}:
        return SampleCheck(NOT_DRAWN, {})
    done = {number for number, _ in QueueStore(store).completed(queue.id)}
    return SampleCheck("", _put_off([item for item in items if item.number in skipped - done]))


def _put_off(items: Sequence[QueueItem]) -> dict[str, str]:
    counts: dict[str, int] = {}
    for item in items:
        counts[item.language] = counts.get(item.language, 0) + 1
    return {code: f"{count:,} of its answers were {PUT_OFF}" for code, count in sorted(counts.items())}


@dataclass(frozen=True, slots=True)
class JudgeCorrection:
    """The mean that people would give to the answers in one language, "" for all of them together.

    `labelled` answers were both labelled and judged; `undecided` ones were completed without a label that has a value,
    and the mean is that of answers which people can decide. `mean` is None for the `reason`.
    """

    metric: str
    language: str
    labelled: int
    undecided: int
    judged: int
    mean: CorrectedMean | None
    reason: str = ""


def judge_corrections(scores: LabelledScores, metric: str, check: SampleCheck) -> list[JudgeCorrection]:
    """A row for all languages together and for each; the first needs every language to have enough labels.

    The languages are those of the runs' answers: one in which nothing is labelled yet is not left out of “all”. No rows
    where nothing is labelled at all.
    """
    if not scores.labelled:
        return []
    codes = sorted({item.language for item in scores.labelled} | {item.language for item in scores.answers.values()})
    samples = {code: _judged_sample(scores, metric, code) for code in codes}
    rows = [_correction(scores, metric, code, [samples[code]], check) for code in codes]
    return [_correction(scores, metric, "", list(samples.values()), check), *rows]


def _judged_sample(scores: LabelledScores, metric: str, language: str) -> JudgedSample:
    values = scores.values(metric)
    labelled = [
        (item.cell, item.mark, item.question)
        for item in scores.labelled
        if item.language == language and item.mark is not None and item.cell is not None and item.cell in values
    ]
    # Items that people completed and left undecided are in neither part: nobody knows what they are.
    seen = {item.cell for item in scores.labelled}
    others = [
        (value, scores.answers[cell].question)
        for cell, value in values.items()
        if cell not in seen and cell in scores.answers and scores.answers[cell].language == language
    ]
    return JudgedSample(
        labels=np.array([mark for _, mark, _ in labelled], dtype=np.float64),
        judged=np.array([values[cell] for cell, _, _ in labelled], dtype=np.float64),
        others=np.array([value for value, _ in others], dtype=np.float64),
        label_questions=[question for _, _, question in labelled],
        other_questions=[question for _, question in others],
    )


def _correction(
    scores: LabelledScores, metric: str, language: str, samples: Sequence[JudgedSample], check: SampleCheck
) -> JudgeCorrection:
    labelled, judged = sum(len(item.labels) for item in samples), sum(item.answers for item in samples)
    undecided = sum(item.mark is None and language in ("", item.language) for item in scores.labelled)
    fewest = min(len(item.labels) for item in samples)
    reason = check.of(language)
    if not reason and fewest < LABELS_AT_LEAST:
        where = "each language" if not language else "this language"
        reason = f"At least {LABELS_AT_LEAST} labelled and scored answers are needed in {where}; there are {fewest:,}."
    mean = None if reason else corrected_mean(samples)
    if mean is None and not reason:
        reason = "All scored answers are labelled: there are none to infer anything about."
    return JudgeCorrection(metric, language, labelled, undecided, judged, mean, reason)
