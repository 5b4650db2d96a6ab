"""Time limits for calls that have none.

The translators of deep-translator call `requests` without a time-out, so a silent server would block them for ever.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from threading import Thread
from typing import Any

DEFAULT_TIMEOUT = 60.0
"""Seconds without a byte after which an abandoned connection is closed, so that its thread ends too."""


class TooSlowError(Exception):
    """The call took longer than allowed; it may still be running, its result is lost."""


def call_within(seconds: float, call: Callable[[], str | None]) -> str | None:
    """What `call` returns, or raises what it raises. Raises TooSlowError after `seconds`."""
    results: list[str | None] = []
    errors: list[Exception] = []

    def run() -> None:
        try:
            results.append(call())
        except Exception as error:  # raised again in the caller's thread
            errors.append(error)

    thread = Thread(target=run, daemon=True, name="translation call")
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        raise TooSlowError
    return results[0]


def set_default_timeout(module_name: str) -> None:
    """Makes the `requests` calls of a deep-translator module end after DEFAULT_TIMEOUT without an answer."""
    module: Any = importlib.import_module(module_name)
    if not isinstance(module.requests, _RequestsWithTimeout):
        module.requests = _RequestsWithTimeout(module.requests)


class _RequestsWithTimeout:
    """The module `requests`, whose calls have a time-out where none is given."""

    def __init__(self, requests: Any) -> None:
        self._requests = requests

    def get(self, *arguments: Any, **options: Any) -> Any:
        return self._requests.get(*arguments, **{"timeout": DEFAULT_TIMEOUT, **options})

    def post(self, *arguments: Any, **options: Any) -> Any:
        return self._requests.post(*arguments, **{"timeout": DEFAULT_TIMEOUT, **options})

    def __getattr__(self, name: str) -> Any:
        return getattr(self._requests, name)
