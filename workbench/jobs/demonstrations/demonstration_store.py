"""Sets of demonstrations in the workspace's database, each an answer to a question from some documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Row

from workbench.core import Evidence, Passage, UsageError
from workbench.jobs.demonstrations.demonstration_file import ChatMessage, DemonstrationKind
from workbench.jobs.review_store import ReviewStore, Status
from workbench.workspace import tables as t

LONGEST_TEXT = 20_000
"""Characters of a demonstration: what 2,048 tokens hold, with room for scripts of few characters per token."""


@dataclass(frozen=True, slots=True)
class DemonstrationRequest:
    """What determines a set: the same request gives the same demonstrations to write.

    Every question is answered once for each of the `kinds`, `scopes` and `ks` (passages). `languages` () stands for
    all, `corpus` "" for that of the dataset. `holdout` is the share of questions that become the evaluation dataset;
    no question of the datasets in `evaluation` is answered. `judge` "" for none. `file` names what was imported.
    """

    dataset: str
    corpus: str = ""
    generator: str = ""
    judge: str = ""
    kinds: tuple[DemonstrationKind, ...] = ("drag",)
    languages: tuple[str, ...] = ()
    per_language: int = 100
    scopes: tuple[str, ...] = ("all",)
    ks: tuple[int, ...] = (5,)
    seed: int = 0
    holdout: float = 0.0
    evaluation: tuple[str, ...] = ()
    file: str = ""


@dataclass(frozen=True, slots=True)
class SourcePassage:
    """A document of a demonstration as it was read, "" for the text of an imported one; its licence and its source."""

    id: str
    title: str
    language: str
    text: str
    licence: str
    source: str


@dataclass(frozen=True, slots=True)
class DemonstrationDraft:
    """One demonstration of a set, numbered from 1: a question, the documents it was answered from, and the answer.

    `id` is its name in files. `prompt` is that of an imported one, () where it is rendered from the documents.
    `filter`, `reason`, `reviewer` and `reviewed` as in a draft of a question.
    """

    set_name: str
    number: int
    id: str
    kind: DemonstrationKind
    dataset: str
    group: str
    language: str
    question: str
    answers: tuple[str, ...]
    scope: str = ""
    k: int = 0
    passages: tuple[SourcePassage, ...] = ()
    prompt: tuple[ChatMessage, ...] = ()
    status: Status = "unwritten"
    filter: str = ""
    reason: str = ""
    text: str = ""
    written_text: str = ""
    reviewer: str = ""
    reviewed: float | None = None

    @property
    def is_edited(self) -> bool:
        """Whether a person changed what the generator wrote."""
        return self.text != self.written_text

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The documents by rank."""
        return tuple(
            Evidence(Passage(item.id, item.id, item.title, item.language, item.text), rank)
            for rank, item in enumerate(self.passages, start=1)
        )


_REQUEST = TypeAdapter(DemonstrationRequest)
_LISTS: dict[str, TypeAdapter[Any]] = {
    "answers": TypeAdapter(tuple[str, ...]),
    "passages": TypeAdapter(tuple[SourcePassage, ...]),
    "prompt": TypeAdapter(tuple[ChatMessage, ...]),
}
"""The columns that hold JSON."""


class DemonstrationStore(ReviewStore[DemonstrationDraft, DemonstrationRequest]):
    """The sets of demonstrations of a workspace."""

    sets_table = t.demonstration_sets
    drafts_table = t.demonstration_drafts
    texts = ("text",)
    noun = "set of demonstrations"
    command = "demonstrations list"

    def _item(self, row: Row[Any]) -> DemonstrationDraft:
        values = dict(row._mapping)
        lists = {name: adapter.validate_json(values[name]) for name, adapter in _LISTS.items()}
        return DemonstrationDraft(**{**values, **lists})

    def _values(self, item: DemonstrationDraft) -> dict[str, Any]:
        values = {name: getattr(item, name) for name in DemonstrationDraft.__dataclass_fields__}
        return {**values, **{name: _json(name, values[name]) for name in _LISTS}}

    def _request(self, row: Row[Any]) -> DemonstrationRequest:
        return _REQUEST.validate_json(row.request)

    def _request_values(self, request: DemonstrationRequest) -> dict[str, Any]:
        return {"request": _REQUEST.dump_json(request).decode()}

    def _written(self, item: DemonstrationDraft) -> dict[str, Any]:
        return {**super()._written(item), "passages": _json("passages", item.passages)}

    def _checked(self, texts: Sequence[str]) -> Sequence[str]:
        for text in texts:
            if not text.strip() or len(text) > LONGEST_TEXT:
                state = f"{len(text):,} characters long" if text.strip() else "empty"
                raise UsageError(f"The demonstration is {state}: type 1 to {LONGEST_TEXT:,} characters.")
        return texts


def _json(name: str, value: Any) -> str:
    return _LISTS[name].dump_json(value).decode()
