"""The process of a job, but at ordinary priority: tests wait for it, also on a machine that is busy."""

from __future__ import annotations

from workbench.workspace import detached
from workbench.workspace.jobs import worker


def main() -> None:
    detached.stand_back = lambda: None
    worker.main()


if __name__ == "__main__":
    main()
