"""Filters by name: what a screen's filters choose, as the part of its URL that says so, kept in the workspace."""

from __future__ import annotations

import time
import unicodedata
from dataclasses import dataclass

from sqlalchemy import ColumnElement, delete, insert, select

from workbench.core import UsageError, shorten, unknown_name
from workbench.experiments.results.result_store import ResultStore
from workbench.workspace import alone, saved_filters, verb

FILTER_NAME_LIMIT = 80
QUERY_LIMIT = 20_000


@dataclass(frozen=True, slots=True)
class SavedFilter:
    """A filter's name, the part of the URL that it stands for, and when it was saved, in seconds since 1970."""

    name: str
    query: str
    saved: float


class SavedFilters:
    """The saved filters of one screen, such as “inspect”, over the database of the results."""

    def __init__(self, store: ResultStore, screen: str) -> None:
        self._engine, self._screen = store.engine, screen

    def all(self) -> tuple[SavedFilter, ...]:
        """All of them, by name."""
        f = saved_filters.c
        statement = select(f.name, f.query, f.saved).where(f.screen == self._screen).order_by(f.name)
        with self._engine.connect() as connection:
            return tuple(SavedFilter(*row) for row in connection.execute(statement))

    @verb("filters.save", "{name}")
    def save(self, name: str, query: str, now: float | None = None) -> SavedFilter:
        """Saves a filter; one of the same name is replaced. Raises UsageError for a name that is not one."""
        title = unicodedata.normalize("NFC", " ".join(name.split()))
        if not 1 <= len(title) <= FILTER_NAME_LIMIT or not title.isprintable():
            raise UsageError(
                f"“{shorten(name)}” cannot be the name of a filter: "
                f"type 1 to {FILTER_NAME_LIMIT} letters, digits or signs."
            )
        if len(query) > QUERY_LIMIT:
            raise UsageError("This filter is too long to be saved: choose fewer runs or a shorter search.")
        row = SavedFilter(title, query, time.time() if now is None else now)
        with alone(self._engine) as connection:
            connection.execute(delete(saved_filters).where(*self._of(title)))
            values = {"name": row.name, "screen": self._screen, "query": row.query, "saved": row.saved}
            connection.execute(insert(saved_filters).values(values))
        return row

    @verb("filters.save", "{name}")
    def delete(self, name: str) -> None:
        """Deletes a filter. Raises UsageError for one that does not exist."""
        with alone(self._engine) as connection:
            if not connection.execute(delete(saved_filters).where(*self._of(name))).rowcount:
                raise unknown_name("filter", name, (item.name for item in self.all()))

    def _of(self, name: str) -> tuple[ColumnElement[bool], ...]:
        return saved_filters.c.name == name, saved_filters.c.screen == self._screen
