"""Sets of drafts in the workspace's database: what a generator wrote, and what people decided about it.

A set is what was written for one request under one name. The stores of questions and of demonstrations share what
is here: they differ in their tables and in the texts of a draft, which people may change.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, Generic, Literal, TypeVar

from pydantic import TypeAdapter
from sqlalchemy import Engine, Row, Table, case, delete, func, insert, select, update

from workbench.core import UsageError, shorten, unknown_name
from workbench.data import checked_name
from workbench.workspace import batched, verb, writing

Status = Literal["unwritten", "draft", "filtered", "accepted", "edited", "rejected"]
"""`unwritten`: nothing was written yet. `draft`: written, passed every filter, waits for a person. `filtered`: held
back by a filter, unless a person accepts it. The others are what a person decided."""
STATUSES: tuple[Status, ...] = ("unwritten", "draft", "filtered", "accepted", "edited", "rejected")
WAITING: tuple[Status, ...] = ("unwritten",)
COUNTED: tuple[Status, ...] = ("accepted", "edited")
"""The statuses of drafts that a person accepted."""
DECIDED: tuple[Status, ...] = (*COUNTED, "rejected")
NAME_LIMIT = 80
"""Characters of a reviewer's name."""
ROWS_AT_ONCE = 500


class Reviewable:
    """What every draft has: its set, its number in it from 1, its language, and what became of it.

    `filter` and `reason` say what held it back, "" where nothing did. Of an unwritten one, `reason` is why the last
    call failed. `reviewed` is in seconds since 1970, None before a person decided. `TEXTS` are the fields that people
    may change; a field `written_…` beside each has what the generator wrote.
    """

    __slots__ = ()
    TEXTS: ClassVar[tuple[str, ...]]
    set_name: str
    number: int
    language: str
    status: Status
    filter: str
    reason: str
    reviewer: str
    reviewed: float | None

    @property
    def is_edited(self) -> bool:
        """Whether a person changed what the generator wrote."""
        return any(getattr(self, text) != getattr(self, f"written_{text}") for text in self.TEXTS)


Item = TypeVar("Item", bound=Reviewable)
Request = TypeVar("Request")


@dataclass(frozen=True, slots=True)
class DraftSet(Generic[Request]):
    """A stored set: its name, its request, its corpus's fingerprint, and when it was created."""

    name: str
    request: Request
    corpus_version: str
    created: float


@dataclass(frozen=True, slots=True)
class DraftProgress:
    """How far a set is: drafts by status, filtered ones by filter, and how many are unwritten since a call failed."""

    by_status: Mapping[Status, int]
    by_filter: Mapping[str, int] = field(default_factory=dict)
    failed: int = 0

    @property
    def total(self) -> int:
        """All drafts of the set."""
        return sum(self.by_status.values())

    @property
    def counted(self) -> int:
        """The drafts that a person accepted."""
        return self.count(*COUNTED)

    def count(self, *statuses: Status) -> int:
        """The drafts with one of these statuses."""
        return sum(self.by_status.get(status, 0) for status in statuses)


class ReviewStore(ABC, Generic[Item, Request]):
    """The sets of one kind in a workspace, by the engine of its database."""

    item: type[Item]
    request: type[Request]
    sets_table: ClassVar[Table]
    drafts_table: ClassVar[Table]
    noun: ClassVar[str]
    command: ClassVar[str]
    """What lists the sets."""
    lists: ClassVar[Mapping[str, TypeAdapter[Any]]] = {}
    """The columns of a draft that hold JSON."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def _request(self, row: Row[Any]) -> Request:
        """The request of a set's row: JSON, unless a kind has columns for it."""
        return TypeAdapter(self.request).validate_json(row.request)

    def _request_values(self, request: Request) -> dict[str, Any]:
        """A request as a set's row has it."""
        return {"request": TypeAdapter(self.request).dump_json(request).decode()}

    @abstractmethod
    def _checked(self, texts: Sequence[str]) -> Sequence[str]:
        """The texts as a person may change them to. Raises UsageError."""

    def _check_edited(self, draft: Item) -> None:
        """Raises UsageError where a draft with other texts than were written fails a check of its kind."""

    def _draft(self, row: Row[Any]) -> Item:
        values = dict(row._mapping)
        values.update({name: adapter.validate_json(values[name]) for name, adapter in self.lists.items()})
        return self.item(**values)

    def _values(self, item: Item, *names: str) -> dict[str, Any]:
        """Columns of a draft, all where none is named."""
        columns = names or tuple(self.drafts_table.c.keys())
        values = {name: getattr(item, name) for name in columns}
        lists = {name: self.lists[name].dump_json(values[name]).decode() for name in columns if name in self.lists}
        return {**values, **lists}

    @verb("drafts.write", "{name}")
    def create(self, name: str, request: Request, version: str, drafts: Sequence[Item]) -> DraftSet[Request]:
        """Stores a set with its drafts; one that is there under the name with the same request is continued.

        `version` is the corpus's fingerprint. Raises UsageError for a bad name and where the name has another request.
        """
        draft_set = self.continued(name, request)
        if draft_set is not None:
            return draft_set
        draft_set = DraftSet(name, request, version, time.time())
        values = {"name": name, "corpus_version": version, "created": draft_set.created}
        with writing(self._engine) as connection:
            connection.execute(insert(self.sets_table).values(**values, **self._request_values(request)))
            for some in batched(drafts, ROWS_AT_ONCE):
                connection.execute(insert(self.drafts_table), [self._values(item) for item in some])
        return draft_set

    def continued(self, name: str, request: Request) -> DraftSet[Request] | None:
        """The set called `name`, which must have this request; None where there is none. Raises as `create` does."""
        checked_name(name, "dataset")
        draft_set = next((item for item in self.sets() if item.name == name), None)
        if draft_set is None:
            return None
        before, now = asdict(draft_set.request), asdict(request)  # type: ignore[call-overload]
        for key in now:
            if before[key] != now[key]:
                raise UsageError(
                    f"The set “{name}” was begun with “{shorten(before[key])}” as {key.replace('_', '-')}, not "
                    f"“{shorten(now[key])}”: type the same to continue it, or another name, for example: {name}-2"
                )
        return draft_set

    def sets(self) -> tuple[DraftSet[Request], ...]:
        """All sets, the newest first."""
        s = self.sets_table.c
        with self._engine.connect() as connection:
            rows = connection.execute(select(self.sets_table).order_by(s.created.desc(), s.name)).all()
        return tuple(DraftSet(row.name, self._request(row), row.corpus_version, row.created) for row in rows)

    def set_called(self, name: str) -> DraftSet[Request]:
        """The set called `name`. Raises UsageError for one that does not exist."""
        sets = {item.name: item for item in self.sets()}
        if name not in sets:
            raise unknown_name(self.noun, name, sets, command=f"Type: {self.command}")
        return sets[name]

    def numbers(self, name: str, statuses: Collection[Status] = ()) -> list[int]:
        """The numbers of a set's drafts with one of `statuses` (none: all), in order."""
        d = self.drafts_table.c
        statement = select(d.number).where(d.set_name == name).order_by(d.number)
        if statuses:
            statement = statement.where(d.status.in_(statuses))
        with self._engine.connect() as connection:
            return list(connection.scalars(statement))

    def drafts(
        self,
        name: str,
        statuses: Collection[Status] = (),
        *,
        language: str = "",
        start: int = 0,
        limit: int | None = None,
    ) -> list[Item]:
        """The drafts of a set by number, in a language ("": all) and with one of `statuses` (none: all)."""
        d = self.drafts_table.c
        statement = select(self.drafts_table).where(d.set_name == name).order_by(d.number).offset(start).limit(limit)
        if statuses:
            statement = statement.where(d.status.in_(statuses))
        if language:
            statement = statement.where(d.language == language)
        with self._engine.connect() as connection:
            return [self._draft(row) for row in connection.execute(statement)]

    def draft(self, name: str, number: int) -> Item:
        """One draft of a set. Raises UsageError for a set or a number that does not exist."""
        d = self.drafts_table.c
        statement = select(self.drafts_table).where(d.set_name == name, d.number == number)
        with self._engine.connect() as connection:
            row = connection.execute(statement).first()
        if row is None:
            total = self.progress(self.set_called(name).name).total
            raise UsageError(f"The set “{name}” has no draft {number}: type a number from 1 to {total:,}.")
        return self._draft(row)

    def counts(self, name: str) -> list[tuple[str, Status, str, int]]:
        """How many drafts of a set there are by language, status and filter."""
        d = self.drafts_table.c
        keys = (d.language, d.status, d.filter)
        statement = select(*keys, func.count()).where(d.set_name == name).group_by(*keys).order_by(*keys)
        with self._engine.connect() as connection:
            return [(row[0], row[1], row[2], int(row[3])) for row in connection.execute(statement)]

    def progress(self, name: str) -> DraftProgress:
        """How far a set is; of one that does not exist, nothing."""
        d = self.drafts_table.c
        failed = select(func.sum(case(((d.status == "unwritten") & (d.reason != ""), 1), else_=0)))
        by_status: dict[Status, int] = {}
        by_filter: dict[str, int] = {}
        for _, status, filter_, count in self.counts(name):
            by_status[status] = by_status.get(status, 0) + count
            if status == "filtered":
                by_filter[filter_] = by_filter.get(filter_, 0) + count
        with self._engine.connect() as connection:
            failures = connection.execute(failed.where(d.set_name == name)).scalar()
        return DraftProgress(by_status, by_filter, int(failures or 0))

    @verb("drafts.write")
    def record(self, outcomes: Sequence[Item]) -> None:
        """Stores what was written; drafts that somebody wrote or decided in the meantime stay as they are."""
        d = self.drafts_table.c
        with writing(self._engine) as connection:
            for item in outcomes:
                mine = (d.set_name == item.set_name, d.number == item.number, d.status == "unwritten")
                connection.execute(update(self.drafts_table).where(*mine).values(**self._written(item)))

    @verb("drafts.review", "{name}")
    def accept(self, name: str, number: int, reviewer: str) -> Item:
        """Accepts a draft as it was written. Raises UsageError as `edit` does."""
        draft = self.draft(name, number)
        return self.edit(name, number, reviewer, *(getattr(draft, f"written_{text}") for text in self.item.TEXTS))

    @verb("drafts.review", "{name}")
    def edit(self, name: str, number: int, reviewer: str, *texts: str) -> Item:
        """Accepts a draft with other texts: `edited` where they differ from what was written.

        Raises UsageError for texts that are not allowed, for a name that is not one, and for an unknown draft.
        """
        values = dict(zip(self.item.TEXTS, self._checked(texts), strict=True))
        draft = _with(self.draft(name, number), **values)
        if draft.is_edited:
            self._check_edited(draft)
        return self._decide([draft], "edited" if draft.is_edited else "accepted", reviewer)[0]

    @verb("drafts.review", "{name}")
    def reject(self, name: str, numbers: Sequence[int], reviewer: str) -> None:
        """Rejects drafts, all or none of them. Raises UsageError as `edit` does."""
        self._decide([self.draft(name, number) for number in numbers], "rejected", reviewer)

    @verb("drafts.review", "{name}")
    def undo(self, name: str, number: int) -> Item:
        """Takes a decision back: the draft is as it was written, and waits again. Raises UsageError as `draft` does."""
        draft = self.draft(name, number)
        if draft.status not in DECIDED:
            return draft
        status: Status = "filtered" if draft.filter else "draft"
        texts = {text: getattr(draft, f"written_{text}") for text in self.item.TEXTS}
        before = _with(draft, status=status, reviewer="", reviewed=None, **texts)
        self._store([before])
        return before

    @verb("drafts.write", "{name}")
    def remove(self, name: str) -> None:
        """Deletes a set with its drafts; a dataset that was made of it stays. Raises UsageError for an unknown one."""
        self.set_called(name)
        with writing(self._engine) as connection:
            connection.execute(delete(self.drafts_table).where(self.drafts_table.c.set_name == name))
            connection.execute(delete(self.sets_table).where(self.sets_table.c.name == name))

    def _written(self, item: Item) -> dict[str, Any]:
        """The columns that writing sets."""
        written = {f"written_{text}": getattr(item, text) for text in self.item.TEXTS}
        return {**self._values(item, "status", "filter", "reason", *self.item.TEXTS), **written}

    def _decide(self, drafts: Sequence[Item], status: Status, reviewer: str) -> list[Item]:
        person = " ".join(reviewer.split())
        if not 1 <= len(person) <= NAME_LIMIT or not person.isprintable():
            raise UsageError(
                f"“{shorten(reviewer)}” cannot be the reviewer's name: type 1 to {NAME_LIMIT} letters, digits or signs."
            )
        for draft in drafts:
            if draft.status == "unwritten":
                raise UsageError(f"Nothing is written for draft {draft.number} yet: have it written first.")
        decided = [_with(draft, status=status, reviewer=person, reviewed=time.time()) for draft in drafts]
        self._store(decided)
        return decided

    def _store(self, drafts: Sequence[Item]) -> None:
        d = self.drafts_table.c
        with writing(self._engine) as connection:
            for draft in drafts:
                values = self._values(draft, "status", "reviewer", "reviewed", *self.item.TEXTS)
                mine = (d.set_name == draft.set_name, d.number == draft.number)
                connection.execute(update(self.drafts_table).where(*mine).values(**values))


def _with(draft: Item, **changes: Any) -> Item:
    changed: Item = replace(draft, **changes)  # type: ignore[type-var]
    return changed
