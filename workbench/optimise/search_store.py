"""The searches of a workspace: what is searched and how, what it spent and came to, and its job."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import uuid4

from sqlalchemy import Engine, Row, delete, func, insert, select, update

from workbench.app import Workbench
from workbench.core import UsageError, shorten
from workbench.experiments import ExperimentInputs
from workbench.optimise.recipe_evaluator import material_fingerprint, material_of
from workbench.optimise.space.search_space import SearchSpace
from workbench.optimise.space.space_files import space_from_text, space_to_yaml
from workbench.optimise.spending import Cap, SearchOptions, Spent, spent_from_json
from workbench.pipeline import Recipe
from workbench.workspace import JOB_COLUMNS, Job, Jobs, job_of, tables as t, verb, writing

COLUMNS = tuple(t.searches.c)
SEARCHES = select(*COLUMNS, *(column.label(f"job_{column.name}") for column in JOB_COLUMNS)).outerjoin(
    t.jobs, t.jobs.c.id == t.searches.c.id
)
"""Searches with their jobs."""


@dataclass(frozen=True, slots=True)
class SearchRow:
    """A search and its job, None before its first start. `outcome` is empty as long as there is none."""

    id: str
    name: str
    spec: str
    options: SearchOptions
    material: str
    created: float
    spent: Spent
    outcome: Mapping[str, Any] = field(default_factory=dict)
    job: Job | None = None

    @property
    def active(self) -> bool:
        """Whether a process is at work on it or about to be."""
        return self.job is not None and self.job.active

    @property
    def state(self) -> str:
        """The state of its job, "" before its first start."""
        return self.job.state if self.job else ""

    @property
    def started(self) -> float:
        """When its job was last started, in seconds since 1970; 0 for never."""
        return self.job.started if self.job else 0.0

    @property
    def error(self) -> str:
        """Why it failed or was stopped, "" for no reason."""
        return self.job.error if self.job else ""

    @property
    def progress(self) -> Mapping[str, Any]:
        """What it is at, or was at its end; empty before it was started."""
        return self.job.result if self.job else {}

    @property
    def space(self) -> SearchSpace:
        """What is searched. Raises UsageError where this version of the workbench cannot read it any more."""
        return space_from_text(self.spec, self.name)


class SearchStore:
    """The searches of a workspace's database."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @verb("searches.start", "{space.name}")
    def add(self, workbench: Workbench, space: SearchSpace, options: SearchOptions) -> str:
        """Stores a search without starting it; returns its id. Raises UsageError for one without questions."""
        material = material_fingerprint(ExperimentInputs(workbench, material_of(space)), space)
        search_id = uuid4().hex[:12]
        row = {
            "id": search_id,
            "name": space.name,
            "spec": space_to_yaml(space),
            "options": options.model_dump_json(),
            "material": material,
            "created": time.time(),
            "spent": json.dumps(Spent().to_json()),
            "outcome": "",
        }
        with writing(self.engine) as connection:
            connection.execute(insert(t.searches), row)
        return search_id

    def row(self, search_id: str) -> SearchRow:
        """A search. Raises UsageError for one that does not exist."""
        with self.engine.connect() as connection:
            row = connection.execute(SEARCHES.where(t.searches.c.id == search_id)).one_or_none()
        if row is None:
            raise UsageError(f"There is no search “{shorten(search_id)}”.", command="Type: mrag optimise list")
        return _search(row)

    def rows(self) -> list[SearchRow]:
        """All searches, the newest first."""
        with self.engine.connect() as connection:
            statement = SEARCHES.order_by(t.searches.c.created.desc(), t.searches.c.id)
            return [_search(row) for row in connection.execute(statement)]

    def update(self, search_id: str, **values: object) -> None:
        """Stores values of columns; mappings as JSON."""
        stored = {name: json.dumps(item) if isinstance(item, Mapping) else item for name, item in values.items()}
        with writing(self.engine) as connection:
            connection.execute(update(t.searches).where(t.searches.c.id == search_id).values(**stored))

    def recipes(self, search_id: str) -> list[Recipe]:
        """The recipes that were measured, in the order in which that began."""
        with self.engine.connect() as connection:
            statement = select(t.search_recipes.c.recipe).where(t.search_recipes.c.search_id == search_id)
            rows: Sequence[str] = connection.execute(statement.order_by(t.search_recipes.c.number)).scalars().all()
        return [Recipe.model_validate_json(row) for row in rows]

    def measured(self, search_id: str) -> int:
        """How many recipes were measured, in full or in part."""
        with self.engine.connect() as connection:
            statement = select(func.count()).where(t.search_recipes.c.search_id == search_id)
            return int(connection.execute(statement).scalar_one())

    @verb("searches.delete", "{search_id}")
    def remove(self, search_id: str) -> None:
        """Removes a search with all that was measured, in one transaction; cached steps stay."""
        with writing(self.engine) as connection:
            for table in (t.search_measurements, t.search_recipes):
                connection.execute(delete(table).where(table.c.search_id == search_id))
            connection.execute(delete(t.searches).where(t.searches.c.id == search_id))


def _search(row: Row[Any]) -> SearchRow:
    width = len(COLUMNS)
    values = dict(zip((column.name for column in COLUMNS), row[:width], strict=True))
    values["options"] = SearchOptions.model_validate_json(values["options"])
    values["spent"] = spent_from_json(json.loads(values["spent"]))
    values["outcome"] = json.loads(values["outcome"] or "{}")
    return SearchRow(**values, job=None if row[width] is None else job_of(row[width:]))


class SearchJobs(Jobs):
    """The searches of a workspace; each job has the id of its search."""

    kind = "search"

    @property
    def store(self) -> SearchStore:
        """The searches as they are stored."""
        return SearchStore(self.engine)

    @verb("searches.start", "{space.name}")
    def create(self, workbench: Workbench, space: SearchSpace, options: SearchOptions) -> str:
        """Stores a search without starting it; returns its id. Raises UsageError for one that has no questions."""
        return self.store.add(workbench, space, options)

    @verb("searches.start", "{search_id}")
    def start(self, search_id: str, cap: Cap | None = None) -> None:
        """Starts, or resumes, a search in a process; `cap` replaces its cap.

        Raises UsageError for a search that does not exist, is finished or is being worked on.
        """
        if self.status(search_id).state == "done":
            raise UsageError(f"The search “{shorten(search_id)}” is finished: nothing is left to measure.")
        with self.undisturbed(search_id) as claim:
            row = self.store.row(search_id)  # it may have been deleted meanwhile
            options = row.options if cap is None else row.options.model_copy(update={"cap": cap})
            self.store.update(search_id, options=options.model_dump_json(), outcome="")
            claim.launch(title=row.name)

    @verb("searches.stop", "{search_id}")
    def stop(self, search_id: str) -> bool:
        """Asks the search at work to stop after the steps that it is at; False where none is at work.

        Raises UsageError for a search that does not exist.
        """
        return self.status(search_id).active and self._stop(search_id)

    def status(self, search_id: str) -> SearchRow:
        """How a search stands. Raises UsageError for one that does not exist."""
        return self._checked([self.store.row(search_id)])[0]

    def statuses(self) -> list[SearchRow]:
        """How all searches stand, the newest first."""
        return self._checked(self.store.rows())

    def winner(self, search_id: str) -> Recipe:
        """The best recipe that a search has come to. Raises UsageError as long as there is none."""
        row = self.status(search_id)
        best = row.outcome.get("best") or (row.progress.get("best") or {}).get("recipe")
        if not best:
            raise UsageError(f"The search “{shorten(search_id)}” has measured no recipe yet: let it go on first.")
        return Recipe.model_validate(best)

    @verb("searches.delete", "{search_id}")
    def discard(self, search_id: str) -> None:
        """Deletes a search with what was measured and its job's files; cached steps stay.

        Raises UsageError for a search that does not exist or is being worked on.
        """
        self.store.row(search_id)
        with self.undisturbed(search_id) as claim:
            self.store.remove(search_id)
            claim.remove()

    def _checked(self, rows: list[SearchRow]) -> list[SearchRow]:
        checked = {job.id: job for job in self.checked([row.job for row in rows if row.job is not None])}
        return [replace(row, job=checked.get(row.id)) for row in rows]
