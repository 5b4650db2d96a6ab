"""Single values of a metric, gathered by question: what intervals and paired tests draw and toss is whole questions.

A question is the same in every language and under every recipe that asks it (see metrics.clusters).  It is known by its
dataset and its id there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from sqlalchemy import ColumnElement, Connection, Engine, Select, bindparam, select

from workbench.results.filters import Dimension, Filter, run_conditions, score_conditions
from workbench.storage import result_tables as t

Values = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]

ENOUGH = 100_000
"""Values that are read at least where there are more: then whole questions are left out."""
LEAST = 100
"""Questions that are read at least, however many values they have."""
BEYOND = 2**32
"""More than there are questions, so that a run and a question make one key."""


@dataclass(frozen=True, slots=True)
class Questions:
    """What the questions of the cells that share `key` got: `sums` of values over `sizes` of them, a question each.

    `share` of all questions were read, 1 where all were.
    """

    key: tuple[Any, ...]
    sums: Values
    sizes: Values
    share: float


@dataclass(frozen=True, slots=True)
class Column:
    """The values of one metric, each under a key: the keys ascend, and each is there once."""

    keys: Numbers
    values: Values


@dataclass(frozen=True, slots=True)
class _Asked:
    """By stored id: the question's number and its language's number; -1 where the id is none of these."""

    question: Numbers
    language: Numbers
    languages: tuple[str, ...]
    count: int


def by_group(
    engine: Engine, chosen: Filter, metric: str, by: Sequence[Dimension], cells: int | None = None
) -> list[Questions]:
    """The scored cells that a filter lets through by group, question by question.

    `cells`: how many there are about. Of more than `ENOUGH`, every so many questions are read, at least `LEAST`.
    """
    s = t.scores.c
    with engine.connect() as connection:
        asked = _asked(connection, chosen)
        every = max(1, min((cells or 0) // ENOUGH, asked.count // LEAST))
        read = (
            select(s.run, s.question, s.value)
            .join(t.metrics, t.metrics.c.id == s.metric)
            .where(t.metrics.c.name == metric, s.value.is_not(None), *score_conditions(chosen))
        )
        if every > 1:
            read = read.where(s.question.in_(_literal(np.flatnonzero(asked.question % every == 0))))
        runs, questions, values = _arrays(connection, read)
        keys, places = _groups(connection, chosen, by)
    group = places[runs]
    spoken = max(1, len(asked.languages))
    language = asked.language[questions] if "language" in by else np.zeros_like(group)
    cluster = asked.question[questions]
    within, inverse = np.unique((group * spoken + language) * asked.count + cluster, return_inverse=True)
    sums = np.bincount(inverse, weights=values, minlength=within.size).astype(np.float64)
    sizes = np.bincount(inverse, minlength=within.size).astype(np.float64)
    owner = within // max(1, asked.count)
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    found = []
    for place, mine, sized in zip(owner[first], np.split(sums, first[1:]), np.split(sizes, first[1:]), strict=False):
        key = list(keys[int(place) // spoken])
        if "language" in by:
            key.insert(list(by).index("language"), asked.languages[int(place) % spoken])
        found.append(Questions(tuple(key), mine, sized, 1 / every))
    return found


def by_question(engine: Engine, metric: str, runs: Sequence[int], languages: Sequence[str] = ()) -> dict[int, Column]:
    """By run, the values of a metric under the stored ids of the questions; unscored ones are left out."""
    s = t.scores.c
    asked = (
        select(s.question, s.value)
        .join(t.metrics, t.metrics.c.id == s.metric)
        .where(t.metrics.c.name == metric, s.value.is_not(None))
    )
    if languages:
        asked = asked.where(s.language.in_(languages))
    with engine.connect() as connection:
        return {run: _column(*_arrays(connection, asked.where(s.run == run))) for run in runs}


def by_answer(engine: Engine, chosen: Filter, metric: str, every: int = 1) -> Column:
    """The values of a metric under run and question together, of every `every`-th question; unscored ones left out."""
    s = t.scores.c
    conditions = [t.metrics.c.name == metric, s.value.is_not(None), *score_conditions(chosen)]
    if every > 1:
        conditions.append(s.question % every == 0)
    asked = select(s.run, s.question, s.value).join(t.metrics, t.metrics.c.id == s.metric).where(*conditions)
    with engine.connect() as connection:
        runs, questions, values = _arrays(connection, asked)
    return _column(runs * BEYOND + questions, values)


def common(one: Column, other: Column) -> tuple[Numbers, Values, Values]:
    """The keys that both have, and the values of both under them."""
    keys, first, second = np.intersect1d(one.keys, other.keys, assume_unique=True, return_indices=True)
    return keys, one.values[first], other.values[second]


def question_numbers(engine: Engine, runs: Sequence[int]) -> Numbers:
    """By stored id of a question that some runs may have asked: a number that it shares with its translations."""
    with engine.connect() as connection:
        return _asked(connection, Filter(runs=tuple(runs))).question


def _asked(connection: Connection, chosen: Filter) -> _Asked:
    q = t.questions.c
    datasets = select(t.runs.c.dataset).where(*run_conditions(chosen))
    asked = select(q.id, q.language, q.dataset, q.name).where(q.dataset.in_(datasets)).order_by(q.id)
    rows = connection.execute(asked).tuples().all()
    numbers: dict[tuple[str, str], int] = {}
    spoken: dict[str, int] = {}
    question = np.full(rows[-1][0] + 1 if rows else 1, -1, dtype=np.int64)
    language = question.copy()
    for identity, code, dataset, name in rows:
        question[identity] = numbers.setdefault((dataset, name), len(numbers))
        language[identity] = spoken.setdefault(code, len(spoken))
    return _Asked(question, language, tuple(spoken), len(numbers))


def _groups(connection: Connection, chosen: Filter, by: Sequence[Dimension]) -> tuple[list[tuple[Any, ...]], Numbers]:
    """The keys of the groups without their language, and by run the number of its group."""
    columns = [t.runs.c["id" if name == "run" else name] for name in by if name != "language"]
    keys: dict[tuple[Any, ...], int] = {}
    rows = connection.execute(select(t.runs.c.id, *columns).where(*run_conditions(chosen)).order_by(t.runs.c.id)).all()
    places = np.zeros(rows[-1][0] + 1 if rows else 1, dtype=np.int64)
    for run, *key in rows:
        places[run] = keys.setdefault(tuple(key), len(keys))
    return list(keys), places


def _literal(ids: Numbers) -> ColumnElement[Any]:
    # Written into the statement, for there may be more of them than a statement may have parameters.
    return bindparam("ids", ids.tolist(), expanding=True, literal_execute=True)


def _arrays(connection: Connection, asked: Select[Any]) -> list[Any]:
    """The columns of a result of whole numbers that ends with a value, as arrays.

    Rows come straight from the driver: as the library's own rows they take three times as long.
    """
    with connection.execute(asked) as result:
        names = [*result.keys()]
        kinds = np.dtype([*((name, np.int64) for name in names[:-1]), (names[-1], np.float64)])
        rows = np.fromiter(iter(cast(Iterator[tuple[Any, ...]], result.cursor)), dtype=kinds)
    return [np.ascontiguousarray(rows[name]) for name in names]


def _column(keys: Numbers, values: Values) -> Column:
    order = np.argsort(keys, kind="stable")
    return Column(keys[order], values[order])
