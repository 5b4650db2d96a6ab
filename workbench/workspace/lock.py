"""Locks on files: of a process on its work, and of whoever changes what has a name.

The first is acquired before a process starts and handed to it, and is released when its holder ends. So who works on
what is known from the first moment to the last, however a process ends, and two never do.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

WAIT = 2.0
"""Seconds to go on trying: whoever looks at a lock has it for a moment too."""


@contextmanager
def acquired(path: Path) -> Iterator[int | None]:
    """Acquires the lock and yields its number; None where another has it.

    The number is for `pass_fds`: a process that was given it has the lock from then on, and this one releases it at the
    end of the block.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        deadline = time.monotonic() + WAIT
        while not (success := _try_lock(file.fileno(), fcntl.LOCK_EX)) and time.monotonic() < deadline:
            time.sleep(0.05)
        yield file.fileno() if success else None


def keep(number: int) -> None:
    """Keeps a lock that was handed to this process until the process ends, and hands it to no other."""
    os.set_inheritable(number, False)


def release(number: int) -> None:
    """Releases a lock that `keep` kept, before its process ends: that can take seconds after its last word."""
    os.close(number)


def is_locked(path: Path) -> bool:
    """Whether some process has the lock."""
    if not path.exists():
        return False
    with path.open("rb") as file:
        # A shared lock is refused while someone has the exclusive one, and two who look do not disturb each other.
        return not _try_lock(file.fileno(), fcntl.LOCK_SH)


def _try_lock(number: int, kind: int) -> bool:
    try:
        fcntl.flock(number, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


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
