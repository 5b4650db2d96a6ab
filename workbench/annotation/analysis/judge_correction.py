"""What people would say of all answers, from a judge's marks of all and people's labels of a random sample of them.

A judge marks every answer and is wrong in its way; people label few and are what counts.  Prediction-powered inference
(`metrics.statistics.corrected_mean`) combines both: its interval is hardly ever longer than that of the labels alone,
and shorter the better the judge is.  Any metric may take the judge's place.

Only languages with enough labels count, and only queues whose answers are a random sample of those of their runs
(`check_sample`).  A queue is drawn by its seed, which is not taken on trust: the draw is repeated, and the queue's
answers must be those that it gives.  Each person sees the answers in an order of their own that the seed determines, so
what was labelled first is a random sample too, unless people put answers off: a language with such an answer does not
count until it is labelled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import select

from workbench.annotation.analysis.labelled_scores import LabelledScores
from workbench.annotation.queue import AnnotationQueue, QueueItem
from workbench.annotation.queue_sampling import sample
from workbench.annotation.queue_store import QueueStore
from workbench.experiments import ResultStore
from workbench.metrics import LABELS_AT_LEAST, CorrectedMean, JudgedSample, corrected_mean
from workbench.workspace import annotation_tables as t

NOT_DRAWN = (
    "The answers of this queue are not those that its seed draws from its runs: its labels may not stand for the "
    "others. Make a new queue from these runs."
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
    p = t.places.c
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
    samples = {code: _sample(scores, metric, code) for code in codes}
    rows = [_correction(scores, metric, code, [samples[code]], check) for code in codes]
    return [_correction(scores, metric, "", list(samples.values()), check), *rows]


def _sample(scores: LabelledScores, metric: str, language: str) -> JudgedSample:
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
