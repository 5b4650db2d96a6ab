"""Searches at work: each in a process that neither a closed tab nor the end of its parent stops.

As with experiments, progress and the wish to stop are in the database, and a lock that the process has from its first
moment tells one at work from one that was killed.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import Engine

from workbench.app import Workbench
from workbench.core import UsageError, shorten
from workbench.optimise.search_store import SearchRow, SearchStore
from workbench.optimise.space.search_space import SearchSpace
from workbench.optimise.spending.cap import Cap, SearchOptions
from workbench.pipeline import Recipe
from workbench.workspace import Settings, detached, lock, opened_store, verb

LOOK_AGAIN = 0.5
"""Seconds between looks at a search that is watched."""
LOG_LIMIT = 64_000
"""Characters of a log, its last ones, that are read."""
WORKER = "workbench.optimise.jobs.search_worker"


@dataclass(frozen=True, slots=True)
class SearchJobs:
    """The searches of a workspace and their processes."""

    settings: Settings

    @property
    def engine(self) -> Engine:
        """The workspace's database, opened once per process."""
        return opened_store(self.settings.database_url)

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
        row = self.status(search_id)
        if row.state == "done":
            raise UsageError(f"The search “{shorten(search_id)}” is finished: nothing is left to measure.")
        if row.active:
            raise _busy(search_id)
        with lock.acquired(self._lock_file(search_id)) as number:
            if number is None:
                raise _busy(search_id)
            row = self.store.row(search_id)  # it may have been deleted meanwhile
            options = row.options if cap is None else row.options.model_copy(update={"cap": cap})
            now = time.time()
            self.store.update(
                search_id,
                options=options.model_dump_json(),
                state="waiting",
                stop=False,
                pid=None,
                started=now,
                heartbeat=now,
                outcome="",
                error="",
            )
            detached.start(WORKER, [search_id], self.settings, lock_number=number, log=self._log_file(search_id))

    @verb("searches.stop", "{search_id}")
    def stop(self, search_id: str) -> bool:
        """Asks the search at work to stop after the steps that it is at; False where none is at work."""
        if not self.status(search_id).active:
            return False
        self.store.update(search_id, stop=True)
        return True

    def status(self, search_id: str) -> SearchRow:
        """How a search stands; "interrupted" where its process was killed. Raises UsageError for an unknown one."""
        return self._checked(self.store.row(search_id))

    def statuses(self) -> list[SearchRow]:
        """How all searches stand, the newest first."""
        return [self._checked(row) for row in self.store.rows()]

    def watch(self, search_id: str, seconds: float = LOOK_AGAIN) -> Iterator[SearchRow]:
        """The status again and again until no process is at work; the last one says how the search ended."""
        row = self.status(search_id)
        while row.active:
            yield row
            time.sleep(seconds)
            row = self.status(search_id)
        yield row

    def log(self, search_id: str) -> str:
        """The end of what the search's last process printed, "" where it printed nothing. Raises as `status` does."""
        self.store.row(search_id)
        path = self._log_file(search_id)
        return path.read_text(encoding="utf-8", errors="replace")[-LOG_LIMIT:] if path.exists() else ""

    def winner(self, search_id: str) -> Recipe:
        """The best recipe that a search has come to. Raises UsageError as long as there is none."""
        row = self.status(search_id)
        best = row.outcome.get("best") or (row.progress.get("best") or {}).get("recipe")
        if not best:
            raise UsageError(f"The search “{shorten(search_id)}” has measured no recipe yet: let it go on first.")
        return Recipe.model_validate(best)

    @verb("searches.delete", "{search_id}")
    def delete(self, search_id: str) -> None:
        """Deletes a search with what was measured and its process's files; cached steps stay.

        Raises UsageError for a search that does not exist or is being worked on.
        """
        if self.status(search_id).active:
            raise _busy(search_id)
        with lock.acquired(self._lock_file(search_id)) as number:
            if number is None:
                raise _busy(search_id)
            self.store.remove(search_id)
            for path in (self._log_file(search_id), self._lock_file(search_id)):
                path.unlink(missing_ok=True)

    def _checked(self, row: SearchRow) -> SearchRow:
        """A row as it was read, or as interrupted where its process is gone without having recorded an end."""
        if not row.active or lock.is_locked(self._lock_file(row.id)):
            return row
        # A process records its end before it releases the lock: what its row says after that was its last word.
        row = self.store.row(row.id)
        return replace(row, state="interrupted") if row.active else row

    def _lock_file(self, search_id: str) -> Path:
        return self.settings.home / detached.FOLDER / f"search-{search_id}.lock"

    def _log_file(self, search_id: str) -> Path:
        return self.settings.home / detached.FOLDER / f"search-{search_id}.log"


def _busy(search_id: str) -> UsageError:
    return UsageError(
        f"The search “{shorten(search_id)}” is being worked on. Stop it first, or wait until it ends.",
        command=f"Stop it: mrag optimise stop {shorten(search_id)}",
    )
