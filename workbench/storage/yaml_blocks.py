"""Prompt files: YAML that is checked key by key and placeholder by placeholder before any of it is used.

A placeholder is a name in single braces, `{question}`. A text that people or documents wrote is only ever put in
the place of one; it is never read for placeholders itself. Every fault is one DataError that names the file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable

import regex
import yaml

from workbench.errors import DataError, shorten

PLACEHOLDER = regex.compile(r"\{([A-Za-z_]+)\}")
BRACE = regex.compile(r"[{}]")


def fill(template: str, values: Mapping[str, str]) -> str:
    """`template` with each placeholder replaced by its value, in one pass: braces inside a value stay as they are.

    >>> fill("{a} and {b}", {"a": "{b}", "b": "%s"})
    '{b} and %s'

    Raises KeyError for a placeholder without a value: the files are checked, so that is a fault of the program.
    """
    filled: str = PLACEHOLDER.sub(lambda found: values[found.group(1)], template)
    return filled


@dataclass(frozen=True, slots=True)
class Block:
    """A mapping of a prompt file, and where it lies, for messages."""

    where: str
    values: Mapping[object, object]

    def fault(self, what: str) -> DataError:
        """The error for `what` is wrong here."""
        return DataError(f"Prompt file {self.where}: {what}.")

    def only(self, allowed: Collection[str]) -> None:
        """Raises DataError unless the keys are exactly `allowed`."""
        listed = ", ".join(allowed)
        for key in self.values:
            if key not in allowed:
                raise self.fault(f"unknown key “{shorten(key)}”; allowed are {listed}")
        for key in allowed:
            if key not in self.values:
                raise self.fault(f"key “{key}” is missing; needed are {listed}")

    def text(self, key: str, placeholders: Mapping[str, int] | None = None) -> str:
        """The text under `key`, which holds each placeholder exactly as often as `placeholders` says."""
        value = self.values.get(key)
        if not isinstance(value, str) or not value.strip():
            raise self.fault(f"“{key}” must be a text that is not empty (quote it), not “{shorten(value)}”")
        wanted = Counter(dict(placeholders or {}))
        given = Counter(PLACEHOLDER.findall(value))
        if given != wanted or BRACE.search(PLACEHOLDER.sub("", value)):
            raise self.fault(f"“{key}” must hold {_listed(wanted)} and no other brace, not {_listed(given)}")
        return value

    def flag(self, key: str) -> bool:
        """The yes or no under `key`."""
        value = self.values.get(key)
        if not isinstance(value, bool):
            raise self.fault(f"“{key}” must be true or false, not “{shorten(value)}”")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """The list of texts under `key`, at least one, without placeholders."""
        value = self.values.get(key)
        if (
            not isinstance(value, list)
            or not value
            or not all(isinstance(item, str) and item.strip() for item in value)
        ):
            raise self.fault(f"“{key}” must be a list of texts that are not empty, not “{shorten(value)}”")
        return tuple(value)

    def block(self, key: str) -> Block:
        """The mapping under `key`."""
        value = self.values.get(key)
        if not isinstance(value, dict):
            raise self.fault(f"“{key}” must hold keys of its own, not “{shorten(value)}”")
        return Block(f"{self.where}, {key}", value)


def read(file: Traversable) -> Block:
    """A prompt file as a block. Raises DataError for one that is missing, not UTF-8, not YAML or not a mapping."""
    try:
        value = yaml.safe_load(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(f"Prompt file {file.name} is missing.") from None
    except UnicodeDecodeError:
        raise DataError(f"Prompt file {file.name} is not UTF-8; save it as UTF-8.") from None
    except (yaml.YAMLError, ValueError) as error:  # ValueError: an impossible date, say
        raise DataError(f"Prompt file {file.name} is not YAML: {shorten(error, 160)}.") from None
    if not isinstance(value, dict):
        raise DataError(f"Prompt file {file.name} must hold keys, not “{shorten(value)}”.")
    return Block(file.name, value)


def _listed(counts: Mapping[str, int]) -> str:
    names = [f"{{{name}}}" + (f" {times} times" if times > 1 else "") for name, times in sorted(counts.items())]
    return ", ".join(names) or "no placeholder"
