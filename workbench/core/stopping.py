"""Stopping work that is under way: one way from whoever asks for it to the call that shall end.

Whoever begins work that may be stopped opens `stopping_with` with an event of theirs. What runs within, in the same
thread, asks for it; what hands work to other threads opens it there anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event


class JobStopped(BaseException):
    """Somebody asked the work to stop; what was finished is stored.

    Not an Exception: a stop may be raised anywhere, also where failures are caught one by one.
    """


_stop: ContextVar[Event | None] = ContextVar("stop", default=None)


@contextmanager
def stopping_with(stop: Event | None) -> Iterator[None]:
    """Within it, in this thread, work ends soon after the event is set."""
    token = _stop.set(stop)
    try:
        yield
    finally:
        _stop.reset(token)


def current_stop() -> Event | None:
    """The event of this thread's `stopping_with`, None outside of one."""
    return _stop.get()


def check_stop() -> None:
    """Raises JobStopped where the event of this thread's `stopping_with` is set."""
    stop = _stop.get()
    if stop is not None and stop.is_set():
        raise JobStopped
