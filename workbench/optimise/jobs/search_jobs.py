"""The searches of a workspace and their jobs: created, started, resumed and deleted."""

from __future__ import annotations

from dataclasses import replace

from workbench.app import Workbench
from workbench.core import UsageError, shorten
from workbench.optimise.search_store import SearchRow, SearchStore
from workbench.optimise.space.search_space import SearchSpace
from workbench.optimise.spending.cap import Cap, SearchOptions
from workbench.pipeline import Recipe
from workbench.workspace import Jobs, verb


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
