"""An import that has begun and not ended: invisible, and removed once the process that began it is gone.

Its experiment is of the kind `importing`, which no list shows, until everything is written. A locked file in the
workspace, `jobs/<id>.importing`, says that it goes on; one that nobody locks was left by an import that was killed, or
could not even remove what it had written because the disk was full.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout
from sqlalchemy import Engine

from workbench.experiments.results.queries.experiment_list import IMPORTING
from workbench.experiments.results.writer import new_id, remove, set_kind

FOLDER, SUFFIX = "jobs", ".importing"


@contextmanager
def unfinished_import(engine: Engine, home: Path, kind: str) -> Iterator[str]:
    """The id for an experiment that the block stores as `importing` and fills; at the end it becomes one of `kind`.

    Where the block raises, nothing of it stays. What earlier imports of this workspace left is removed first.
    """
    folder = home / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    _sweep(engine, folder)
    experiment_id = new_id()
    place = folder / f"{experiment_id}{SUFFIX}"
    with FileLock(place):
        try:
            yield experiment_id
            set_kind(engine, experiment_id, kind)
        except BaseException:
            remove(engine, experiment_id, IMPORTING)
            place.unlink(missing_ok=True)
            raise
        place.unlink(missing_ok=True)


def _sweep(engine: Engine, folder: Path) -> None:
    """Removes what imports whose process is gone have written."""
    for place in folder.glob(f"*{SUFFIX}"):
        try:
            with FileLock(place, timeout=0):
                remove(engine, place.name.removesuffix(SUFFIX), IMPORTING)
                place.unlink(missing_ok=True)
        except Timeout:
            continue  # it goes on
