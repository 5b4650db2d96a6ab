"""Prompt files: YAML that is checked key by key and placeholder by placeholder before any of it is used.

A placeholder is a name in single braces, `{question}`. Texts that people or documents wrote are only ever substituted
for one; they are never searched for placeholders themselves. Every error is a DataError that names the file. Files by
language are a folder of `<code>.yaml`, complete for the workbench's languages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable

import regex
import yaml

from workbench.core import DataError, shorten
from workbench.languages import CHIRKOVA_LANGUAGES

READERS = ("authors", "native speaker")
"""Who may have read a file's texts, as its `reviewed_by` says."""


def language_blocks(folder: Traversable, need: str) -> dict[str, Block]:
    """The files of a folder by the code of their language, in the order of the codes.

    `need` says what the languages are for, for messages: “judges are asked in”. Raises DataError, one sentence with the
    file's name, for a language of Chirkova et al. (2024) without a file, and for a file that states another language.
    """
    paths = {item.name.removesuffix(".yaml"): item for item in folder.iterdir() if item.name.endswith(".yaml")}
    for code in CHIRKOVA_LANGUAGES:
        if code not in paths:
            raise DataError(f"Prompt file {code}.yaml is missing: {need} {', '.join(CHIRKOVA_LANGUAGES)}.")
    blocks = {code: read_block(paths[code]) for code in sorted(paths)}
    for code, block in blocks.items():
        if block.values.get("language", code) != code:
            raise block.error(f"“language” must be “{code}”, as the file is named")
    return blocks


PLACEHOLDER = regex.compile(r"\{([A-Za-z_]+)\}")
BRACE = regex.compile(r"[{}]")


def fill(template: str, values: Mapping[str, str]) -> str:
    """`template` with each placeholder replaced by its value, in one pass: braces inside a value stay as they are.

    >>> fill("{a} and {b}", {"a": "{b}", "b": "%s"})
    '{b} and %s'

    Raises KeyError for a placeholder without a value: the files are checked, so that is a bug.
    """
    filled: str = PLACEHOLDER.sub(lambda match: values[match.group(1)], template)
    return filled


@dataclass(frozen=True, slots=True)
class Block:
    """A mapping of a prompt file, and its place in the file, for messages."""

    where: str
    values: Mapping[object, object]

    def error(self, reason: str) -> DataError:
        """The error with `reason`, a clause that starts in lower case, and with the block's place."""
        return DataError(f"Prompt file {self.where}: {reason}.")

    def check_keys(self, allowed: Collection[str]) -> None:
        """Raises DataError unless the keys are exactly `allowed`."""
        listed = ", ".join(allowed)
        for key in self.values:
            if key not in allowed:
                raise self.error(f"unknown key “{shorten(key)}”; allowed are {listed}")
        for key in allowed:
            if key not in self.values:
                raise self.error(f"key “{key}” is missing; needed are {listed}")

    def text(self, key: str, placeholders: Mapping[str, int] | None = None) -> str:
        """The text under `key`, with each placeholder exactly as often as `placeholders` says.

        Raises DataError where the text is missing or empty, or has other braces.
        """
        value = self.values.get(key)
        if not isinstance(value, str) or not value.strip():
            raise self.error(f"“{key}” must be a text that is not empty (quote it), not “{shorten(value)}”")
        expected = Counter(dict(placeholders or {}))
        counts = Counter(PLACEHOLDER.findall(value))
        if counts != expected or BRACE.search(PLACEHOLDER.sub("", value)):
            raise self.error(f"“{key}” must hold {_listed(expected)} and no other brace, not {_listed(counts)}")
        return value

    def choice(self, key: str, allowed: Collection[str]) -> str:
        """The text under `key`, one of `allowed`. Raises DataError for any other value."""
        value = self.values.get(key)
        if not isinstance(value, str) or value not in allowed:
            raise self.error(f"“{key}” must be one of {', '.join(allowed)}, not “{shorten(value)}”")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """The texts under `key`, at least one; placeholders are not looked for. Raises DataError for another value."""
        value = self.values.get(key)
        if (
            not isinstance(value, list)
            or not value
            or not all(isinstance(item, str) and item.strip() for item in value)
        ):
            raise self.error(f"“{key}” must be a list of texts that are not empty, not “{shorten(value)}”")
        return tuple(value)

    def block(self, key: str) -> Block:
        """The mapping under `key`. Raises DataError for any other value."""
        value = self.values.get(key)
        if not isinstance(value, dict):
            raise self.error(f"“{key}” must hold keys itself, not “{shorten(value)}”")
        return Block(f"{self.where}, {key}", value)


def read_block(file: Traversable) -> Block:
    """The contents of a prompt file. Raises DataError where it is missing, not UTF-8, not YAML or not a mapping."""
    try:
        value = yaml.safe_load(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(f"Prompt file {file.name} is missing.") from None
    except UnicodeDecodeError:
        raise DataError(f"Prompt file {file.name} is not UTF-8; save it as UTF-8.") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: an impossible date, say
        raise DataError(f"Prompt file {file.name} is not YAML: {shorten(error, 160)}.") from None
    if not isinstance(value, dict):
        raise DataError(f"Prompt file {file.name} must hold keys, not “{shorten(value)}”.")
    return Block(file.name, value)


def _listed(counts: Mapping[str, int]) -> str:
    names = [f"{{{name}}}" + (f" {times} times" if times > 1 else "") for name, times in sorted(counts.items())]
    return ", ".join(names) or "no placeholder"
