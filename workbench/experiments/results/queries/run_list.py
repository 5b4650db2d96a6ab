"""Experiments and their runs as they are stored, and what runs are grouped and filtered by.

No answer is counted in the lists of runs, so they are read at once at any size. A run's choices are in its recipe's
JSON, so there is nothing to store for a new field of a recipe. There are few runs for their answers: their values are
read and become a condition on the run's id.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, case, func, literal, select

from workbench.core import UsageError, shorten, unknown_name
from workbench.experiments.results.filters import RUN_COLUMNS, Dimension, Filter, run_column, run_conditions, run_ids
from workbench.experiments.results.writer import RunRow
from workbench.pipeline import stored_words
from workbench.workspace import result_tables as t, tables


@dataclass(frozen=True, slots=True)
class StoredRun(RunRow):
    """A run with its choices, its stored id and its experiment's."""

    id: int
    experiment_id: str


def runs(connection: Connection, filter_: Filter) -> list[StoredRun]:
    """The runs that a filter lets through, in the order in which they were stored."""
    names = tuple(StoredRun.__dataclass_fields__)
    columns = (t.runs.c[name] for name in names)
    statement = select(*columns).where(*run_conditions(filter_)).order_by(t.runs.c.id)
    rows = (dict(zip(names, row, strict=True)) for row in connection.execute(statement))
    return [StoredRun(**row) for row in rows]


def metrics(connection: Connection, filter_: Filter) -> list[str]:
    """The names of the metrics that some of the runs were scored by, in the order in which they were first stored."""
    totals = t.score_totals.c
    scored = select(totals.metric).where(totals.metric == t.metrics.c.id, totals.run.in_(run_ids(filter_)))
    statement = select(t.metrics.c.name).where(scored.exists()).order_by(t.metrics.c.id)
    return list(connection.execute(statement).scalars())


def languages(connection: Connection, filter_: Filter) -> list[str]:
    """The question languages of the runs that a filter lets through, in the order of their codes."""
    r, a = t.runs.c, t.answers.c
    # Runs over one dataset answer the same questions: one of them is enough.
    samples = select(func.min(r.id)).where(*run_conditions(filter_)).group_by(r.experiment_id, r.dataset)
    codes: set[str] = set()
    for run in connection.execute(samples).scalars().all():
        # Each next language is one step in the index on (run, language), however many answers lie between.
        code: str | None = ""
        while code is not None:
            statement = select(func.min(a.language)).where(a.run == run, a.language > code)
            code = connection.execute(statement).scalar()
            codes |= {code} if code else set()
    return sorted(codes)


def evidence(connection: Connection, filter_: Filter) -> list[str]:
    """Where the answers to the questions of the runs' datasets lie, as far as these say (see records.Question)."""
    q = t.questions.c
    datasets = select(t.runs.c.dataset).where(*run_conditions(filter_)).distinct()
    statement = select(q.evidence_in).where(q.dataset.in_(datasets), q.evidence_in != "").distinct()
    return sorted(connection.execute(statement.order_by(q.evidence_in)).scalars())


PILOT = "pilot"
"""The kind of an experiment that only holds what a pilot measured; no list shows it."""
IMPORTING = "importing"
"""The kind of an experiment whose predictions are still being scored and written; no list shows it."""
HIDDEN = (PILOT, IMPORTING)
HINT = "Type: runs list"


@dataclass(frozen=True, slots=True)
class ExperimentName:
    """An experiment's id and name, when it was created (seconds since 1970), and how many cells it has."""

    id: str
    name: str
    kind: str
    created: float
    cells: int


@dataclass(frozen=True, slots=True)
class ExperimentRow(ExperimentName):
    """An experiment in a list. `answered` counts cells with an answer, `failed` those that failed."""

    answered: int
    failed: int


@dataclass(frozen=True, slots=True)
class StoredExperiment:
    """What a job must know of an experiment: `kind`, its YAML and the fingerprint of its questions and corpora."""

    kind: str
    spec: str
    material: str


def experiment_names(connection: Connection) -> list[ExperimentName]:
    """All experiments but pilots, the newest first, without counting their answers."""
    e = t.experiments.c
    columns = (e[name] for name in ExperimentName.__dataclass_fields__)
    statement = select(*columns).where(e.kind.not_in(HIDDEN)).order_by(e.created.desc(), e.id)
    return [ExperimentName(*row) for row in connection.execute(statement)]


def experiment_rows() -> Select[Any]:
    """The statement of all experiments but pilots, the newest first, with the columns of `ExperimentRow`."""
    totals, e = t.answer_totals.c, t.experiments.c
    counts = (
        select(
            t.runs.c.experiment_id,
            func.sum(totals.answered).label("answered"),
            func.sum(totals.failed).label("failed"),
        )
        .join(t.answer_totals, totals.run == t.runs.c.id)
        .group_by(t.runs.c.experiment_id)
        .subquery()
    )
    names = (e[name] for name in ExperimentName.__dataclass_fields__)
    sums = (func.coalesce(counts.c[name], 0).label(name) for name in ("answered", "failed"))
    return (
        select(*names, *sums)
        .outerjoin(counts, counts.c.experiment_id == e.id)
        .where(e.kind.not_in(HIDDEN))
        .order_by(e.created.desc(), e.id)
    )


def experiments(connection: Connection) -> list[ExperimentRow]:
    """All experiments but pilots, the newest first."""
    return [ExperimentRow(*row) for row in connection.execute(experiment_rows())]


def experiment(connection: Connection, experiment_id: str) -> ExperimentRow:
    """One experiment; raises UsageError for one that does not exist."""
    row = connection.execute(experiment_rows().where(t.experiments.c.id == experiment_id)).first()
    if row is None:
        ids = [item.id for item in experiment_names(connection)]
        raise unknown_name("experiment", experiment_id, ids, HINT)
    return ExperimentRow(*row)


def stored_experiment(connection: Connection, experiment_id: str) -> StoredExperiment:
    """What a job must know of an experiment of any kind; raises UsageError for one that does not exist."""
    e = t.experiments.c
    row = connection.execute(select(e.kind, e.spec, e.material).where(e.id == experiment_id)).first()
    if row is None:
        raise unknown_name("experiment", experiment_id, connection.execute(select(e.id)).scalars(), HINT)
    return StoredExperiment(*row)


def state_of_results(connection: Connection) -> tuple[float, ...]:
    """A value that changes when results do: equal before and after, what is drawn is still right. Reads no answers."""
    counts = [select(func.count()).select_from(table).scalar_subquery() for table in (t.batches, t.experiments, t.runs)]
    heartbeat = select(func.max(tables.jobs.c.heartbeat)).where(tables.jobs.c.kind == "experiment").scalar_subquery()
    created = select(func.max(t.experiments.c.created)).scalar_subquery()
    row = connection.execute(select(*counts, heartbeat, created)).one()
    return tuple(float(value or 0.0) for value in row)


NO_VALUE = ""
"""The value of runs that have no recipe: predictions from elsewhere."""
NO_RUN = -1
"""The id of no run."""
OF_COLUMNS = frozenset({"mode", "scope", "prompt", "generator", "k"})
"""Fields of a recipe that are columns of runs, and grouped by under those names."""


def grouping_column(connection: Connection, filter_: Filter, name: Dimension) -> ColumnElement[Any]:
    """The column, or the expression over runs, that a dimension groups by; not for the language of a question."""
    if name in RUN_COLUMNS:
        return run_column(name)
    ids: defaultdict[str, list[int]] = defaultdict(list)
    statement = select(t.runs.c.id, t.runs.c.recipe).where(*run_conditions(filter_))
    for run, recipe in connection.execute(statement):
        ids[stored_words(recipe).get(name, NO_VALUE)].append(run)
    if not ids:
        return literal(NO_VALUE)
    whens = [(t.runs.c.id.in_(members), value) for value, members in ids.items()]
    return case(*whens, else_=NO_VALUE)


def resolved(connection: Connection, filter_: Filter) -> Filter:
    """The same filter with its choices of recipes as runs. Raises UsageError for a choice that is not `field=value`."""
    allowed: defaultdict[str, set[str]] = defaultdict(set)
    for choice in filter_.choices:
        field, sign, value = choice.partition("=")
        if not sign:
            raise UsageError(f"“{shorten(choice)}” is not a choice of a recipe. Write it as: reranker=pass")
        allowed[field].add(value)
    ids = tuple(run.id for run in runs(connection, filter_) if _has(run, allowed))
    return replace(filter_, choices=(), runs=ids or (NO_RUN,))


def varied_fields(runs: Iterable[StoredRun]) -> dict[str, tuple[str, ...]]:
    """The fields in which runs of one experiment over one dataset differ, with their values in order of the runs.

    Those that are columns of runs are left out; `corpus` is among the fields where a dataset is searched in several.
    """
    groups: defaultdict[tuple[str, str], list[Mapping[str, str]]] = defaultdict(list)
    for run in runs:
        if choices := stored_words(run.recipe):
            groups[run.experiment_id, run.dataset].append(choices)
    values: defaultdict[str, dict[str, None]] = defaultdict(dict)
    differing = {name for each in groups.values() for name in _differing(each)} - OF_COLUMNS
    for each in groups.values():
        for choices in each:
            for name in differing:
                values[name].setdefault(choices.get(name, NO_VALUE))
    order = {name: number for each in groups.values() for number, name in enumerate(each[0])}
    return {name: tuple(values[name]) for name in sorted(values, key=lambda name: (order.get(name, 0), name))}


def _differing(choices: Sequence[Mapping[str, str]]) -> set[str]:
    first = choices[0]
    return {name for each in choices for name in {*first, *each} if each.get(name) != first.get(name)}


def _has(run: StoredRun, allowed: Mapping[str, set[str]]) -> bool:
    choices = stored_words(run.recipe)
    return all(choices.get(name, NO_VALUE) in values for name, values in allowed.items())
