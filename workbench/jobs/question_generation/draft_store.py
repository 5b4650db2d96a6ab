"""Sets of drafts of questions in the workspace's database, on their way to a dataset.

Stored are what was written from each passage, and what people decided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

from sqlalchemy import Row

from workbench.core import UsageError
from workbench.jobs.question_generation.draft_reply import LONGEST_ANSWER, LONGEST_QUESTION
from workbench.jobs.review_store import Reviewable, ReviewStore, Status
from workbench.workspace import tables as t

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
class Draft(Reviewable):
    """One passage of a set and what was written from it; `passage` is its id."""

    TEXTS: ClassVar[tuple[str, ...]] = ("question", "answer")
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


class DraftStore(ReviewStore[Draft, WritingRequest]):
    """The sets of questions of a workspace."""

    item = Draft
    request = WritingRequest
    sets_table = t.question_sets
    drafts_table = t.question_drafts
    noun = "set of written questions"
    command = "datasets review"

    def _request(self, row: Row[Any]) -> WritingRequest:
        values = {name: row._mapping[name] for name in WritingRequest.__dataclass_fields__}
        return WritingRequest(**{**values, "languages": tuple(row.languages.split())})

    def _request_values(self, request: WritingRequest) -> dict[str, Any]:
        return {**asdict(request), "languages": " ".join(request.languages)}

    def _checked(self, texts: Sequence[str]) -> Sequence[str]:
        cleaned = [" ".join(text.split()) for text in texts]
        for what, text, limit in zip(Draft.TEXTS, cleaned, (LONGEST_QUESTION, LONGEST_ANSWER), strict=True):
            if not 1 <= len(text) <= limit:
                state = "empty" if not text else f"{len(text):,} characters long"
                raise UsageError(f"The {what} is {state}: type 1 to {limit} characters.")
        return cleaned
