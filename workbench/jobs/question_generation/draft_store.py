"""Sets of drafts in the workspace's database: questions that a generator wrote, on their way to a dataset.

Stored are what was written from each passage, and what people decided.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from sqlalchemy import Engine, Row, case, delete, func, insert, select, update

from workbench.core import UsageError, shorten, unknown_name
from workbench.data import checked_name
from workbench.jobs.question_generation.draft_reply import LONGEST_ANSWER, LONGEST_QUESTION
from workbench.workspace import batched, tables as t, verb, writing

Status = Literal["unwritten", "draft", "filtered", "accepted", "edited", "rejected"]
"""`unwritten`: nothing was written from the passage yet. `draft`: written, passed every filter, waits for a person.
`filtered`: held back by a filter, unless a person accepts it. The others are what a person decided."""
STATUSES: tuple[Status, ...] = ("unwritten", "draft", "filtered", "accepted", "edited", "rejected")
WAITING: tuple[Status, ...] = ("unwritten",)
COUNTED: tuple[Status, ...] = ("accepted", "edited")
"""The statuses of questions that become part of the dataset."""
DECIDED: tuple[Status, ...] = (*COUNTED, "rejected")

FilterName = Literal["unreadable", "nothing to ask", "language", "wording", "not in passage", "known"]
FILTERS: Mapping[FilterName, str] = {
    "unreadable": "the reply has no question with an answer",
    "nothing to ask": "the generator saw nothing to ask of the passage",
    "language": "the question is in another language than the passage",
    "wording": "the question repeats too many of the passage's words",
    "not in passage": "the passage alone did not lead to the answer",
    "known": "the generator gives the answer without any document",
}
"""Each filter, in the order in which they are applied, and why it holds a draft back."""


@dataclass(frozen=True, slots=True)
class WritingRequest:
    """What determines a set: the same request gives the same passages of the same corpus.

    `checker` answers from the passage: a generator's name, or `extractive` for the built-in reader. `wording_bound` in
    [0, 1] is the largest copied share that passes (`wording.copied_share`). `languages` () stands for all.
    """

    corpus: str
    generator: str
    checker: str
    languages: tuple[str, ...] = ()
    per_language: int = 20
    seed: int = 0
    wording_bound: float = 0.75


@dataclass(frozen=True, slots=True)
class DraftSet:
    """A stored set: its name, which is that of its dataset too, its request, its corpus's fingerprint, and when."""

    name: str
    request: WritingRequest
    corpus_version: str
    created: float


@dataclass(frozen=True, slots=True)
class Draft:
    """One passage of a set (numbered from 1) and what was written from it; `passage` is its id.

    `filter` and `reason` state what held it back, "" where nothing did. Of an unwritten one, `reason` is why the last
    call failed. `reviewed` is in seconds since 1970, None before a person decided.
    """

    set_name: str
    number: int
    passage: str
    title: str
    text: str
    language: str
    status: Status = "unwritten"
    filter: str = ""
    reason: str = ""
    question: str = ""
    answer: str = ""
    written_question: str = ""
    written_answer: str = ""
    reviewer: str = ""
    reviewed: float | None = None

    @property
    def is_edited(self) -> bool:
        """Whether a person changed what the generator wrote."""
        return (self.question, self.answer) != (self.written_question, self.written_answer)


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
        """The questions that the dataset would have."""
        return sum(self.by_status.get(status, 0) for status in COUNTED)

    def count(self, *statuses: Status) -> int:
        """The drafts with one of these statuses."""
        return sum(self.by_status.get(status, 0) for status in statuses)


NAME_LIMIT = 80
"""Characters of a reviewer's name."""
ROWS_AT_ONCE = 500
REQUEST_COLUMNS = ("corpus", "generator", "checker", "languages", "per_language", "seed", "wording_bound")


class DraftStore:
    """The sets of a workspace, by the engine of its database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @verb("drafts.write", "{name}")
    def create(self, name: str, request: WritingRequest, version: str, drafts: Sequence[Draft]) -> DraftSet:
        """Stores a set with its drafts; one that is there under the name with the same request is continued.

        `version` is the corpus's fingerprint. Raises UsageError for a bad name and where the name has another request.
        """
        draft_set = self.continued(name, request)
        if draft_set is not None:
            return draft_set
        draft_set = DraftSet(name, request, version, time.time())
        values = {**asdict(request), "languages": " ".join(request.languages)}
        with writing(self._engine) as connection:
            connection.execute(
                insert(t.question_sets).values(name=name, corpus_version=version, created=draft_set.created, **values)
            )
            for some in batched(drafts, ROWS_AT_ONCE):
                connection.execute(insert(t.question_drafts), [asdict(item) for item in some])
        return draft_set

    def continued(self, name: str, request: WritingRequest) -> DraftSet | None:
        """The set called `name`, which must have this request; None where there is none. Raises as `create` does."""
        checked_name(name, "dataset")
        draft_set = next((item for item in self.sets() if item.name == name), None)
        return _same_request(draft_set, request) if draft_set else None

    def sets(self) -> tuple[DraftSet, ...]:
        """All sets, the newest first."""
        s = t.question_sets.c
        with self._engine.connect() as connection:
            rows = connection.execute(select(t.question_sets).order_by(s.created.desc(), s.name)).all()
        return tuple(_to_set(row) for row in rows)

    def set_called(self, name: str) -> DraftSet:
        """The set called `name`. Raises UsageError for one that does not exist."""
        sets = {item.name: item for item in self.sets()}
        if name not in sets:
            raise unknown_name("set of written questions", name, sets, command="Type: datasets review")
        return sets[name]

    def drafts(
        self,
        name: str,
        statuses: Collection[Status] = (),
        *,
        language: str = "",
        start: int = 0,
        limit: int | None = None,
    ) -> list[Draft]:
        """The drafts of a set by number, in a language ("": all) and with one of `statuses` (none: all)."""
        d = t.question_drafts.c
        statement = select(t.question_drafts).where(d.set_name == name).order_by(d.number).offset(start).limit(limit)
        if statuses:
            statement = statement.where(d.status.in_(statuses))
        if language:
            statement = statement.where(d.language == language)
        with self._engine.connect() as connection:
            return [Draft(**row._mapping) for row in connection.execute(statement)]

    def draft(self, name: str, number: int) -> Draft:
        """One draft of a set. Raises UsageError for a set or a number that does not exist."""
        d = t.question_drafts.c
        with self._engine.connect() as connection:
            row = connection.execute(select(t.question_drafts).where(d.set_name == name, d.number == number)).first()
        if row is None:
            total = self.progress(self.set_called(name).name).total
            raise UsageError(f"The set “{name}” has no draft {number}: type a number from 1 to {total:,}.")
        return Draft(**row._mapping)

    def progress(self, name: str) -> DraftProgress:
        """How far a set is; of one that does not exist, nothing."""
        d = t.question_drafts.c
        failed = func.sum(case(((d.status == "unwritten") & (d.reason != ""), 1), else_=0))
        statement = (
            select(d.status, d.filter, func.count().label("drafts"), failed.label("failed"))
            .where(d.set_name == name)
            .group_by(d.status, d.filter)
        )
        by_status: dict[Status, int] = {}
        by_filter: dict[str, int] = {}
        failures = 0
        with self._engine.connect() as connection:
            for row in connection.execute(statement):
                by_status[row.status] = by_status.get(row.status, 0) + int(row.drafts)
                failures += int(row.failed)
                if row.status == "filtered":
                    by_filter[row.filter] = int(row.drafts)
        return DraftProgress(by_status, by_filter, failures)

    def languages(self, name: str) -> Mapping[str, int]:
        """The number of a set's drafts by language, by code."""
        d = t.question_drafts.c
        statement = select(d.language, func.count()).where(d.set_name == name).group_by(d.language).order_by(d.language)
        with self._engine.connect() as connection:
            return {row[0]: int(row[1]) for row in connection.execute(statement)}

    @verb("drafts.write")
    def record(self, outcomes: Sequence[Draft]) -> None:
        """Stores what was written; drafts that somebody wrote or decided in the meantime stay as they are."""
        d = t.question_drafts.c
        with writing(self._engine) as connection:
            for item in outcomes:
                mine = (d.set_name == item.set_name, d.number == item.number, d.status == "unwritten")
                connection.execute(update(t.question_drafts).where(*mine).values(**_written(item)))

    @verb("drafts.review", "{name}")
    def accept(self, name: str, number: int, reviewer: str) -> Draft:
        """Accepts a draft as it was written. Raises UsageError as `decide` does, and where it has no question."""
        draft = self.draft(name, number)
        return self.edit(name, number, reviewer, draft.written_question, draft.written_answer)

    @verb("drafts.review", "{name}")
    def edit(self, name: str, number: int, reviewer: str, question: str, answer: str) -> Draft:
        """Accepts a draft with another wording: `edited` where it differs from what was written.

        Raises UsageError for an empty or too long text, for a name that is not one, and for an unknown draft.
        """
        texts = [" ".join(text.split()) for text in (question, answer)]
        for what, text, limit in zip(("question", "answer"), texts, (LONGEST_QUESTION, LONGEST_ANSWER), strict=True):
            if not 1 <= len(text) <= limit:
                state = "empty" if not text else f"{len(text):,} characters long"
                raise UsageError(f"The {what} is {state}: type 1 to {limit} characters.")
        draft = replace(self.draft(name, number), question=texts[0], answer=texts[1])
        return self._decide(draft, "edited" if draft.is_edited else "accepted", reviewer)

    @verb("drafts.review", "{name}")
    def reject(self, name: str, number: int, reviewer: str) -> Draft:
        """Rejects a draft. Raises UsageError as `edit` does."""
        return self._decide(self.draft(name, number), "rejected", reviewer)

    @verb("drafts.review", "{name}")
    def undo(self, name: str, number: int) -> Draft:
        """Takes a decision back: the draft is as it was written, and waits again. Raises UsageError as `draft` does."""
        draft = self.draft(name, number)
        if draft.status not in DECIDED:
            return draft
        status: Status = "filtered" if draft.filter else "draft"
        before = replace(
            draft,
            status=status,
            question=draft.written_question,
            answer=draft.written_answer,
            reviewer="",
            reviewed=None,
        )
        self._store(before)
        return before

    @verb("drafts.write", "{name}")
    def remove(self, name: str) -> None:
        """Deletes a set with its drafts; a dataset that was made of it stays. Raises UsageError for an unknown one."""
        self.set_called(name)
        with writing(self._engine) as connection:
            connection.execute(delete(t.question_drafts).where(t.question_drafts.c.set_name == name))
            connection.execute(delete(t.question_sets).where(t.question_sets.c.name == name))

    def _decide(self, draft: Draft, status: Status, reviewer: str) -> Draft:
        person = " ".join(reviewer.split())
        if not 1 <= len(person) <= NAME_LIMIT or not person.isprintable():
            raise UsageError(
                f"“{shorten(reviewer)}” cannot be the reviewer's name: type 1 to {NAME_LIMIT} letters, digits or signs."
            )
        if draft.status == "unwritten":
            raise UsageError(f"Nothing is written from passage {draft.number} yet: write its question first.")
        decided = replace(draft, status=status, reviewer=person, reviewed=time.time())
        self._store(decided)
        return decided

    def _store(self, draft: Draft) -> None:
        d = t.question_drafts.c
        columns = ("status", "question", "answer", "reviewer", "reviewed")
        values = {column: getattr(draft, column) for column in columns}
        with writing(self._engine) as connection:
            connection.execute(
                update(t.question_drafts).where(d.set_name == draft.set_name, d.number == draft.number).values(**values)
            )


def _written(draft: Draft) -> dict[str, Any]:
    return {
        "status": draft.status,
        "filter": draft.filter,
        "reason": draft.reason,
        "question": draft.question,
        "answer": draft.answer,
        "written_question": draft.question,
        "written_answer": draft.answer,
    }


def _to_set(row: Row[Any]) -> DraftSet:
    values = {column: row._mapping[column] for column in REQUEST_COLUMNS}
    request = WritingRequest(**{**values, "languages": tuple(row.languages.split())})
    return DraftSet(row.name, request, row.corpus_version, row.created)


def _same_request(stored: DraftSet, request: WritingRequest) -> DraftSet:
    """The stored set, if it is continued by `request`. Raises UsageError where its request is another one."""
    before, now = asdict(stored.request), asdict(request)
    for key in REQUEST_COLUMNS:
        if before[key] != now[key]:
            words = key.replace("_", " ")
            raise UsageError(
                f"The set “{stored.name}” has the {words} “{shorten(before[key])}”, not “{shorten(now[key])}”: type "
                f"the same to continue it, or another name, for example: {stored.name}-2"
            )
    return stored
