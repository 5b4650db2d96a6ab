"""The process of an indexing job: `python -m workbench.jobs.indexing.index_worker CORPUS ENCODER LOCK`.

It stands back behind whatever else the machine does, and records how it ends in the job's status. LOCK is the number of
the lock that it was handed.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from workbench.app import Workbench
from workbench.core import WorkbenchError
from workbench.jobs.indexing.index_building import IndexBuild, IndexingStopped
from workbench.jobs.indexing.index_jobs import ClaimedJob, IndexJobs
from workbench.workspace import Settings, detached, lock, settings


def work(config: Settings, name: str, encoder: str, lock_number: int) -> None:
    """Works on a job to its end, a stop or a failure; the job must have been claimed for this process.

    Raises UsageError for a corpus that does not exist any more.
    """
    bench = Workbench(config)
    manifest = bench.corpus(name).manifest
    files = IndexJobs(config).files(manifest, encoder)
    if files.read() is None:
        return  # the corpus was imported anew while this process started, and has a job of its own
    # A failure is in the status, for whoever looks.
    with suppress(IndexingStopped, WorkbenchError):
        IndexBuild(bench, manifest, encoder, ClaimedJob(files, lock_number), in_turn=True).run()


def main() -> None:
    """Takes the lock that was handed over, stands back and works."""
    name, encoder, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
    lock.keep(number)
    detached.stand_back()
    try:
        work(settings.load(), name, encoder, number)
    finally:
        # Now, not when the process has put away its memory: whoever resumes the job need not wait for that.
        os.close(number)


if __name__ == "__main__":
    main()
