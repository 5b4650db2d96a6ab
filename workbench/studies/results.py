"""Results, read by SQL aggregation: a million scored answers never become a million Python rows.

Means come from the narrow `scores` table in its own order (metric, run, language), first summed by run and language and
then put together by whatever is asked for.  Every aggregate carries n, the unscored and the failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Engine, and_, case, func, select

from workbench.errors import unknown
from workbench.storage import study_tables as t
from workbench.studies.filters import (
    Dimension,
    Filter,
    answer_conditions,
    dimension,
    run_conditions,
    run_ids,
    score_conditions,
)

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ExperimentRow:
    """An experiment in a list. `answered` counts cells with an answer, `failed` those that failed."""

    id: str
    name: str
    kind: str
    created: float
    cells: int
    answered: int
    failed: int


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run with its choices."""

    id: int
    experiment: str
    number: int
    title: str
    dataset: str
    corpus: str
    mode: str
    scope: str
    prompt: str
    model: str
    k: int
    perturbation: str
    recipe: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One metric over the cells that share `key` (the values of the dimensions asked for, in order).

    `mean` is None where n is 0; `deviation` is the population's. `unscored` had no value.
    """

    key: tuple[Any, ...]
    metric: str
    mean: float | None
    deviation: float
    n: int
    unscored: int


@dataclass(frozen=True, slots=True)
class Effort:
    """Answers, failures, mean seconds a cell and tokens of the cells that share `key`."""

    key: tuple[Any, ...]
    answers: int
    failed: int
    seconds: float | None
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class Flow:
    """`documents` of one language given to questions of another, and the language that the answer came in."""

    language: str
    document_language: str
    answer_language: str
    documents: int


@dataclass(frozen=True, slots=True)
class Distribution:
    """The distinct values of a metric in ascending order and how often each came: all that a bootstrap needs."""

    key: tuple[Any, ...]
    values: Values
    counts: npt.NDArray[np.int64]


def experiments(engine: Engine) -> list[ExperimentRow]:
    """All experiments, the newest first."""
    counted = (
        select(
            t.runs.c.experiment,
            func.count().label("rows"),
            func.sum(case((t.answers.c.failed, 1), else_=0)).label("failed"),
        )
        .join(t.answers, t.answers.c.run == t.runs.c.id)
        .group_by(t.runs.c.experiment)
        .subquery()
    )
    e = t.experiments.c
    asked = (
        select(
            e.id,
            e.name,
            e.kind,
            e.created,
            e.cells,
            func.coalesce(counted.c.rows, 0),
            func.coalesce(counted.c.failed, 0),
        )
        .outerjoin(counted, counted.c.experiment == e.id)
        .order_by(e.created.desc(), e.id)
    )
    with engine.connect() as connection:
        return [
            ExperimentRow(identity, name, kind, created, cells, rows - failed, failed)
            for identity, name, kind, created, cells, rows, failed in connection.execute(asked)
        ]


def experiment(engine: Engine, identity: str) -> ExperimentRow:
    """One experiment. Raises UsageError."""
    found = experiments(engine)
    for row in found:
        if row.id == identity:
            return row
    raise unknown("experiment", identity, [row.id for row in found], "Type: runs list")


def spec(engine: Engine, identity: str) -> str:
    """An experiment's YAML. Raises UsageError."""
    experiment(engine, identity)
    with engine.connect() as connection:
        return str(connection.execute(select(t.experiments.c.spec).where(t.experiments.c.id == identity)).scalar_one())


def runs(engine: Engine, chosen: Filter) -> list[RunRow]:
    """The runs that a filter lets through, in order."""
    names = RunRow.__dataclass_fields__
    asked = select(*(t.runs.c[name] for name in names)).where(*run_conditions(chosen)).order_by(t.runs.c.id)
    with engine.connect() as connection:
        return [RunRow(*row) for row in connection.execute(asked)]


def metrics(engine: Engine, chosen: Filter) -> list[str]:
    """The metrics that some of the runs were scored by."""
    there = select(t.scores.c.metric).where(t.scores.c.metric == t.metrics.c.id, t.scores.c.run.in_(run_ids(chosen)))
    with engine.connect() as connection:
        return list(
            connection.execute(select(t.metrics.c.name).where(there.exists()).order_by(t.metrics.c.id)).scalars()
        )


def aggregate(
    engine: Engine, chosen: Filter, names: Sequence[str], by: Sequence[Dimension] = ("run",)
) -> list[Aggregate]:
    """Metrics over groups of cells, in the order of the groups' keys."""
    s = t.scores.c
    inner = (
        select(
            s.metric,
            s.run,
            s.language,
            func.count(s.value).label("n"),
            func.count().label("cells"),
            func.sum(s.value).label("total"),
            func.sum(s.value * s.value).label("squares"),
        )
        .where(*score_conditions(chosen))
        .group_by(s.metric, s.run, s.language)
    )
    found: list[Aggregate] = []
    with engine.connect() as connection:
        for name, metric in _metric_ids(connection.execute(select(t.metrics.c.name, t.metrics.c.id)).tuples(), names):
            part = inner.where(s.metric == metric).subquery()
            keys = [dimension(name_, part.c.language) for name_ in by]
            asked = (
                select(
                    *keys,
                    func.sum(part.c.n),
                    func.sum(part.c.cells),
                    func.sum(part.c.total),
                    func.sum(part.c.squares),
                )
                .join(t.runs, t.runs.c.id == part.c.run)
                .group_by(*keys)
                .order_by(*keys)
            )
            for row in connection.execute(asked):
                *key, n, cells, total, squares = row
                mean = total / n if n else None
                spread = max(squares / n - mean * mean, 0.0) ** 0.5 if mean is not None else 0.0
                found.append(Aggregate(tuple(key), name, mean, spread, n, cells - n))
    return found


def effort(engine: Engine, chosen: Filter, by: Sequence[Dimension] = ("run",)) -> list[Effort]:
    """Answers, failures, seconds and tokens by group."""
    a = t.answers.c
    keys = [dimension(name, a.language) for name in by]
    answered = case((a.failed, 0), else_=1)
    asked = (
        select(
            *keys,
            func.sum(answered),
            func.sum(1 - answered),
            func.sum(a.seconds * answered),
            func.coalesce(func.sum(a.prompt_tokens), 0),
            func.coalesce(func.sum(a.completion_tokens), 0),
        )
        .join(t.runs, t.runs.c.id == a.run)
        .where(*answer_conditions(chosen))
        .group_by(*keys)
        .order_by(*keys)
    )
    with engine.connect() as connection:
        return [
            Effort(tuple(key), done, failed, seconds / done if done else None, read, written)
            for *key, done, failed, seconds, read, written in connection.execute(asked)
        ]


def failures(engine: Engine, chosen: Filter) -> list[tuple[str, int]]:
    """Why cells failed, and how many of each reason, the most frequent first."""
    a = t.answers.c
    count = func.count()
    asked = (
        select(a.error, count)
        .where(a.failed, *answer_conditions(chosen))
        .group_by(a.error)
        .order_by(count.desc(), a.error)
    )
    with engine.connect() as connection:
        return [(reason, number) for reason, number in connection.execute(asked)]


def unscored(engine: Engine, chosen: Filter, metric: str) -> list[tuple[str, int]]:
    """Why answers were not scored by a metric, and how many of each reason, the most frequent first."""
    s = t.scores.c
    count = func.count()
    asked = (
        select(s.reason, count)
        .join(t.metrics, t.metrics.c.id == s.metric)
        .where(t.metrics.c.name == metric, s.value.is_(None), *score_conditions(chosen))
        .group_by(s.reason)
        .order_by(count.desc())
    )
    with engine.connect() as connection:
        return [(reason or "", number) for reason, number in connection.execute(asked)]


def flows(engine: Engine, chosen: Filter) -> list[Flow]:
    """Documents by question language, document language and answer language (`found_in` does not apply)."""
    f = t.flows.c
    keys = (f.language, f.document_language, f.answer_language)
    asked = select(*keys, func.sum(f.documents)).where(f.run.in_(run_ids(chosen))).group_by(*keys).order_by(*keys)
    if chosen.languages:
        asked = asked.where(f.language.in_(chosen.languages))
    with engine.connect() as connection:
        return [Flow(*row) for row in connection.execute(asked)]


def distributions(
    engine: Engine, chosen: Filter, metric: str, by: Sequence[Dimension] = ("run",)
) -> list[Distribution]:
    """By group, how often each value of a metric came."""
    s = t.scores.c
    inner = (
        select(s.run, s.language, s.value, func.count().label("count"))
        .join(t.metrics, t.metrics.c.id == s.metric)
        .where(t.metrics.c.name == metric, s.value.is_not(None), *score_conditions(chosen))
        .group_by(s.run, s.language, s.value)
        .subquery()
    )
    keys = [dimension(name, inner.c.language) for name in by]
    asked = (
        select(*keys, inner.c.value, func.sum(inner.c.count))
        .join(t.runs, t.runs.c.id == inner.c.run)
        .group_by(*keys, inner.c.value)
        .order_by(*keys, inner.c.value)
    )
    groups: dict[tuple[Any, ...], tuple[list[float], list[int]]] = {}
    with engine.connect() as connection:
        for *key, value, count in connection.execute(asked):
            held = groups.setdefault(tuple(key), ([], []))
            held[0].append(value)
            held[1].append(count)
    return [Distribution(key, np.array(v), np.array(c, dtype=np.int64)) for key, (v, c) in groups.items()]


def paired(
    engine: Engine, metric: str, first: int, second: int, languages: Sequence[str] = ()
) -> tuple[Values, Values]:
    """The values of two runs on the questions that both were scored on, in one order."""
    one, other = t.scores.alias(), t.scores.alias()
    asked = (
        select(one.c.value, other.c.value)
        .join(t.metrics, t.metrics.c.id == one.c.metric)
        .join(
            other,
            and_(
                other.c.metric == one.c.metric,
                other.c.run == second,
                other.c.language == one.c.language,
                other.c.question == one.c.question,
            ),
        )
        .where(t.metrics.c.name == metric, one.c.run == first, one.c.value.is_not(None), other.c.value.is_not(None))
        .order_by(one.c.language, one.c.question)
    )
    if languages:
        asked = asked.where(one.c.language.in_(languages))
    with engine.connect() as connection:
        rows = np.array(connection.execute(asked).tuples().all(), dtype=np.float64).reshape(-1, 2)
    return rows[:, 0], rows[:, 1]


def _metric_ids(rows: Iterable[tuple[str, int]], names: Sequence[str]) -> list[tuple[str, int]]:
    ids = {name: metric for name, metric in rows}  # noqa: C416 - a result has `keys`, so `dict` takes it for a mapping
    for name in names:
        if name not in ids:
            raise unknown("metric of these results", name, ids)
    return [(name, ids[name]) for name in names]
