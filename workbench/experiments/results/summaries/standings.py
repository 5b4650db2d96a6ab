"""The order of runs by a metric, over the questions that all of them answered, so that none leads by easier questions.

Runs over different datasets are ranked separately. A run that answered less than `COVERAGE` of the questions is listed
without a rank, and so is a run without scores. Runs with the same mean share a rank.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import inf

import numpy as np

from workbench.experiments.results.filters import Filter
from workbench.experiments.results.queries.interval_queries import MeanWithInterval
from workbench.experiments.results.queries.score_arrays import MetricValues, Numbers
from workbench.experiments.results.result_store import ResultView
from workbench.metrics import influences, mean_interval, scale_of

COVERAGE = 0.8
"""The share of the questions that a run must have answered to be ranked among the others."""
DIGITS = 9
"""Decimals to which two means are compared: further ones are rounding."""

Cells = Mapping[int, Mapping[str, tuple[int, int]]]
"""By run and language: the cells that were scored or tried, and how many of them have a value."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A run among the others of its dataset.

    `rank` counts from 1, None where the run is not ranked. `mean`, `low` and `high` are over `n` answers: those to the
    common questions where `common`, else the run's. The run answered `answered` of the `questions` of its dataset,
    counting a question once in each language; `unscored` of these have no value.
    """

    run: int
    dataset: str
    rank: int | None
    mean: float | None
    low: float | None
    high: float | None
    n: int
    unscored: int
    answered: int
    questions: int
    common: bool

    @property
    def is_partial(self) -> bool:
        """Whether the run answered too few of the questions to be ranked."""
        return self.answered < COVERAGE * self.questions


def standings(view: ResultView, metric: str, limit: int, *, common: bool = True) -> tuple[list[Standing], int]:
    """The `limit` best runs by dataset and rank, those without a rank last, and how many runs there are.

    With `common`, runs are compared on the questions for which each ranked run of their dataset has a value; where
    there is none, and without `common`, each run has the mean of its own questions. Raises UsageError for a metric that
    nothing was scored by.
    """
    ranked, count = view.best_runs(metric, limit)
    dataset_of = {run.id: run.dataset for run in view.with_filter(_of_runs(view.filter, ranked)).runs()}
    cells = _cells(view, metric)
    by_dataset: dict[str, list[MeanWithInterval]] = defaultdict(list)
    for item in ranked:
        by_dataset[dataset_of[int(item.key[0])]].append(item)
    rows: list[Standing] = []
    for dataset, items in by_dataset.items():
        questions = _questions([cells[int(item.key[0])] for item in items])
        group = [_standing(item, dataset, cells[int(item.key[0])], questions) for item in items]
        rows += _ranked(view, metric, group, cells, common=common)
    return rows, count


def _standing(item: MeanWithInterval, dataset: str, cells: Mapping[str, tuple[int, int]], questions: int) -> Standing:
    return Standing(
        run=int(item.key[0]),
        dataset=dataset,
        rank=None,
        mean=item.mean,
        low=item.low,
        high=item.high,
        n=item.n,
        unscored=item.unscored,
        answered=sum(tried for tried, _ in cells.values()),
        questions=questions,
        common=False,
    )


def _ranked(view: ResultView, metric: str, group: Sequence[Standing], cells: Cells, *, common: bool) -> list[Standing]:
    """The runs of one dataset, the ranked ones first."""
    full = [item for item in group if item.mean is not None and not item.is_partial]
    if common and len(full) > 1:
        full = _on_common_questions(view, metric, full, cells)
    goodness = scale_of(metric).goodness
    full.sort(key=lambda item: -goodness(item.mean) if item.mean is not None else inf)
    rank, rows = 0, []
    for place, item in enumerate(full, start=1):
        same = place > 1 and round(item.mean or 0.0, DIGITS) == round(full[place - 2].mean or 0.0, DIGITS)
        rank = rank if same else place
        rows.append(replace(item, rank=rank))
    rest = [item for item in group if item.mean is None or item.is_partial]
    return [*rows, *sorted(rest, key=lambda item: item.mean is None)]


def _on_common_questions(view: ResultView, metric: str, rows: list[Standing], cells: Cells) -> list[Standing]:
    if _are_alike(view, rows, cells):
        return [replace(item, common=True) for item in rows]
    runs = tuple(item.run for item in rows)
    compared = view.with_filter(Filter(runs=runs, languages=view.filter.languages))
    values, numbers = compared.values_by_question(metric), compared.question_numbers()
    keys: Numbers = reduce(lambda one, other: np.intersect1d(one, other, assume_unique=True),
                           (values[run].keys for run in runs))  # fmt: skip
    if not keys.size:
        return rows
    return [_over(item, metric, values[item.run], keys, numbers) for item in rows]


def _over(row: Standing, metric: str, values: MetricValues, keys: Numbers, numbers: Numbers) -> Standing:
    """A run's row over the questions `keys` alone, all of which it has a value for."""
    scores = values.values[np.searchsorted(values.keys, keys)]
    _, place, sizes = np.unique(numbers[keys], return_inverse=True, return_counts=True)
    sums = np.bincount(place, weights=scores).astype(np.float64)
    scale, mean = scale_of(metric), float(scores.mean())
    interval = mean_interval(influences(sums, sizes.astype(np.float64)), low=scale.low, high=scale.high, mean=mean)
    low, high = (interval.low, interval.high) if interval else (None, None)
    return replace(row, mean=mean, low=low, high=high, n=int(keys.size), common=True)


def _are_alike(view: ResultView, rows: Sequence[Standing], cells: Cells) -> bool:
    """Whether the runs need no look at single questions: of one experiment, all cells answered and all of them scored.

    Runs of one experiment over one dataset ask the same questions in each language.
    """
    runs = view.with_filter(Filter(runs=tuple(item.run for item in rows))).runs()
    first = cells[rows[0].run]
    return len({run.experiment_id for run in runs}) == 1 and all(
        cells[item.run] == first and not item.unscored for item in rows
    )


def _of_runs(filter_: Filter, items: Sequence[MeanWithInterval]) -> Filter:
    return replace(filter_, runs=tuple(sorted(int(item.key[0]) for item in items)))


def _cells(view: ResultView, metric: str) -> dict[int, dict[str, tuple[int, int]]]:
    cells: dict[int, dict[str, tuple[int, int]]] = defaultdict(dict)
    for item in view.means([metric], ("run", "language")):
        run, language = item.key
        cells[int(run)][str(language)] = (item.n + item.unscored, item.n)
    return cells


def _questions(cells: Sequence[Mapping[str, tuple[int, int]]]) -> int:
    """How many questions some of the runs answered, a question counted once in each language."""
    languages = {language for run in cells for language in run}
    return sum(max(run.get(language, (0, 0))[0] for run in cells) for language in languages)
