"""Answers to one question next to each other, whether they were just given or are stored: texts, scores, documents.

Which documents are shared is decided by `SideDocument.unit`: the group of translations that a passage belongs to, or
the passage itself where the corpus names no group.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from workbench.core import Answer, is_gold
from workbench.languages import is_known, language
from workbench.metrics import MEASURES, Case, Score
from workbench.workspace import safe_cell

SIDE_METRICS = ("flexible_em", "char3_recall")
"""Metrics against golds by which answers that were just given are scored."""
HEAD = (
    "name", "question_language", "question", "answer", "answer_language", "golds", "documents", "shared_documents",
    "document_ids", "error",
)  # fmt: skip
"""The columns of the table before those of the scores."""


@dataclass(frozen=True, slots=True)
class SideDocument:
    """A document of an answer: the passage's `id`, the `unit` by which it is compared, and its `rank` from 1."""

    id: str
    unit: str
    title: str
    language: str
    rank: int


@dataclass(frozen=True, slots=True)
class SideAnswer:
    """One of the answers: `name` is its recipe's or its language's, `language` that of its question.

    `gold_passages` are the gold ones among its documents. `scores` are by metric, {} where no gold is known. `error`:
    why there is no answer, "" where there is one. `answer` is the stored id of an answer in the results, 0 for one that
    was just given.
    """

    name: str
    language: str
    question: str
    text: str = ""
    answer_language: str = ""
    golds: tuple[str, ...] = ()
    gold_passages: tuple[str, ...] = ()
    documents: tuple[SideDocument, ...] = ()
    scores: Mapping[str, Score] = field(default_factory=dict)
    seconds: float = 0.0
    error: str = ""
    answer: int = 0

    @property
    def units(self) -> tuple[str, ...]:
        """The documents as they are compared, best first."""
        return tuple(document.unit for document in self.documents)

    @property
    def is_right(self) -> bool | None:
        """Whether the answer contains a gold by flexible exact match; None where no gold is known."""
        score = against_golds(self.text, self.golds, self.language).get("flexible_em") if not self.error else None
        return None if score is None or score.value is None else score.value == 1.0


@dataclass(frozen=True, slots=True)
class DocumentPlaces:
    """A document with its place (the rank and the language it was read in) in each answer; None where it is missing."""

    unit: str
    title: str
    language: str
    places: tuple[tuple[int, str] | None, ...]

    @property
    def uses(self) -> int:
        """The number of answers that have it, 1 or more."""
        return sum(place is not None for place in self.places)


def side_answer(name: str, answer: Answer, golds: Sequence[str] = (), gold_passages: Sequence[str] = ()) -> SideAnswer:
    """An answer that was just given, scored where golds are known; `gold_passages` as questions name them."""
    documents = [
        SideDocument(passage.id, passage.group or passage.id, passage.title, passage.language, item.rank)
        for item in answer.evidence
        for passage in (item.passage,)
    ]
    return SideAnswer(
        name=name,
        language=answer.language,
        question=answer.question,
        text=answer.text,
        answer_language=answer.answer_language,
        golds=tuple(golds),
        gold_passages=tuple(item.passage.id for item in answer.evidence if is_gold(item.passage, gold_passages)),
        documents=tuple(documents),
        scores=against_golds(answer.text, golds, answer.language),
        seconds=sum(step.seconds for step in answer.steps),
    )


def against_golds(text: str, golds: Sequence[str], code: str) -> dict[str, Score]:
    """The scores of a text against golds in a language; {} where there are none or the language is unknown."""
    if not golds or not is_known(code):
        return {}
    case = Case(text, tuple(golds), language(code))
    return {name: MEASURES[name].score([case])[0] for name in SIDE_METRICS}


def document_places(sides: Sequence[SideAnswer]) -> tuple[DocumentPlaces, ...]:
    """Every document of the answers: those that most answers have first, then by best rank, then by name."""
    first: dict[str, SideDocument] = {}
    places: list[dict[str, tuple[int, str]]] = []
    for side in sides:
        here: dict[str, tuple[int, str]] = {}
        for document in side.documents:
            first.setdefault(document.unit, document)
            here.setdefault(document.unit, (document.rank, document.language))
        places.append(here)
    rows = [
        DocumentPlaces(unit, document.title, document.language, tuple(here.get(unit) for here in places))
        for unit, document in first.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.uses, min(place[0] for place in row.places if place), row.unit)))


def shared_count(side: SideAnswer, sides: Sequence[SideAnswer]) -> int:
    """How many documents of an answer at least one of the other answers has too."""
    others = {unit for other in sides if other is not side for unit in other.units}
    return sum(unit in others for unit in dict.fromkeys(side.units))


def sides_csv(sides: Sequence[SideAnswer]) -> str:
    """One row per answer; golds are separated by “ | ”, ids of documents by spaces; an unscored cell is empty."""
    metrics = list(dict.fromkeys(name for side in sides for name in side.scores))
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL)
    writer.writerow([*HEAD, *map(safe_cell, metrics)])
    for side in sides:
        ids = " ".join(document.id for document in side.documents)
        texts = [side.name, side.language, side.question, side.text, side.answer_language, " | ".join(side.golds)]
        values = [side.scores.get(name, Score(None)).value for name in metrics]
        writer.writerow(
            [
                *map(safe_cell, texts),
                len(set(side.units)),
                shared_count(side, sides),
                safe_cell(ids),
                safe_cell(side.error),
                *("" if value is None else f"{value:.6g}" for value in values),
            ]
        )
    return out.getvalue()
