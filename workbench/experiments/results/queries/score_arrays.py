"""Single values of a metric, gathered by question: what intervals and paired tests draw and toss is complete questions.

A question is the same in every language and under every recipe that asks it (see metrics.intervals).  It is known by
its dataset and its id there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Engine, func, select

from workbench.experiments.results.filters import Dimension, Filter, of_questions_of, run_conditions, run_ids
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


_INDEXES: WeakKeyDictionary[Engine, dict[Any, _QuestionIndex]] = WeakKeyDictionary()
INDEXES_LIMIT = 8
"""Indexes of questions that are kept for a database."""


def sums_by_group(
    connection: Connection, filter_: Filter, metric: str, by: Sequence[Dimension], cells: int | None = None
) -> list[QuestionSums]:
    """The scored cells that a filter lets through by group, question by question.

    `cells`: about how many there are. Of more than `VALUES_READ`, only every m-th question is read, at least
    `QUESTIONS_READ`.
    """
    index = _question_index(connection, filter_)
    step = max(1, min((cells or 0) // VALUES_READ, index.questions // QUESTIONS_READ))
    runs, questions, values = _read(connection, filter_, metric)
    if step > 1:
        kept = index.question[questions] % step == 0
        runs, questions, values = runs[kept], questions[kept], values[kept]
    keys, groups = _groups(connection, filter_, by)
    group = groups[runs]
    languages = max(1, len(index.languages))
    language = index.language[questions] if "language" in by else np.zeros_like(group)
    cluster = (group * languages + language) * index.questions + index.question[questions]
    clusters, inverse = _distinct(cluster, len(keys) * languages * index.questions)
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


def _distinct(numbers: Numbers, end: int) -> tuple[Numbers, Numbers]:
    """The distinct ones of some numbers below `end`, in order, and for each number its place among them."""
    if end > 2 * numbers.size:
        return np.unique(numbers, return_inverse=True)
    # Unsorted, which takes a fifth of the time.
    present = np.zeros(end, dtype=bool)
    present[numbers] = True
    return np.flatnonzero(present), (np.cumsum(present) - 1)[numbers]


def values_by_question(connection: Connection, filter_: Filter, metric: str) -> dict[int, MetricValues]:
    """For each run that a filter names: the values of a metric under the stored ids of the questions.

    Of a filter's choices only those of runs and questions apply. Unscored cells are left out.
    """
    rows = _read(connection, of_questions_of(filter_, filter_.runs), metric)
    ends = {run: np.searchsorted(rows[0], (run, run + 1)) for run in filter_.runs}
    return {run: _metric_values(rows[1][start:end], rows[2][start:end]) for run, (start, end) in ends.items()}


def values_by_answer(connection: Connection, filter_: Filter, metric: str, step: int = 1) -> MetricValues:
    """The values of a metric under run and question together, of every `step`-th question; unscored ones left out."""
    runs, questions, values = _read(connection, filter_, metric)
    kept = questions % step == 0
    return _metric_values(runs[kept] * KEY_BASE + questions[kept], values[kept])


def cell_of(key: int) -> tuple[int, int]:
    """The stored ids of run and question that `values_by_answer` has made a key of."""
    return divmod(key, KEY_BASE)


def common(one: MetricValues, other: MetricValues) -> tuple[Numbers, Values, Values]:
    """The keys that both have, and the values of both under them."""
    if np.array_equal(one.keys, other.keys):
        return one.keys, one.values, other.values
    keys, first, second = np.intersect1d(one.keys, other.keys, assume_unique=True, return_indices=True)
    return keys, one.values[first], other.values[second]


def question_numbers(connection: Connection, filter_: Filter) -> Numbers:
    """By stored id of a question that the runs may have asked: a number that it shares with its translations."""
    return _question_index(connection, filter_).question


def _question_index(connection: Connection, filter_: Filter) -> _QuestionIndex:
    q = t.questions.c
    datasets = connection.execute(select(t.runs.c.dataset).where(*run_conditions(filter_)).distinct()).scalars().all()
    matches = q.dataset.in_(datasets)
    # Stored questions are neither changed nor deleted: while no more of them are there, they are the same.
    key = (frozenset(datasets), *connection.execute(select(func.count(), func.max(q.id)).where(matches)).one())
    indexes = _INDEXES.setdefault(connection.engine, {})
    if (index := indexes.get(key)) is None:
        statement = select(q.id, q.language, q.dataset, q.name).where(matches).order_by(q.id)
        index = _indexed(connection.execute(statement).tuples().all())
        if len(indexes) >= INDEXES_LIMIT:
            indexes.clear()
        indexes[key] = index
    return index


def _indexed(rows: Sequence[tuple[int, str, str, str]]) -> _QuestionIndex:
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


def _read(connection: Connection, filter_: Filter, metric: str) -> tuple[Numbers, Numbers, Values]:
    """Run, question and value of the scored cells that a filter lets through, in the order of runs."""
    b, q = t.score_blocks.c, t.questions.c
    statement = (
        select(b.run, b.questions, b["values"])
        .join(t.metrics, t.metrics.c.id == b.metric)
        .where(t.metrics.c.name == metric, b.run.in_(run_ids(filter_)))
        .order_by(b.run, b.language, b.first)
    )
    if filter_.languages:
        statement = statement.where(b.language.in_(filter_.languages))
    rows = connection.execute(statement).all()
    questions = np.frombuffer(b"".join(row[1] for row in rows), "<i4").astype(np.int64)
    values = np.frombuffer(b"".join(row[2] for row in rows), "<f8")
    runs = np.repeat(np.array([row[0] for row in rows], dtype=np.int64), [len(row[1]) // 4 for row in rows])
    if filter_.evidence_in:
        allowed = connection.execute(select(q.id).where(q.evidence_in.in_(filter_.evidence_in))).scalars().all()
        kept = np.isin(questions, allowed)
        return runs[kept], questions[kept], values[kept]
    return runs, questions, values


def _metric_values(keys: Numbers, values: Values) -> MetricValues:
    order = np.argsort(keys, kind="stable")
    return MetricValues(keys[order], values[order])
