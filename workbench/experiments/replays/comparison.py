"""What differs between an answer and its replay, as records and as JSON, and the stored answers to compare with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby, pairwise, takewhile
from typing import Any, Literal

from workbench.app import SideAnswer, SideDocument, Workbench, plain, step_to_json
from workbench.core import DISPUTED, Evidence, Passage, UsageError, is_gold
from workbench.experiments.replays.change import Change
from workbench.experiments.replays.replay import Replay, ReplayedStep
from workbench.experiments.results.filters import Filter
from workbench.experiments.results.queries.instances import Instance, of_question_name
from workbench.experiments.results.result_store import ResultStore
from workbench.languages import UNIT, known_languages
from workbench.metrics import Score

PieceKind = Literal["same", "removed", "added"]
UNITS = 1_000
"""Words of an answer up to which every word is compared; in longer ones frequent words are passed over."""
NOT_MEASURED = Score(None, "Not measured.")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of an answer: in both, in the former one alone ("removed"), or in the later one alone ("added")."""

    kind: PieceKind
    text: str


@dataclass(frozen=True, slots=True)
class RankChange:
    """A document that is read at another place among those that stayed; ranks count from 1."""

    document: Evidence
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """One metric's score before and after."""

    metric: str
    before: Score
    after: Score

    @property
    def gain(self) -> float | None:
        """The later value less the former one, in the metric's range; None where either is unscored."""
        if self.before.value is None or self.after.value is None:
            return None
        return self.after.value - self.before.value


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs, from the former answer to the later one.

    `left` are documents of the former alone, `came` of the later alone, `moved` those that changed places with others
    (not those that a removed one above lets rise), `edited` those whose original text is another, as read now. `answer`
    holds the pieces of both answers in order.
    """

    left: tuple[Evidence, ...]
    came: tuple[Evidence, ...]
    moved: tuple[RankChange, ...]
    edited: tuple[Evidence, ...]
    answer: tuple[Piece, ...]
    scores: tuple[ScoreChange, ...]

    @property
    def same_documents(self) -> bool:
        """Whether the same documents are read in the same order with the same text."""
        return not (self.left or self.came or self.moved or self.edited)

    @property
    def same_answer(self) -> bool:
        """Whether both answers are the same text."""
        return all(chunk.kind == "same" for chunk in self.answer)


def difference(before: Replay, after: Replay) -> Difference:
    """What differs between two replays of one answer, of which one may be the stored answer (`as_replay`)."""
    former = {item.passage.id: item for item in before.evidence}
    later = {item.passage.id: item for item in after.evidence}
    return Difference(
        left=tuple(item for name, item in former.items() if name not in later),
        came=tuple(item for name, item in later.items() if name not in former),
        moved=tuple(_moved(former, later)),
        edited=tuple(
            item for name, item in later.items() if name in former and former[name].passage.text != item.passage.text
        ),
        answer=pieces(before.answer, after.answer),
        scores=tuple(
            ScoreChange(name, before.scores.get(name, NOT_MEASURED), after.scores.get(name, NOT_MEASURED))
            for name in dict.fromkeys((*before.scores, *after.scores))
        ),
    )


def pieces(before: str, after: str) -> tuple[Piece, ...]:
    """Both texts in pieces, cut at words (at characters in scripts without spaces); those of a text add up to it.

    >>> [(piece.kind, piece.text) for piece in pieces("It was Popov.", "It was Marconi.")]
    [('same', 'It was '), ('removed', 'Popov'), ('added', 'Marconi'), ('same', '.')]
    """
    former, later = _tokens(before), _tokens(after)
    matcher = SequenceMatcher(None, former, later, autojunk=max(len(former), len(later)) > UNITS)
    changes: list[tuple[str, str, str]] = [("", "", "")]
    for kind, start, end, later_start, later_end in matcher.get_opcodes():
        removed, added = "".join(former[start:end]), "".join(later[later_start:later_end])
        if kind == "equal":
            changes[-1] = (*changes[-1][:2], removed)
        else:
            changes.append((removed, added, ""))
    cut = [piece for removed, added, same in _merged(changes) for piece in _change(removed, added, same)]
    runs = groupby((piece for piece in cut if piece.text), key=lambda piece: piece.kind)
    return tuple(Piece(kind, "".join(piece.text for piece in run)) for kind, run in runs)


def _tokens(text: str) -> list[str]:
    """The units of a text, each with what follows it up to the next; the first one also with what comes before it."""
    starts = [match.start() for match in UNIT.finditer(text)]
    borders = [0, *starts[1:], len(text)]
    return [text[start:end] for start, end in pairwise(borders) if end > start]


def _merged(changes: Sequence[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Changes, each as (removed, added, what stays after it), without the little that stays between large ones.

    What stays is part of the change where it is no longer than what changed on either side of it: sentences that share
    nothing but “of” and “the” are read as two sentences.
    """
    merged = list(changes[:1])
    for change in changes[1:]:
        before, stays = merged[-1][:2], merged[-1][2]
        if stays and len(stays) <= min(max(map(len, before)), max(map(len, change[:2]))):
            merged[-1] = (before[0] + stays + change[0], before[1] + stays + change[1], change[2])
        else:
            merged.append(change)
    return merged


def _change(removed: str, added: str, same: str) -> list[Piece]:
    """A change as pieces; white space and punctuation at the end that both have are not part of it."""
    ends = zip(reversed(removed), reversed(added), strict=False)
    shared = "".join(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], ends))[::-1]
    end = shared[max((match.end() for match in UNIT.finditer(shared)), default=0) :]
    return [
        Piece("removed", removed.removesuffix(end)),
        Piece("added", added.removesuffix(end)),
        Piece("same", end + same),
    ]


def _moved(former: Mapping[str, Evidence], later: Mapping[str, Evidence]) -> Iterator[RankChange]:
    before = [name for name in former if name in later]
    after = [name for name in later if name in former]
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    in_order = {name for block in matcher.get_matching_blocks() for name in before[block.a : block.a + block.size]}
    for name in after:
        if name not in in_order:
            yield RankChange(later[name], former[name].rank, later[name].rank)


VERSION = 1
"""Of the form; it grows when a key changes its meaning."""


def replay_to_json(instance: Instance, change: Change, before: Replay, after: Replay) -> dict[str, Any]:
    """Everything about a replay in plain values."""
    delta = difference(before, after)
    return {
        "replay": VERSION,
        "experiment": instance.run.experiment_id,
        "run": instance.run.title,
        "question": {
            "id": instance.question,
            "text": instance.text,
            "language": instance.language,
            "golds": list(instance.golds),
        },
        "change": {
            "fields": dict(change.fields),
            "documents": None if change.evidence is None else [document.passage.id for document in change.evidence],
            "question": change.question,
        },
        "recipe": None if after.recipe is None else after.recipe.model_dump(mode="json"),
        "before": _side(before),
        "after": _side(after),
        "difference": {
            "left": [document.passage.id for document in delta.left],
            "came": [document.passage.id for document in delta.came],
            "moved": [
                {"id": moved.document.passage.id, "before": moved.before, "after": moved.after} for moved in delta.moved
            ],
            "edited": [document.passage.id for document in delta.edited],
            "answer": plain(delta.answer),
            "scores": plain(delta.scores),
        },
    }


def _side(item: Replay) -> dict[str, Any]:
    return {
        "answer": item.answer,
        "answer_language": item.answer_language,
        "failure": item.failure,
        "note": item.note,
        "documents": [_document(document) for document in item.evidence],
        "prompt": None if item.prompt is None else {"system": item.prompt.system, "user": item.prompt.user},
        "steps": [_step(step) for step in item.steps],
    }


def _document(item: Evidence) -> dict[str, Any]:
    passage = item.passage
    return {
        "rank": item.rank,
        "id": passage.id,
        "title": passage.title,
        "language": passage.language,
        "text": passage.text,
        "read_as": item.text,
        "read_in": item.language,
    }


def _step(item: ReplayedStep) -> dict[str, Any]:
    values = step_to_json(item)
    return {"status": item.status, "from_cache": values.pop("cached"), **values}


SIBLINGS_LIMIT = 400
"""Answers that are read of one question: 13 languages under 30 runs."""
Beside = Literal["recipes", "languages"]
"""What differs between the answers: the runs in one language, or the languages of one run."""


def siblings(store: ResultStore, instance: Instance) -> list[Instance]:
    """The answers of an instance's experiment to the same question, its own among them: by run, then by language."""
    view = store.where(Filter(experiments=(instance.run.experiment_id,), datasets=(instance.run.dataset,)))
    rows = view.instances(limit=SIBLINGS_LIMIT, conditions=of_question_name(instance.run.dataset, instance.question))
    order = [known.code for known in known_languages()]
    return sorted(rows, key=lambda row: (row.run.number, _place(row.language, order), row.language))


def beside(rows: Sequence[Instance], instance: Instance, what: Beside) -> list[Instance]:
    """Those of the siblings that differ from an instance in one thing alone, the instance among them."""
    if what == "languages":
        return [row for row in rows if row.run.id == instance.run.id]
    return [row for row in rows if row.language == instance.language]


def stored_sides(workbench: Workbench, rows: Sequence[Instance], names: Mapping[int, str]) -> list[SideAnswer]:
    """Stored answers as they are compared; `names` are by stored id of an answer.

    Titles and groups of documents are those of the corpus now; where it is gone, or lacks a passage, the passage's id
    takes their place.
    """
    passages: dict[tuple[str, str], Passage] = {}
    for corpus in dict.fromkeys(row.run.corpus for row in rows):
        ids = {name for row in rows if row.run.corpus == corpus for name, _, _ in row.passages}
        passages |= {(corpus, name): passage for name, passage in _passages(workbench, corpus, ids).items()}
    return [_stored_side(row, names[row.answer], passages) for row in rows]


def _stored_side(row: Instance, name: str, passages: Mapping[tuple[str, str], Passage]) -> SideAnswer:
    documents, golds = [], []
    for rank, (id_, code, _) in enumerate(row.passages, start=1):
        passage = passages.get((row.run.corpus, id_))
        unit, title = (passage.group or id_, passage.title) if passage else (id_, id_)
        documents.append(SideDocument(id_, unit, title, code, rank))
        if is_gold(passage, row.gold_passages) if passage else id_ in row.gold_passages:
            golds.append(id_)
    return SideAnswer(
        name=name,
        language=row.language,
        question=row.text,
        text=row.output,
        answer_language=row.answer_language,
        golds=row.golds,
        gold_passages=tuple(golds),
        documents=tuple(documents),
        scores=row.scored,
        seconds=row.seconds,
        error=row.error,
        answer=row.answer,
        is_format_failure=row.is_format_failure,
        is_disputed=row.evidence_in == DISPUTED,
    )


def _passages(workbench: Workbench, name: str, ids: set[str]) -> dict[str, Passage]:
    try:
        corpus = workbench.corpus(name)
    except UsageError:
        return {}
    return corpus.passages_named(ids)


def _place(code: str, order: Sequence[str]) -> int:
    return order.index(code) if code in order else len(order)
