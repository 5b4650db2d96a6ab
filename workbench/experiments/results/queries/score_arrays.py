"""Single values of a metric, gathered by question: what intervals and paired tests draw and toss is complete questions.

A question is the same in every language and under every recipe that asks it (see metrics.intervals).  It is known by
its dataset and its id there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from sqlalchemy import ColumnElement, Connection, Select, bindparam, select

from workbench.experiments.results.filters import Dimension, Filter, run_conditions, score_conditions
from workbench.experiments.results.queries.run_list import grouping_column
from workbench.workspace import result_tables as t

Values = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]

VALUES_READ = 100_000
"""Values that are read at least where there are more: then complete questions are left out."""
QUESTIONS_READ = 100
"""Questions that are read at least, however many values they have."""
KEY_BASE = 2**32
"""More than there are questions, so that a run and a question make one key."""


@dataclass(frozen=True, slots=True)
class QuestionSums:
    """The cells that share `key`, by question: `sums` of values over `sizes` of them, one element per question.

    `share` of all questions were read, 1 where all were.
    """

    key: tuple[Any, ...]
    sums: Values
    sizes: Values
    share: float


@dataclass(frozen=True, slots=True)
class MetricValues:
    """The values of one metric, each under a key: the keys ascend, and no key stands twice."""

    keys: Numbers
    values: Values


@dataclass(frozen=True, slots=True)
class _QuestionIndex:
    """By stored id of a question: its number among `questions`, which translations share, and its language's number.

    -1 where no such question has the id.
    """

    question: Numbers
    language: Numbers
    languages: tuple[str, ...]
    questions: int


def sums_by_group(
    connection: Connection, filter_: Filter, metric: str, by: Sequence[Dimension], cells: int | None = None
) -> list[QuestionSums]:
    """The scored cells that a filter lets through by group, question by question.

    `cells`: about how many there are. Of more than `VALUES_READ`, only every m-th question is read, at least
    `QUESTIONS_READ`.
    """
    s = t.scores.c
    index = _question_index(connection, filter_)
    step = max(1, min((cells or 0) // VALUES_READ, index.questions // QUESTIONS_READ))
    statement = (
        select(s.run, s.question, s.value)
        .join(t.metrics, t.metrics.c.id == s.metric)
        .where(t.metrics.c.name == metric, s.value.is_not(None), *score_conditions(filter_))
    )
    if step > 1:
        statement = statement.where(s.question.in_(_literal(np.flatnonzero(index.question % step == 0))))
    runs, questions, values = _arrays(connection, statement)
    keys, groups = _groups(connection, filter_, by)
    group = groups[runs]
    languages = max(1, len(index.languages))
    language = index.language[questions] if "language" in by else np.zeros_like(group)
    cluster = (group * languages + language) * index.questions + index.question[questions]
    clusters, inverse = np.unique(cluster, return_inverse=True)
    sums = np.bincount(inverse, weights=values, minlength=clusters.size).astype(np.float64)
    sizes = np.bincount(inverse, minlength=clusters.size).astype(np.float64)
    owner = clusters // max(1, index.questions)
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    rows = []
    for number, chunk, part_sizes in zip(
        owner[first], np.split(sums, first[1:]), np.split(sizes, first[1:]), strict=False
    ):
        key = list(keys[int(number) // languages])
        if "language" in by:
            key.insert(list(by).index("language"), index.languages[int(number) % languages])
        rows.append(QuestionSums(tuple(key), chunk, part_sizes, 1 / step))
    return rows


def values_by_question(connection: Connection, filter_: Filter, metric: str) -> dict[int, MetricValues]:
    """For each run that a filter names: the values of a metric under the stored ids of the questions.

    Of a filter's choices only runs and languages apply. Unscored cells are left out.
    """
    s = t.scores.c
    statement = (
        select(s.question, s.value)
        .join(t.metrics, t.metrics.c.id == s.metric)
        .where(t.metrics.c.name == metric, s.value.is_not(None))
    )
    if filter_.languages:
        statement = statement.where(s.language.in_(filter_.languages))
    return {run: _metric_values(*_arrays(connection, statement.where(s.run == run))) for run in filter_.runs}


def values_by_answer(connection: Connection, filter_: Filter, metric: str, step: int = 1) -> MetricValues:
    """The values of a metric under run and question together, of every `step`-th question; unscored ones left out."""
    s = t.scores.c
    conditions = [t.metrics.c.name == metric, s.value.is_not(None), *score_conditions(filter_)]
    if step > 1:
        conditions.append(s.question % step == 0)
    statement = select(s.run, s.question, s.value).join(t.metrics, t.metrics.c.id == s.metric).where(*conditions)
    runs, questions, values = _arrays(connection, statement)
    return _metric_values(runs * KEY_BASE + questions, values)


def cell_of(key: int) -> tuple[int, int]:
    """The stored ids of run and question that `values_by_answer` has made a key of."""
    return divmod(key, KEY_BASE)


def common(one: MetricValues, other: MetricValues) -> tuple[Numbers, Values, Values]:
    """The keys that both have, and the values of both under them."""
    keys, first, second = np.intersect1d(one.keys, other.keys, assume_unique=True, return_indices=True)
    return keys, one.values[first], other.values[second]


def question_numbers(connection: Connection, filter_: Filter) -> Numbers:
    """By stored id of a question that the runs may have asked: a number that it shares with its translations."""
    return _question_index(connection, filter_).question


def _question_index(connection: Connection, filter_: Filter) -> _QuestionIndex:
    q = t.questions.c
    datasets = select(t.runs.c.dataset).where(*run_conditions(filter_))
    statement = select(q.id, q.language, q.dataset, q.name).where(q.dataset.in_(datasets)).order_by(q.id)
    rows = connection.execute(statement).tuples().all()
    numbers: dict[tuple[str, str], int] = {}
    languages: dict[str, int] = {}
    question = np.full(rows[-1][0] + 1 if rows else 1, -1, dtype=np.int64)
    language = question.copy()
    for question_id, code, dataset, name in rows:
        question[question_id] = numbers.setdefault((dataset, name), len(numbers))
        language[question_id] = languages.setdefault(code, len(languages))
    return _QuestionIndex(question, language, tuple(languages), len(numbers))


def _groups(connection: Connection, filter_: Filter, by: Sequence[Dimension]) -> tuple[list[tuple[Any, ...]], Numbers]:
    """The keys of the groups without their language, and by run the number of its group."""
    columns = [grouping_column(connection, filter_, name) for name in by if name != "language"]
    statement = select(t.runs.c.id, *columns).where(*run_conditions(filter_)).order_by(t.runs.c.id)
    rows = connection.execute(statement).all()
    keys: dict[tuple[Any, ...], int] = {}
    groups = np.zeros(rows[-1][0] + 1 if rows else 1, dtype=np.int64)
    for run, *key in rows:
        groups[run] = keys.setdefault(tuple(key), len(keys))
    return list(keys), groups


def _literal(ids: Numbers) -> ColumnElement[Any]:
    # Written into the statement, because there may be more of them than a statement may have parameters.
    return bindparam("ids", ids.tolist(), expanding=True, literal_execute=True)


def _arrays(connection: Connection, statement: Select[Any]) -> list[Any]:
    """The columns of a result of integers that ends with a value, as arrays.

    Rows come straight from the driver: as the library's rows they take three times as long.
    """
    with connection.execute(statement) as result:
        names = [*result.keys()]
        kinds = np.dtype([*((name, np.int64) for name in names[:-1]), (names[-1], np.float64)])
        rows = np.fromiter(iter(cast(Iterator[tuple[Any, ...]], result.cursor)), dtype=kinds)
    return [np.ascontiguousarray(rows[name]) for name in names]


def _metric_values(keys: Numbers, values: Values) -> MetricValues:
    order = np.argsort(keys, kind="stable")
    return MetricValues(keys[order], values[order])
