"""What results are grouped and filtered by beside the columns of their runs: any field of their recipes.

A run's choices are in its recipe's JSON, so there is nothing to store for a new field. There are few runs
for their answers: their values are read and become a condition on the run's id.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, case, literal, select

from workbench.core import UsageError, shorten
from workbench.experiments.results.filters import RUN_COLUMNS, Dimension, Filter, run_column, run_conditions
from workbench.experiments.results.queries.run_list import StoredRun, runs
from workbench.pipeline import stored_words
from workbench.workspace import result_tables as t

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
    if not filter_.choices:
        return filter_
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
