"""The process of an indexing job, but at ordinary priority: tests wait for it, also on a machine that is busy."""

from __future__ import annotations

from workbench.jobs.indexing import index_worker
from workbench.workspace import detached


def main() -> None:
    detached.stand_back = lambda: None
    index_worker.main()


if __name__ == "__main__":
    main()
