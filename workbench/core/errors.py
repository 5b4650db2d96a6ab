"""Errors that a person can act on, each as a message of one or two sentences.

A message says what was given, what is allowed and what to type. Screens show it as text; the command line prints it on
stderr and exits with `exit_code`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
NAMED = 12
"""Allowed names that a message lists."""
QUOTE_LIMIT = 60
"""Characters of an input that a message quotes; the rest is cut, since inputs may be huge."""


class WorkbenchError(Exception):
    """A failure with a message that a person can act on. `exit_code` 1: it could not be done.

    `command` is the sentence that only a command line needs, such as “For example: --scope all”: it ends the message
    there, and screens show `on_screen`, the message without it.
    """

    exit_code = 1

    def __init__(self, message: str = "", *, command: str = "") -> None:
        super().__init__(f"{message} {command}" if command else message)
        self.on_screen = message


class UsageError(WorkbenchError):
    """The input itself is wrong. `exit_code` 2, as command lines do."""

    exit_code = 2


class UndetectedLanguage(UsageError):
    """The language of a text cannot be told: it has to be chosen."""


class DataError(UsageError):
    """A file holds something that is not allowed; nothing of it was used."""


class MissingError(WorkbenchError):
    """Something is needed that is not on this machine; the message names the command that provides it."""


class TranslationFailed(WorkbenchError):
    """A translator gave no translation; the original is never presented as one."""


class GenerationFailed(WorkbenchError):
    """A generator gave no answer."""


class EmptyAnswer(GenerationFailed):
    """A generator was reached and wrote nothing."""


def is_panic(error: BaseException) -> bool:
    """Whether a package written in Rust panicked: pyo3's PanicException is not an Exception."""
    return type(error).__name__ == "PanicException"


def visible(text: str) -> str:
    """`text` with its control characters, and the marks that turn the direction of what follows, as their numbers.

    Line ends and tabs stay. A terminal obeys the others.
    """
    return COMMANDS.sub(lambda sign: ascii(sign.group())[1:-1], text)


def shorten(value: object, limit: int = QUOTE_LIMIT) -> str:
    """`value` as text on one line of at most `limit` characters, to quote in a message."""
    text = visible(" ".join(str(value).split()))
    return text if len(text) <= limit else text[: limit - 1] + "…"


def unknown_name(kind: str, name: object, allowed: Iterable[str], hint: str = "", *, command: str = "") -> UsageError:
    """The error for a name that is not one of `allowed`: what was given, what is allowed, what to type.

    Of many the first are listed, how many others there are, and those that are spelt like it. `command` is an example
    for the command line, in place of `hint`.
    """
    names = sorted(allowed)
    listed = ", ".join(names[:NAMED]) if names else "none yet"
    if (others := len(names) - NAMED) > 0:
        alike = get_close_matches(str(name).casefold(), names, 3, 0.5)
        listed += f" and {others:,} others" + (f"; spelt like it: {', '.join(alike)}" if alike else "")
    tail = f" {hint}" if hint else (f" For example: {names[0]}" if names and not command else "")
    return UsageError(f"Unknown {kind} “{shorten(name)}”. Allowed: {listed}.{tail}", command=command)
