"""Reading results: a store of experiments, views over the cells that a filter lets through, and filters by name.

This is the one way to results. The statements are in `queries`, by subject. A named filter is what a screen's filters
choose, as the part of its URL that says so, kept in the workspace.
"""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import ColumnElement, Connection, Engine, delete, insert, select

from workbench.core import UsageError, shorten, unknown_name
from workbench.experiments.results.filters import Filter
from workbench.experiments.results.queries import aggregates, instances, run_list, score_arrays
from workbench.experiments.results.queries.instances import Instance
from workbench.experiments.results.queries.run_list import ExperimentName, ExperimentRow
from workbench.workspace import alone, opened_store, saved_filters, verb

CELLS_AT_ONCE = 1_000
"""Cells that are read at once where all of them are read."""
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def _query(
    function: Callable[Concatenate[Connection, Filter, Parameters], Result],
) -> Callable[Concatenate[ResultView, Parameters], Result]:
    """A query over a connection and a filter as a method of `ResultView`."""

    @wraps(function)
    def method(view: ResultView, /, *arguments: Parameters.args, **options: Parameters.kwargs) -> Result:
        with view.engine.connect() as connection:
            return function(connection, view.filter, *arguments, **options)

    return method


@dataclass(frozen=True, slots=True)
class ResultStore:
    """The results in a workspace's database."""

    engine: Engine

    @classmethod
    def at(cls, url: str) -> ResultStore:
        """The store of the database at an address, which is opened once; raises as `open_store` does."""
        return cls(opened_store(url))

    def where(self, filter_: Filter) -> ResultView:
        """The results that a filter lets through. Raises UsageError for a choice that is not `field=value`."""
        if not filter_.choices:
            return ResultView(self.engine, filter_)
        with self.engine.connect() as connection:
            return ResultView(self.engine, run_list.resolved(connection, filter_))

    def of(self, *experiment_ids: str) -> ResultView:
        """All results of some experiments."""
        return self.where(Filter(experiments=experiment_ids))

    def experiments(self) -> list[ExperimentRow]:
        """All experiments but pilots with their counts, the newest first."""
        with self.engine.connect() as connection:
            return run_list.experiments(connection)

    def experiment(self, experiment_id: str) -> ExperimentRow:
        """One experiment with its counts; raises UsageError for one that does not exist."""
        with self.engine.connect() as connection:
            return run_list.experiment(connection, experiment_id)

    def experiment_names(self) -> list[ExperimentName]:
        """All experiments but pilots, the newest first, without counting their answers."""
        with self.engine.connect() as connection:
            return run_list.experiment_names(connection)

    def spec(self, experiment_id: str) -> str:
        """An experiment's YAML; raises UsageError for one that does not exist."""
        with self.engine.connect() as connection:
            run_list.experiment(connection, experiment_id)
            return run_list.stored_experiment(connection, experiment_id).spec

    def state(self) -> tuple[float, ...]:
        """A value that changes when results do, read at once at any size."""
        with self.engine.connect() as connection:
            return run_list.state_of_results(connection)


@dataclass(frozen=True, slots=True)
class ResultView:
    """The cells that `filter` lets through, by the statements of `queries`."""

    engine: Engine
    filter: Filter

    def with_filter(self, filter_: Filter) -> ResultView:
        """The results of the same store that another filter lets through. Raises as `ResultStore.where` does."""
        return ResultStore(self.engine).where(filter_)

    runs = _query(run_list.runs)
    metrics = _query(run_list.metrics)
    languages = _query(run_list.languages)
    evidence = _query(run_list.evidence)
    count = _query(instances.count)
    questions_by_score = _query(instances.questions_by_score)
    means = _query(aggregates.means)
    means_with_intervals = _query(aggregates.means_with_intervals)
    ranked_means = _query(aggregates.ranked_means)
    best_runs = _query(aggregates.best_runs)
    effort = _query(aggregates.effort)
    failures = _query(aggregates.failures)
    nothing_retrieved = _query(aggregates.nothing_retrieved)
    unscored = _query(aggregates.unscored)
    flows = _query(aggregates.flows)
    values_by_question = _query(score_arrays.values_by_question)
    values_by_answer = _query(score_arrays.values_by_answer)
    question_numbers = _query(score_arrays.question_numbers)

    def instances_of(self, cells: Sequence[tuple[int, int]]) -> list[Instance]:
        """The cells with these runs and questions (stored ids), in this order, whatever the filter."""
        with self.engine.connect() as connection:
            return instances.instances_of(connection, cells)

    def all_instances(self, *, failed: bool | None = None) -> Iterator[Instance]:
        """Every cell in the order in which they were written, read `CELLS_AT_ONCE` at a time."""
        after = 0
        while page := self.instances(limit=CELLS_AT_ONCE, failed=failed, after=after):
            yield from page
            after = page[-1].answer

    instances = _query(instances.instances)


FILTER_NAME_LIMIT = 80
QUERY_LIMIT = 20_000


@dataclass(frozen=True, slots=True)
class SavedFilter:
    """A filter's name, the part of the URL that it stands for, and when it was saved, in seconds since 1970."""

    name: str
    query: str
    saved: float


class SavedFilters:
    """The saved filters of one screen, such as “inspect”, over the database of the results."""

    def __init__(self, store: ResultStore, screen: str) -> None:
        self._engine, self._screen = store.engine, screen

    def all(self) -> tuple[SavedFilter, ...]:
        """All of them, by name."""
        f = saved_filters.c
        statement = select(f.name, f.query, f.saved).where(f.screen == self._screen).order_by(f.name)
        with self._engine.connect() as connection:
            return tuple(SavedFilter(*row) for row in connection.execute(statement))

    @verb("filters.save", "{name}")
    def save(self, name: str, query: str, now: float | None = None) -> SavedFilter:
        """Saves a filter; one of the same name is replaced. Raises UsageError for a name that is not one."""
        title = unicodedata.normalize("NFC", " ".join(name.split()))
        if not 1 <= len(title) <= FILTER_NAME_LIMIT or not title.isprintable():
            raise UsageError(
                f"“{shorten(name)}” cannot be the name of a filter: "
                f"type 1 to {FILTER_NAME_LIMIT} letters, digits or signs."
            )
        if len(query) > QUERY_LIMIT:
            raise UsageError("This filter is too long to be saved: choose fewer runs or a shorter search.")
        row = SavedFilter(title, query, time.time() if now is None else now)
        with alone(self._engine) as connection:
            connection.execute(delete(saved_filters).where(*self._of(title)))
            values = {"name": row.name, "screen": self._screen, "query": row.query, "saved": row.saved}
            connection.execute(insert(saved_filters).values(values))
        return row

    @verb("filters.save", "{name}")
    def delete(self, name: str) -> None:
        """Deletes a filter. Raises UsageError for one that does not exist."""
        with alone(self._engine) as connection:
            if not connection.execute(delete(saved_filters).where(*self._of(name))).rowcount:
                raise unknown_name("filter", name, (item.name for item in self.all()))

    def _of(self, name: str) -> tuple[ColumnElement[bool], ...]:
        return saved_filters.c.name == name, saved_filters.c.screen == self._screen
