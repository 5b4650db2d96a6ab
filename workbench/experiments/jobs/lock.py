"""A lock on a file that is taken before a process starts and handed to it: it is let go when the last holder dies.

So who works on what is known from the first moment to the last, however a process ends, and two never do.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

WAIT = 2.0
"""Seconds to go on trying: whoever looks at a lock holds it for a moment too."""


@contextmanager
def taken(path: Path) -> Iterator[int | None]:
    """Takes the lock; None where another holds it. Its number is for `pass_fds`: a process that was given it holds the
    lock from then on, and this one lets go at the end of the block.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        last = time.monotonic() + WAIT
        while not (mine := _locked(file.fileno(), fcntl.LOCK_EX)) and time.monotonic() < last:
            time.sleep(0.05)
        yield file.fileno() if mine else None


def keep(number: int) -> None:
    """Holds a lock that was handed to this process until it ends, and hands it to no other."""
    os.set_inheritable(number, False)


def held(path: Path) -> bool:
    """Whether some process holds the lock."""
    if not path.exists():
        return False
    with path.open("rb") as file:
        # A shared lock is refused while someone holds the whole one, and two who look do not disturb each other.
        return not _locked(file.fileno(), fcntl.LOCK_SH)


def _locked(number: int, kind: int) -> bool:
    try:
        fcntl.flock(number, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
