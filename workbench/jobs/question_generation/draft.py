"""A question that a generator wrote from a passage, on its way to a dataset; and the set that it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

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
