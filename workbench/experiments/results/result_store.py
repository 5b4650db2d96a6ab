"""Reading results: a store of experiments, and views over the cells that a filter lets through.

This is the one way to results. The statements are in `queries`, by subject.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Engine

from workbench.experiments.results.filters import Dimension, Filter
from workbench.experiments.results.queries import (
    aggregates,
    experiment_list,
    instances,
    interval_queries,
    recipe_columns,
    run_list,
    score_arrays,
)
from workbench.experiments.results.queries.aggregates import Effort, Flow, MetricMean
from workbench.experiments.results.queries.experiment_list import ExperimentName, ExperimentRow
from workbench.experiments.results.queries.instances import PAGE, Instance
from workbench.experiments.results.queries.interval_queries import MeanWithInterval
from workbench.experiments.results.queries.run_list import StoredRun
from workbench.experiments.results.queries.score_arrays import MetricValues, Numbers
from workbench.workspace import opened_store

CELLS_AT_ONCE = 1_000
"""Cells that are read at once where all of them are read."""


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
        with self.engine.connect() as connection:
            return ResultView(self.engine, recipe_columns.resolved(connection, filter_))

    def of(self, *experiment_ids: str) -> ResultView:
        """All results of some experiments."""
        return self.where(Filter(experiments=experiment_ids))

    def experiments(self) -> list[ExperimentRow]:
        """All experiments but pilots with their counts, the newest first."""
        with self.engine.connect() as connection:
            return experiment_list.experiments(connection)

    def experiment(self, experiment_id: str) -> ExperimentRow:
        """One experiment with its counts; raises UsageError for one that does not exist."""
        with self.engine.connect() as connection:
            return experiment_list.experiment(connection, experiment_id)

    def experiment_names(self) -> list[ExperimentName]:
        """All experiments but pilots, the newest first, without counting their answers."""
        with self.engine.connect() as connection:
            return experiment_list.experiment_names(connection)

    def spec(self, experiment_id: str) -> str:
        """An experiment's YAML; raises UsageError for one that does not exist."""
        with self.engine.connect() as connection:
            experiment_list.experiment(connection, experiment_id)
            return experiment_list.stored_experiment(connection, experiment_id).spec

    def state(self) -> tuple[float, ...]:
        """A value that changes when results do, read at once at any size."""
        with self.engine.connect() as connection:
            return experiment_list.state_of_results(connection)


@dataclass(frozen=True, slots=True)
class ResultView:
    """The cells that `filter` lets through."""

    engine: Engine
    filter: Filter

    def with_filter(self, filter_: Filter) -> ResultView:
        """The results of the same store that another filter lets through. Raises as `ResultStore.where` does."""
        return ResultStore(self.engine).where(filter_)

    def runs(self) -> list[StoredRun]:
        """The runs, in the order in which they were stored."""
        with self.engine.connect() as connection:
            return run_list.runs(connection, self.filter)

    def metrics(self) -> list[str]:
        """The names of the metrics that some of the runs were scored by."""
        with self.engine.connect() as connection:
            return run_list.metrics(connection, self.filter)

    def languages(self) -> list[str]:
        """The codes of the question languages, in order."""
        with self.engine.connect() as connection:
            return run_list.languages(connection, self.filter)

    def count(self, *, failed: bool | None = None, conditions: Sequence[ColumnElement[bool]] = ()) -> int:
        """How many cells there are, only failed ones or only others where `failed` is given."""
        with self.engine.connect() as connection:
            return instances.count(connection, self.filter, failed=failed, conditions=conditions)

    def instances(
        self,
        *,
        start: int = 0,
        limit: int = PAGE,
        failed: bool | None = None,
        after: int = 0,
        conditions: Sequence[ColumnElement[bool]] = (),
        order: Sequence[ColumnElement[Any]] = (),
    ) -> list[Instance]:
        """A page of cells by `order`, then in the order in which they were written, with numbers above `after`."""
        with self.engine.connect() as connection:
            return instances.instances(
                connection,
                self.filter,
                start=start,
                limit=limit,
                failed=failed,
                after=after,
                conditions=conditions,
                order=order,
            )

    def all_instances(self, *, failed: bool | None = None) -> Iterator[Instance]:
        """Every cell in that order, read `CELLS_AT_ONCE` at a time."""
        after = 0
        while page := self.instances(limit=CELLS_AT_ONCE, failed=failed, after=after):
            yield from page
            after = page[-1].answer

    def instances_of(self, cells: Sequence[tuple[int, int]]) -> list[Instance]:
        """The cells with these runs and questions (stored ids), in this order, whatever the filter."""
        with self.engine.connect() as connection:
            return instances.instances_of(connection, cells)

    def means(self, metrics: Sequence[str], by: Sequence[Dimension] = ("run",)) -> list[MetricMean]:
        """Metrics by group, in the order of the groups' keys; raises UsageError for one that nothing was scored by."""
        with self.engine.connect() as connection:
            return aggregates.means(connection, self.filter, metrics, by)

    def means_with_intervals(self, metric: str, by: Sequence[Dimension] = ("run",)) -> list[MeanWithInterval]:
        """A metric by group with 95 % intervals over questions; raises as `means` does."""
        with self.engine.connect() as connection:
            return interval_queries.means_with_intervals(connection, self.filter, metric, by)

    def ranked_means(self, metric: str, by: Dimension) -> list[MetricMean]:
        """A metric by one dimension, the best first and the unscored last; raises as `means` does."""
        with self.engine.connect() as connection:
            return interval_queries.ranked_means(connection, self.filter, metric, by)

    def best_runs(self, metric: str, limit: int) -> tuple[list[MeanWithInterval], int]:
        """The `limit` best runs with intervals, and how many runs there are; raises as `means` does."""
        with self.engine.connect() as connection:
            return interval_queries.best_runs(connection, self.filter, metric, limit)

    def effort(self, by: Sequence[Dimension] = ("run",)) -> list[Effort]:
        """Answers, failures, mean seconds and tokens by group, in the order of the groups' keys."""
        with self.engine.connect() as connection:
            return aggregates.effort(connection, self.filter, by)

    def failures(self) -> list[tuple[str, int]]:
        """Why cells failed, and how many of each reason, the most frequent first."""
        with self.engine.connect() as connection:
            return aggregates.failures(connection, self.filter)

    def nothing_retrieved(self) -> list[tuple[int, int]]:
        """Run ids with the number of their answers that state that nothing was retrieved; runs without are left out."""
        with self.engine.connect() as connection:
            return aggregates.nothing_retrieved(connection, self.filter)

    def unscored(self, metric: str) -> list[tuple[str, int]]:
        """Why answers have no value of a metric, and how many of each reason, the most frequent first."""
        with self.engine.connect() as connection:
            return aggregates.unscored(connection, self.filter, metric)

    def flows(self) -> list[Flow]:
        """Documents by question language, document language and answer language."""
        with self.engine.connect() as connection:
            return aggregates.flows(connection, self.filter)

    def values_by_question(self, metric: str) -> dict[int, MetricValues]:
        """For each run that the filter names: values of a metric under the stored ids of questions."""
        with self.engine.connect() as connection:
            return score_arrays.values_by_question(connection, self.filter, metric)

    def values_by_answer(self, metric: str, step: int = 1) -> MetricValues:
        """Values of a metric under run and question together, of every `step`-th question."""
        with self.engine.connect() as connection:
            return score_arrays.values_by_answer(connection, self.filter, metric, step)

    def question_numbers(self) -> Numbers:
        """By stored id of a question: a number that it shares with its translations."""
        with self.engine.connect() as connection:
            return score_arrays.question_numbers(connection, self.filter)
