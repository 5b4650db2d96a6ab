"""Sets of demonstrations in the workspace's database, each an answer to a question from some documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

from pydantic import TypeAdapter
from sqlalchemy import Engine

from workbench.core import Evidence, Passage, UsageError
from workbench.jobs.demonstrations.demonstration_checks import answer_problem, citation_problem, problem_sentence
from workbench.jobs.review_store import Reviewable, ReviewStore, Status
from workbench.languages import Detector
from workbench.pipeline import OPTIONAL, parse
from workbench.workspace import tables as t

DemonstrationKind = Literal["drag", "rag", "translation"]
"""`drag`: an answer by D-RAG; `rag`: one by plain RAG from the same documents; `translation`: a text in English."""
DEMONSTRATION_KINDS: tuple[DemonstrationKind, ...] = get_args(DemonstrationKind)
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

    def __post_init__(self) -> None:
        """Raises UsageError for a share to hold out that is not one."""
        if not 0 <= self.holdout < 1:
            raise UsageError(
                f"A share of {self.holdout:g} of the questions does not leave some on both sides: type a number above "
                "0 and below 1, for example: --held-out 0.2"
            )


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
class DemonstrationDraft(Reviewable):
    """One demonstration of a set: a question, the documents that it was answered from, and the answer.

    `id` is its name in files; `group` is shared with the question's translations. `prompt` has the roles and texts of
    an imported one's messages, () where it is rendered from the documents.
    """

    TEXTS: ClassVar[tuple[str, ...]] = ("text",)
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
    prompt: tuple[tuple[str, str], ...] = ()
    status: Status = "unwritten"
    filter: str = ""
    reason: str = ""
    text: str = ""
    written_text: str = ""
    reviewer: str = ""
    reviewed: float | None = None

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The documents by rank."""
        return tuple(
            Evidence(Passage(item.id, item.id, item.title, item.language, item.text), rank)
            for rank, item in enumerate(self.passages, start=1)
        )


class DemonstrationStore(ReviewStore[DemonstrationDraft, DemonstrationRequest]):
    """The sets of demonstrations of a workspace."""

    item = DemonstrationDraft
    request = DemonstrationRequest
    sets_table = t.demonstration_sets
    drafts_table = t.demonstration_drafts
    noun = "set of demonstrations"
    command = "demonstrations review"
    lists: ClassVar[Mapping[str, TypeAdapter[Any]]] = {
        "answers": TypeAdapter(tuple[str, ...]),
        "passages": TypeAdapter(tuple[SourcePassage, ...]),
        "prompt": TypeAdapter(tuple[tuple[str, str], ...]),
    }

    def _written(self, item: DemonstrationDraft) -> dict[str, Any]:
        return {**super()._written(item), **self._values(item, "passages")}

    def __init__(
        self, engine: Engine, identifier: Callable[[], Callable[[str, Sequence[str]], str]] = Detector
    ) -> None:
        """`identifier` makes what tells the language of a quotation, once an edited text is checked."""
        super().__init__(engine)
        self._identifier = identifier

    def _check_edited(self, draft: DemonstrationDraft) -> None:
        """The checks that need no model; an imported one's documents are not here, so nor are its citations'."""
        if draft.kind == "translation":
            return
        parts: Sequence[str] = ()
        if draft.kind == "drag":
            parts = parse(draft.written_text).present if draft.prompt else (*OPTIONAL, "answer")
        problem = answer_problem(draft.text, parts, draft.answers, draft.language)
        if not problem and not draft.prompt:
            problem = citation_problem(draft.text, draft.question, draft.evidence, self._identifier())
        if problem:
            raise UsageError(f"{problem_sentence(problem)} Correct the text, or reject the demonstration.")

    def _checked(self, texts: Sequence[str]) -> Sequence[str]:
        for text in texts:
            if not text.strip() or len(text) > LONGEST_TEXT:
                state = f"{len(text):,} characters long" if text.strip() else "empty"
                raise UsageError(f"The demonstration is {state}: type 1 to {LONGEST_TEXT:,} characters.")
        return texts
