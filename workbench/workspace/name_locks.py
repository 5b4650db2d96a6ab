"""One change at a time to what has a name, such as a corpus or a dataset: by threads and by processes alike."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

FOLDER = ".locks"


@contextmanager
def name_lock(folder: Path, name: str) -> Iterator[None]:
    """Waits until nobody else changes `name` in `folder`, and lets nobody else until the end of the block.

    The thread that has it may take it again. It ends with the process, however that ends. Its file stays: removing it
    would let two in. `name` must be fit for a file's name. Raises OSError where the folder cannot be written to.
    """
    place = folder / FOLDER
    place.mkdir(parents=True, exist_ok=True)
    # One object per file and process, which counts the entries of each thread.
    lock: FileLock = FileLock(place / f"{name}.lock", is_singleton=True)
    with lock:
        yield
