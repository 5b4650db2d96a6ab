"""Answers to one question next to each other, just given or stored: texts, scores, documents, and how far they agree.

Agreement is of each with each: a matrix for every measure of `metrics.consistency`. Which documents are shared is
decided by `SideDocument.unit`: the group of translations that a passage belongs to, or the passage itself where the
corpus names no group.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from workbench.core import Answer, TranslationFailed, Translator, is_gold
from workbench.languages import ENGLISH, is_known, language
from workbench.metrics import (
    CONSISTENCY,
    MEASURES,
    Case,
    Score,
    abstains,
    answer_overlap,
    both_right,
    same_order,
    shared_documents,
)
from workbench.pipeline import format_failure, same_name
from workbench.workspace import csv_text

SIDE_METRICS = ("flexible_em", "char3_recall")
"""Metrics against golds by which answers that were just given are scored."""
HALF = 0.5
"""The share of a gold from which an answer gives a part of it: less is in many texts by chance."""
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
    was just given. `is_format_failure`: the output states no answer, since it lacks the label that D-RAG asks for.
    `cached_steps`: how many of its steps another answer had taken before; `seconds` are those of the rest.
    `is_disputed`: sources disagree about the question, so that its golds are several views.
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
    is_format_failure: bool = False
    cached_steps: int = 0
    is_disputed: bool = False

    @property
    def units(self) -> tuple[str, ...]:
        """The documents as they are compared, best first."""
        return tuple(document.unit for document in self.documents)

    @property
    def is_right(self) -> bool | None:
        """Whether the answer contains a gold by flexible exact match; None where no gold is known."""
        score = against_golds(self.text, self.golds, self.language).get("flexible_em") if not self.error else None
        return None if score is None or score.value is None else score.value == 1.0 and not self.is_format_failure

    @property
    def part(self) -> str:
        """What part of a right answer it gives, in words; "" for all of it, too little, or where no gold is known.

        Of a question about which sources disagree: that it names one of their views, unless golds are numbers, of which
        several may be one view. Of any other: how much of a gold by character 3-gram recall, from a half.
        """
        if self.is_right:
            views = _views(self.golds, self.language) if self.is_disputed else []
            named = sum(_holds(self.text, view, self.language) for view in views)
            return "one of several views" if named == 1 < len(views) else ""
        recall = against_golds(self.text, self.golds, self.language).get("char3_recall")
        share = recall.value if recall and self.is_right is False and not self.is_format_failure else None
        return f"{share:.0%} of a gold" if share is not None and HALF <= share < 1 else ""

    @property
    def is_silent(self) -> bool:
        """Whether the answer says nothing but that there is none, as far as that can be told."""
        return not self.error and bool(abstains(self.text))

    @property
    def is_elsewhere(self) -> bool:
        """Whether the answer is in a language other than the question's."""
        return bool(self.text.strip() and self.answer_language) and self.answer_language != self.language


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


def _views(golds: Sequence[str], code: str) -> list[list[str]]:
    """Golds by what they name: Marconi is Guglielmo Marconi; none where one of them has a digit.

    A name that is spelt in two very different ways counts twice.
    """
    views = list[list[str]]()
    for gold in golds if is_known(code) and not any(sign.isdigit() for sign in "".join(golds)) else ():
        alike = [view for view in views if any(same_name(one, gold) for one in view)]
        views = [*(view for view in views if view not in alike), [gold, *(one for view in alike for one in view)]]
    return views


def _holds(text: str, golds: Sequence[str], code: str) -> bool:
    return MEASURES["flexible_em"].score([Case(text, tuple(golds), language(code))])[0].value == 1.0


def side_answer(
    name: str,
    answer: Answer,
    golds: Sequence[str] = (),
    gold_passages: Sequence[str] = (),
    *,
    is_disputed: bool = False,
) -> SideAnswer:
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
        scores=against_golds(answer.text, golds, answer.language, format_failure(answer.sections)),
        seconds=sum(step.seconds for step in answer.steps),
        is_format_failure=bool(format_failure(answer.sections)),
        cached_steps=sum(step.cached for step in answer.steps),
        is_disputed=is_disputed,
    )


def against_golds(text: str, golds: Sequence[str], code: str, failure: str = "") -> dict[str, Score]:
    """The scores of a text against golds in a language; {} where there are none or the language is unknown.

    `failure`: why the text states no answer (see `Case.format_failure`).
    """
    if not golds or not is_known(code):
        return {}
    case = Case(text, tuple(golds), language(code), format_failure=failure)
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
    rows = (
        (
            *(side.name, side.language, side.question, side.text, side.answer_language, " | ".join(side.golds)),
            *(len(set(side.units)), shared_count(side, sides)),
            *(" ".join(document.id for document in side.documents), side.error),
            *(side.scores.get(name, Score(None)).value for name in metrics),
        )
        for side in sides
    )
    return csv_text([(*HEAD, *metrics), *rows], digits=6)


def places_csv(sides: Sequence[SideAnswer]) -> str:
    """One row per document, with its rank in each answer; empty where the answer does not have it."""
    head = ("document", "title", "language", *(side.name for side in sides))
    rows = ((row.unit, row.title, row.language, *(place and place[0] for place in row.places))
            for row in document_places(sides))  # fmt: skip
    return csv_text([head, *rows])


SAME = 0.8
"""The least overlap, in hundredths as it is shown, of two answers that say the same."""
LEAST_KNOWN = 0.5
"""The share of a text that the translator must know for the translation to be compared."""
FAILED = Score(None, "One of the answers is missing.")
Pair = tuple[int, int]
"""Places of two answers, from 0, the first before the second."""


@dataclass(frozen=True, slots=True)
class ConsistencyMatrix:
    """The scores of all pairs of answers by measure; every measure is symmetric."""

    names: tuple[str, ...]
    scores: Mapping[str, Mapping[Pair, Score]]

    def score(self, measure: str, first: int, second: int) -> Score | None:
        """The score of two answers by their places, from 0; None for an answer with itself."""
        return None if first == second else self.scores[measure][min(first, second), max(first, second)]

    def mean(self, measure: str) -> tuple[float | None, int, int]:
        """The mean over the scored pairs, None where there are none, and the numbers of scored and unscored pairs."""
        values = [score.value for score in self.scores[measure].values()]
        scored = [value for value in values if value is not None]
        return (sum(scored) / len(scored) if scored else None, len(scored), len(values) - len(scored))

    def same(self) -> list[list[int]]:
        """The places of answers of which each says the same as each other one, two or more together, in order."""
        groups: list[list[int]] = []
        for place in range(len(self.names)):
            scores = [[self.score("answer_overlap", place, other) for other in group] for group in groups]
            fits = [all(score and round(score.value or 0, 2) >= SAME for score in each) for each in scores]
            if any(fits):
                groups[fits.index(True)].append(place)
            else:
                groups.append([place])
        return [group for group in groups if len(group) > 1]


def consistency(sides: Sequence[SideAnswer], translator: Translator) -> ConsistencyMatrix:
    """The matrix of answers; `translator` brings those in other languages to English, where it can."""
    english: dict[int, str | None] = {}

    def in_english(place: int) -> str | None:
        if place not in english:
            english[place] = _in_english(sides[place], translator)
        return english[place]

    rights = [side.is_right for side in sides]
    scores: dict[str, dict[Pair, Score]] = {name: {} for name in CONSISTENCY}
    for first in range(len(sides)):
        for second in range(first + 1, len(sides)):
            pair, one, other = (first, second), sides[first], sides[second]
            if one.error or other.error:
                for by_pair in scores.values():
                    by_pair[pair] = FAILED
                continue
            scores["both_right"][pair] = both_right(rights[first], rights[second])
            scores["shared_documents"][pair] = shared_documents(one.units, other.units)
            scores["same_order"][pair] = same_order(one.units, other.units)
            if spoken_in(one) == spoken_in(other) or one.text.strip() == other.text.strip():
                score = answer_overlap(one.text, other.text, language=language(spoken_in(one)))
            else:
                score = _overlap_in_english(in_english(first), in_english(second))
            scores["answer_overlap"][pair] = score
    return ConsistencyMatrix(tuple(side.name for side in sides), scores)


def spoken_in(side: SideAnswer) -> str:
    """The language that an answer is in: the detected one, else the question's; English where neither is known."""
    return next((code for code in (side.answer_language, side.language) if code and is_known(code)), ENGLISH)


def matrix_csv(matrix: ConsistencyMatrix) -> str:
    """One row per pair and measure, with the reason where a pair is unscored."""
    rows = (
        (measure, matrix.names[first], matrix.names[second], score.value, score.reason)
        for measure, by_pair in matrix.scores.items()
        for (first, second), score in by_pair.items()
    )
    return csv_text([("measure", "first", "second", "value", "reason"), *rows], digits=6)


def _overlap_in_english(first: str | None, second: str | None) -> Score:
    if first is None or second is None:
        return Score(None, "The built-in translator knows too little of one of the answers.")
    return answer_overlap(first, second, language=language(ENGLISH))


def _in_english(side: SideAnswer, translator: Translator) -> str | None:
    """An answer in English; None where the translator knows too little of it. Without letters it stays as it is."""
    code = spoken_in(side)
    if code == ENGLISH or not any(character.isalpha() for character in side.text):
        return side.text
    try:
        (translation,) = translator.translate([side.text], code, ENGLISH)
    except TranslationFailed:
        return None
    return translation.text if translation.match is None or translation.match >= LEAST_KNOWN else None
