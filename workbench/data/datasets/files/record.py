"""One row of a file in any format: named values, and the row's place, so that errors can state it.

Every accessor either returns a value of its type or raises a DataError of one sentence with file and row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.core import DataError, shorten

NOTHING_IMPORTED = "so nothing was imported"


@dataclass(frozen=True, slots=True)
class Record:
    """A row: `where` names the file and the row (“dev.jsonl, line 7”), `values` are as the format gives them."""

    where: str
    values: Mapping[str, object]

    def error(self, problem: str) -> DataError:
        """Return the error for a `problem` of this row, a phrase such as “lacks …” or “contains …”."""
        return DataError(f"{self.where} {problem}, {NOTHING_IMPORTED}.")

    def has(self, name: str) -> bool:
        """Return whether there is a value called `name` that is not null."""
        return self.values.get(name) is not None

    def text(self, name: str) -> str:
        """Return a text without surrounding white space. Raises DataError if it is missing or empty."""
        value = self.values.get(name)
        if not isinstance(value, str):
            raise self.error(f"lacks a text “{shorten(name)}”")
        clean = cleaned(value)
        if not clean:
            raise self.error(f"has an empty “{shorten(name)}”")
        return clean

    def optional_text(self, name: str) -> str:
        """Return a text, "" if there is none. Raises DataError for another type."""
        value = self.values.get(name)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self.error(f"has a “{shorten(name)}” that is not a text")
        return cleaned(value)

    def id(self, name: str) -> str:
        """Return an id, a text that is not empty or an integer. Raises DataError for anything else."""
        value = self.values.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str) or not cleaned(value):
            raise self.error(f"lacks an id “{shorten(name)}”")
        return cleaned(value)

    def number(self, name: str) -> int:
        """Return an integer. Raises DataError for anything else."""
        value = self.values.get(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.error(f"lacks an integer “{shorten(name)}”")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts, each once, none empty; a single text is a list of one. Raises DataError otherwise."""
        value = self.values.get(name)
        items = [value] if isinstance(value, str) else value
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            raise self.error(f"lacks a list of texts “{shorten(name)}”")
        return unique_texts(items)

    def record(self, name: str) -> Record:
        """Return the object under `name`. Raises DataError if it is not one."""
        value = self.values.get(name)
        if not isinstance(value, dict):
            raise self.error(f"lacks an object “{shorten(name)}”")
        return Record(self.where, value)

    def records(self, name: str) -> list[Record]:
        """Return the list of objects under `name`. Raises DataError if it is not one."""
        value = self.values.get(name)
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.error(f"lacks a list of objects “{shorten(name)}”")
        return [Record(self.where, item) for item in value]


def cleaned(text: str) -> str:
    """Return `text` without byte order marks and surrounding white space."""
    return text.replace("\ufeff", "").strip()


def unique_texts(texts: list[str]) -> tuple[str, ...]:
    """Return each text once, cleaned, in order, without empty ones."""
    return tuple(dict.fromkeys(clean for text in texts if (clean := cleaned(text))))
