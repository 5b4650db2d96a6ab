"""What people would say of all answers, from a judge's marks of all and people's labels of a random sample of them.

A judge marks every answer and is wrong in its way; people label few and are what counts.  Prediction-powered inference
(`metrics.statistics.corrected_mean`) combines both: its interval is hardly ever longer than that of the labels alone,
and shorter the better the judge is.  Any metric may take the judge's place.

Only queues whose answers are a random sample count (`random_sample`), and only languages with enough labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.annotation.analysis.labelled_scores import LabelledScores
from workbench.annotation.analysis.random_sample import SampleCheck
from workbench.metrics import LABELS_AT_LEAST, CorrectedMean, JudgedSample, corrected_mean


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
