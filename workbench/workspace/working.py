"""What worker processes do besides their work: show that they live, see a stop, and say how they ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from workbench.core import WorkbenchError, is_panic, shorten

HEARTBEAT = 1.0
"""Seconds between heartbeats, and between looks at whether the work shall stop."""
ERROR_LIMIT = 300
"""Characters of an error that a library raised."""


@contextmanager
def heartbeat(beat: Callable[[], None]) -> Iterator[None]:
    """Calls `beat` at once and again and again while the block runs, in a thread."""
    ended = Event()

    def beat_on() -> None:
        while not ended.wait(HEARTBEAT):
            beat()

    beat()
    thread = Thread(target=beat_on, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def outcome_of(work: Callable[[], None], stopped: type[Exception]) -> tuple[str, str]:
    """Does the work; returns how it ended and, for a failure, why in a sentence.

    "done", "stopped" where it raised `stopped`, "failed" otherwise. What ends a process, as an interrupt from the
    keyboard, is passed on.
    """
    try:
        work()
    except stopped as reason:
        return "stopped", str(reason)
    except WorkbenchError as failure:
        return "failed", failure.on_screen
    except BaseException as failure:
        if not isinstance(failure, Exception) and not is_panic(failure):
            raise
        return "failed", f"{type(failure).__name__}: {shorten(failure, ERROR_LIMIT)}"
    return "done", ""
