"""One judge asked in English and in the language of the answer: the means of both by language, and how far they agree.

Both are taken over the answers that both scored, so that neither leads by easier answers; what one of them could not
score is counted.  Agreement: the share of equal values, Kendall's τ_b, and for verdicts of 0 and 1 Cohen's κ, with
intervals over questions (`metrics.statistics.association`).  Neither language is right by itself: people's labels say
which of the two to trust (`annotation.analysis.metric_trust`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from workbench.experiments.results.queries.score_arrays import KEY_BASE, Numbers, common
from workbench.experiments.results.result_store import ResultView
from workbench.metrics import (
    AssociationFigure,
    Floats,
    association_figure,
    binary_kappa,
    influences,
    kendall_tau_b,
    language_pairs,
    mean_interval,
    question_weights,
    scale_of,
)

ANSWERS_LIMIT = 5_000
"""Answers from which agreement has no interval: resampling them takes too long, and it would be narrow."""
NONE = AssociationFigure(None, None, None)


@dataclass(frozen=True, slots=True)
class JudgeLanguages:
    """A judged metric under both languages of its prompts, over the `n` answers that both scored, in `language` or all.

    `english`, `answer` and their `difference` (answer minus English) are means with intervals; `same` is the share of
    equal values. `english_only` and `answer_only` answers have a value from one of the two alone.
    """

    metric: str
    language: str
    n: int
    english: AssociationFigure = NONE
    answer: AssociationFigure = NONE
    difference: AssociationFigure = NONE
    same: float | None = None
    tau_b: AssociationFigure = NONE
    kappa: AssociationFigure = NONE
    english_only: int = 0
    answer_only: int = 0


def judge_languages(view: ResultView) -> list[JudgeLanguages]:
    """A row for each judged metric that was given in both languages: all languages together, then each."""
    pairs = language_pairs(view.metrics())
    if not pairs:
        return []
    questions = view.question_numbers()
    views = {code: view.with_filter(replace(view.filter, languages=(code,))) for code in view.languages()}
    return [
        _row(part, english, answer, code, questions)
        for english, answer in pairs
        for code, part in {"": view, **views}.items()
    ]


def _row(view: ResultView, english: str, answer: str, language: str, questions: Numbers) -> JudgeLanguages:
    one, other = view.values_by_answer(english), view.values_by_answer(answer)
    keys, first, second = common(one, other)
    row = JudgeLanguages(
        english,
        language,
        int(keys.size),
        english_only=int(one.keys.size - keys.size),
        answer_only=int(other.keys.size - keys.size),
    )
    if not keys.size:
        return row
    scale = scale_of(english)
    places = questions[keys % KEY_BASE]
    span = scale.high - scale.low
    weights = question_weights(places.tolist(), draws=1_000 if keys.size < ANSWERS_LIMIT else 0)
    binary = set(np.unique(np.concatenate([first, second])).tolist()) <= {0.0, 1.0}
    return replace(
        row,
        english=_mean(first, places, scale.low, scale.high),
        answer=_mean(second, places, scale.low, scale.high),
        difference=_mean(second - first, places, -span, span),
        same=float(np.mean(np.isclose(first, second))),
        tau_b=association_figure(kendall_tau_b(first, second, weights)),
        kappa=association_figure(binary_kappa(first, second, weights)) if binary else NONE,
    )


def _mean(values: Floats, questions: Numbers, low: float, high: float) -> AssociationFigure:
    _, places = np.unique(questions, return_inverse=True)
    sums = np.bincount(places, values).astype(np.float64)
    interval = mean_interval(influences(sums, np.bincount(places).astype(np.float64)), low=low, high=high)
    return AssociationFigure(
        float(values.mean()), interval.low if interval else None, interval.high if interval else None
    )
