"""What can go wrong because of what a person gave, said in one sentence.

Every error says what was given, what is allowed and what to type. Screens show the sentence as text,
the command line prints it on stderr and exits with `exit_code`.
"""

from __future__ import annotations

from collections.abc import Iterable

GIVEN_LIMIT = 60
"""Characters of an input repeated in a message; the rest is cut, since inputs may be huge."""


class WorkbenchError(Exception):
    """A failure with a sentence a person can act on. `exit_code` 1: it could not be done."""

    exit_code = 1


class UsageError(WorkbenchError):
    """The input itself is wrong. `exit_code` 2, as command lines do."""

    exit_code = 2


class DataError(UsageError):
    """A file holds something that cannot be taken; nothing of it was taken."""


class MissingError(WorkbenchError):
    """Something is needed that is not here; the message names the command that brings it."""


class TranslationFailed(WorkbenchError):
    """A translator gave no translation; the original is never passed off as one."""


class GenerationFailed(WorkbenchError):
    """A generator gave no answer."""


def shorten(given: object, limit: int = GIVEN_LIMIT) -> str:
    """`given` on one line, at most `limit` characters, for use in a message."""
    text = " ".join(str(given).split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def unknown(kind: str, given: object, allowed: Iterable[str], hint: str = "") -> UsageError:
    """The error for a name that is not one of `allowed`: what was given, what is allowed, what to type."""
    names = sorted(allowed)
    listed = ", ".join(names) if names else "none yet"
    tail = f" {hint}" if hint else (f" For example: {names[0]}" if names else "")
    return UsageError(f"Unknown {kind} “{shorten(given)}”. Allowed: {listed}.{tail}")
