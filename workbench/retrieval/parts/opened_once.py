"""What was opened or read of an index's folder, kept as long as the folder stays as it was.

A service opens a corpus's indexes for each question. Reading manifests, comparing checksums and mapping files took two
thirds of the time of an answer from the cache; looking whether the files are still the same takes a fraction of a
millisecond.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from pathlib import Path
from threading import Lock
from typing import TypeVar, cast

KEPT = 8
"""Folders, by kind of index, those used last. Files are mapped, but the bits of large dense indexes are in memory:
136 MB for a million vectors of 1,024 numbers."""

Value = TypeVar("Value")


class OpenedOnce:
    """The latest value by key, each valid for one state. Safe to share between threads."""

    def __init__(self, limit: int = KEPT) -> None:
        """`limit` is how many values are kept, those used last."""
        self._limit = limit
        self._lock = Lock()
        self._values: OrderedDict[Hashable, tuple[Hashable, object]] = OrderedDict()

    def get(self, key: Hashable, state: Hashable, make: Callable[[], Value]) -> Value:
        """The value under `key` if it is of `state`; else `make` returns it, and it replaces the former one.

        Threads that come at the same time may each make it. What `make` raises is raised, and nothing is kept. Of the
        state (), that of a folder which is not there, each value is made, and none is kept.
        """
        if state == ():
            with self._lock:
                self._values.pop(key, None)
            return make()
        with self._lock:
            stored = self._values.pop(key, None)
            if stored is not None and stored[0] == state:
                self._values[key] = stored
                return cast("Value", stored[1])
        value = make()
        with self._lock:
            self._values[key] = (state, value)
            self._values.move_to_end(key)
            while len(self._values) > self._limit:
                self._values.popitem(last=False)
        return value


OPENED = OpenedOnce()
"""That of this process."""


def folder_state(directory: Path) -> Hashable:
    """Changes whenever a file of `directory` is written, replaced, added or removed; () where there is no folder."""
    try:
        files = [(path.name, path.stat()) for path in directory.iterdir()]
    except OSError:
        return ()
    return tuple(sorted((name, stat.st_ino, stat.st_size, stat.st_mtime_ns) for name, stat in files))
