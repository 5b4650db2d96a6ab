"""The process of a search: `python -m workbench.optimise.jobs.search_worker SEARCH LOCK`.

It goes on to the end, a stop, the cap or a failure, and records which. LOCK is the number of the lock that it was
handed.
"""

from __future__ import annotations

import os
import sys
import time
from threading import Event

from workbench.app import Workbench
from workbench.core import JobStopped
from workbench.optimise.search_running import SearchRun
from workbench.optimise.search_store import SearchStore
from workbench.workspace import Settings, heartbeat, lock, opened_store, outcome_of, settings


def work(config: Settings, search_id: str) -> None:
    """Works on a search to the end, a stop or a failure, and records which."""
    store, stop = SearchStore(opened_store(config.database_url)), Event()
    store.update(search_id, state="running", pid=os.getpid())
    runs: list[SearchRun] = []

    def beat() -> None:
        store.update(search_id, heartbeat=time.time())
        for run in runs:
            run.save()
        if store.shall_stop(search_id):
            stop.set()

    def run_search() -> None:
        run = SearchRun(Workbench(config), store, store.row(search_id), stop)
        runs.append(run)
        run.run()

    with heartbeat(beat):
        state, error = outcome_of(run_search, JobStopped)
    for run in runs:
        run.save()
    store.update(search_id, state=state, error=error, heartbeat=time.time())


if __name__ == "__main__":
    lock_number = int(sys.argv[2])
    lock.keep(lock_number)
    work(settings.load(), sys.argv[1])
    lock.release(lock_number)
