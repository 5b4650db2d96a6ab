"""One row of a file, whatever its format: named values, and where the row stands, so that errors can say it.

Every accessor either gives a value of its type or raises a DataError of one sentence with file and row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.errors import DataError, shorten

NOTHING = "so nothing was imported"


@dataclass(frozen=True, slots=True)
class Record:
    """`where` names the file and the row (“dev.jsonl, line 7”); `values` are as the format gives them."""

    where: str
    values: Mapping[str, object]

    def wrong(self, what: str) -> DataError:
        """The error that this row `what` (“lacks …”, “holds …”)."""
        return DataError(f"{self.where} {what}, {NOTHING}.")

    def has(self, name: str) -> bool:
        """Whether there is a value called `name` that is not null."""
        return self.values.get(name) is not None

    def text(self, name: str) -> str:
        """A text that is not empty, without white space around it."""
        value = self.values.get(name)
        if not isinstance(value, str):
            raise self.wrong(f"lacks a text “{shorten(name)}”")
        clean = cleaned(value)
        if not clean:
            raise self.wrong(f"has an empty “{shorten(name)}”")
        return clean

    def text_or_none(self, name: str) -> str:
        """A text, "" where there is none."""
        value = self.values.get(name)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self.wrong(f"has a “{shorten(name)}” that is no text")
        return cleaned(value)

    def id(self, name: str) -> str:
        """A text or a whole number that names something."""
        value = self.values.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str) or not cleaned(value):
            raise self.wrong(f"lacks an id “{shorten(name)}”")
        return cleaned(value)

    def number(self, name: str) -> int:
        """A whole number."""
        value = self.values.get(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.wrong(f"lacks a whole number “{shorten(name)}”")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts, each once and none empty; a single text is a list of one."""
        value = self.values.get(name)
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, list) or not all(isinstance(item, str) for item in listed):
            raise self.wrong(f"lacks a list of texts “{shorten(name)}”")
        return once(listed)

    def record(self, name: str) -> Record:
        """The values under `name`."""
        value = self.values.get(name)
        if not isinstance(value, dict):
            raise self.wrong(f"lacks an object “{shorten(name)}”")
        return Record(self.where, value)

    def records(self, name: str) -> list[Record]:
        """The list of objects under `name`."""
        value = self.values.get(name)
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.wrong(f"lacks a list of objects “{shorten(name)}”")
        return [Record(self.where, item) for item in value]


def cleaned(text: str) -> str:
    """`text` without white space and byte order marks around it."""
    return text.replace("\ufeff", "").strip()


def once(texts: list[str]) -> tuple[str, ...]:
    """Each text once, cleaned, in order, none empty."""
    return tuple(dict.fromkeys(clean for text in texts if (clean := cleaned(text))))
