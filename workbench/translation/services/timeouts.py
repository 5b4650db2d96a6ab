"""Waiting no longer than asked for calls that know no time-out of their own.

deep-translator's engines call `requests` without one, so that a silent server would hold them for ever.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from threading import Thread
from typing import Any

LONGEST_SILENCE = 60.0
"""Seconds without a byte after which an abandoned connection is given up, so that its thread ends too."""


class TooSlowError(Exception):
    """The call took longer than allowed; it may still be running, its result is lost."""


def within(seconds: float, call: Callable[[], str | None]) -> str | None:
    """What `call` gives, or raises what it raises. Raises TooSlowError after `seconds`."""
    results: list[str | None] = []
    errors: list[Exception] = []

    def run() -> None:
        try:
            results.append(call())
        except Exception as error:  # handed over to the caller's thread
            errors.append(error)

    thread = Thread(target=run, daemon=True, name="translation call")
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        raise TooSlowError
    return results[0]


def limit_silence(module: str) -> None:
    """Makes the `requests` calls of a deep-translator module end after LONGEST_SILENCE without an answer."""
    engine: Any = importlib.import_module(module)
    if not isinstance(engine.requests, _Impatient):
        engine.requests = _Impatient(engine.requests)


class _Impatient:
    """The module `requests`, whose calls have a time-out where none is given."""

    def __init__(self, requests: Any) -> None:
        self._requests = requests

    def get(self, *arguments: Any, **named: Any) -> Any:
        return self._requests.get(*arguments, **{"timeout": LONGEST_SILENCE, **named})

    def post(self, *arguments: Any, **named: Any) -> Any:
        return self._requests.post(*arguments, **{"timeout": LONGEST_SILENCE, **named})

    def __getattr__(self, name: str) -> Any:
        return getattr(self._requests, name)
