"""The audit: who did what to what, when and where. Rows are added, and nothing here changes or removes one.

Questions are not recorded: they are many, and what people ask is theirs. Failed attempts to sign in are not recorded
either, because the name that was typed may be a password.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, Engine, Select, func, insert, select

from workbench.core import shorten
from workbench.workspace.csv_safety import csv_text
from workbench.workspace.database import writing
from workbench.workspace.permissions import SUBJECT_LIMIT, verb
from workbench.workspace.tables import audit_entries

Place = Literal["screen", "api", "command line"]
PERSON_LIMIT = 80
PAGE = 50
"""Rows of a page."""


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One row: `time` in seconds since 1970, `place` where it was done."""

    id: int
    time: float
    person: str
    verb: str
    subject: str
    place: str

    @property
    def moment(self) -> str:
        """The time in UTC as ISO 8601 has it, to the second."""
        return datetime.fromtimestamp(self.time, UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Which rows: of a person, a verb, a place, with words in the subject; "" for all. From `since` to `until`.

    The times are in seconds since 1970, None for no limit; `until` is excluded.
    """

    person: str = ""
    verb: str = ""
    place: str = ""
    words: str = ""
    since: float | None = None
    until: float | None = None

    def conditions(self) -> Iterator[ColumnElement[bool]]:
        """The filter in SQL."""
        a = audit_entries.c
        for column, value in ((a.person, self.person), (a.verb, self.verb), (a.place, self.place)):
            if value:
                yield column == value
        if self.words:
            yield a.subject.icontains(self.words, autoescape=True)
        if self.since is not None:
            yield a.time >= self.since
        if self.until is not None:
            yield a.time < self.until


EVERYTHING = AuditFilter()


class AuditLog:
    """The audit of a workspace's database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def append(self, person: str, verb_name: str, subject: str, place: Place) -> None:
        """Adds a row about now. `subject` is shortened to SUBJECT_LIMIT characters on one line."""
        values = {
            "time": time.time(),
            "person": shorten(person, PERSON_LIMIT),
            "verb": verb_name,
            "subject": shorten(subject, SUBJECT_LIMIT).replace("\x00", "�"),
            "place": place,
        }
        with writing(self._engine) as connection:
            connection.execute(insert(audit_entries).values(values))

    @verb("audit.look")
    def page(self, number: int = 1, filter_: AuditFilter = EVERYTHING, size: int = PAGE) -> Sequence[AuditEntry]:
        """The rows of a page, newest first; pages count from 1. Raises NotAllowed."""
        statement = self._newest_first(filter_).limit(size).offset((max(1, number) - 1) * size)
        with self._engine.connect() as connection:
            return [AuditEntry(*row) for row in connection.execute(statement)]

    @verb("audit.look")
    def count(self, filter_: AuditFilter = EVERYTHING) -> int:
        """How many rows a filter lets through. Raises NotAllowed."""
        statement = select(func.count()).select_from(audit_entries).where(*filter_.conditions())
        with self._engine.connect() as connection:
            return connection.execute(statement).scalar_one()

    @verb("audit.look")
    def as_csv(self, filter_: AuditFilter = EVERYTHING) -> str:
        """The rows of a filter as CSV, newest first, that no spreadsheet executes. Raises NotAllowed."""
        with self._engine.connect() as connection:
            entries = (AuditEntry(*row) for row in connection.execute(self._newest_first(filter_)))
            rows = ((entry.moment, entry.person, entry.verb, entry.subject, entry.place) for entry in entries)
            return csv_text([("time", "person", "verb", "subject", "place"), *rows])

    def _newest_first(self, filter_: AuditFilter) -> Select[Any]:
        a = audit_entries.c
        columns = (a.id, a.time, a.person, a.verb, a.subject, a.place)
        return select(*columns).where(*filter_.conditions()).order_by(a.id.desc())
