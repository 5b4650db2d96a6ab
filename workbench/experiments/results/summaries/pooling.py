"""What a figure pools: runs that differ in a choice which it does not show, and one judge asked in two languages.

A mode's scores depend on the scope that it searches, so runs of different scopes are not pooled unasked: each mode is
shown in the scope that its paper defines, and in each of its other scopes separately where it has no run there.

A judge asked in English and in the language of the answer has a mean of each by language, over the answers that both
scored, so that neither leads by easier answers; what one of them could not score is counted. Agreement: the share of
equal values, Kendall's τ_b, and for verdicts of 0 and 1 Cohen's κ, with intervals over questions
(`metrics.statistics.association`). Neither language is right by itself: people's labels say which of the two to trust
(`annotation.analysis.metric_trust`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.experiments.results.queries.run_list import StoredRun, varied_fields
from workbench.experiments.results.queries.score_arrays import KEY_BASE, Numbers, common
from workbench.experiments.results.result_store import ResultView
from workbench.experiments.results.run_pairs import PAPER_SCOPES
from workbench.experiments.results.summaries.run_names import choice_name, choice_title, searched
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
from workbench.pipeline import stored_words

PLURALS: Mapping[str, str] = {
    "experiment_id": "experiments",
    "dataset": "datasets",
    "mode": "modes",
    "scope": "scopes",
    "prompt": "prompt variants",
    "model": "models",
    "k": "values of k",
    "perturbation": "changes of documents",
}
"""The choices that can be pooled, with the word for several values of each."""
NAMED = 7
"""Values of a choice that are named; of more, only the number is stated."""


def in_paper_scope(runs: Iterable[StoredRun]) -> list[StoredRun]:
    """The runs in the scope that their mode's paper defines, and every run of a mode that has none there.

    Which of a mode's runs are kept is settled for each dataset separately.
    """
    groups: dict[tuple[str, str], list[StoredRun]] = defaultdict(list)
    for run in runs:
        groups[run.dataset, run.mode].append(run)
    kept: list[StoredRun] = []
    for (_, mode), group in groups.items():
        kept += [run for run in group if run.scope == PAPER_SCOPES.get(mode)] or group
    return sorted(kept, key=lambda run: run.id)


def pooled_choices(runs: Sequence[StoredRun], shown: Collection[str]) -> dict[str, list[str]]:
    """The choices that some figure averages over, each with the values that are pooled, in order.

    `shown` are the choices that a figure distinguishes: runs that are alike in all of them are in one figure.
    """
    names = (*PLURALS, *varied_fields(runs))
    groups: dict[tuple[object, ...], list[StoredRun]] = defaultdict(list)
    for run in runs:
        groups[tuple(_value(run, name) for name in names if name in shown)].append(run)
    pooled: dict[str, list[str]] = {}
    for name in names:
        values = [
            str(_value(run, name))
            for group in groups.values()
            if len({_value(run, name) for run in group}) > 1
            for run in group
        ]
        if name not in shown and values:
            pooled[name] = list(dict.fromkeys(values))
    return pooled


def pooled_words(runs: Sequence[StoredRun], shown: Collection[str]) -> str:
    """A sentence that names what the figures pool, and that nothing is pooled where that is so."""
    parts = []
    for name, values in pooled_choices(runs, shown).items():
        named = [choice_name(name, value) for value in values if value]
        names = "" if len(values) > NAMED or name == "experiment_id" else f" ({', '.join(named)})"
        parts.append(f"{len(values):,} {PLURALS.get(name, f'values of “{choice_title(name)}”')}{names}")
    if not parts:
        return "Nothing is pooled: each figure is of one run in each dataset."
    words = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"Each figure pools {words}. Use the filters to see one of them alone."


def _value(run: StoredRun, name: str) -> object:
    if name == "scope":
        return searched(run)
    return getattr(run, name) if name in PLURALS else stored_words(run.recipe).get(name, "")


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
    numbers = questions[keys % KEY_BASE]
    span = scale.high - scale.low
    weights = question_weights(numbers.tolist(), draws=1_000 if keys.size < ANSWERS_LIMIT else 0)
    binary = set(np.unique(np.concatenate([first, second])).tolist()) <= {0.0, 1.0}
    return replace(
        row,
        english=_mean(first, numbers, scale.low, scale.high),
        answer=_mean(second, numbers, scale.low, scale.high),
        difference=_mean(second - first, numbers, -span, span),
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
