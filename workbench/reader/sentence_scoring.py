"""Which sentences of the evidence answer the question, without a model.

A sentence scores by how much of the question it repeats; by what its neighbours and its passage add to that; by
whether it holds the kind of thing asked for; and by its passage's rank.  The weights were set on XQuAD, whose
passages and questions are in one language (see benchmarks/reader).

Across languages the comparison is made in English where both sides are surely known in it; else with the question
translated to the evidence's language; and in any case by transliteration, which finds names and numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.protocols import Translator
from workbench.reader.evidence_sentences import COMMON, SURE, EvidenceSentence, read
from workbench.reader.overlap import grams, rarity, romanised, share, union
from workbench.reader.question_types import question_type, serves
from workbench.reader.rendering import attempt
from workbench.records import Evidence, Span, Task

NEIGHBOURS = 0.4
PASSAGE = 0.4
RANK = 0.08
KIND = 0.25
ROMANISED = 0.6
"""What a match of transliterations counts against one in the same language: names and numbers only."""

Shares = tuple[float, float, float]
"""Of the question's weight: the share in a piece, what its neighbours add, the share in its passage and title."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A piece of the evidence. `overlap` in [0, 1] is the share of the question it repeats; `score` (no upper bound)
    orders candidates.
    """

    piece: EvidenceSentence
    overlap: float
    score: float

    @property
    def evidence(self) -> Evidence:
        return self.piece.evidence

    @property
    def start(self) -> int:
        return self.piece.start

    @property
    def end(self) -> int:
        return self.piece.end

    @property
    def text(self) -> str:
        return self.piece.text

    @property
    def span(self) -> Span:
        return Span(self.evidence.rank, self.start, self.end)


def candidates(task: Task, translator: Translator) -> list[Candidate]:
    """Every piece of the evidence with its score, best first; ties go to the better rank and the earlier place."""
    if {item.language for item in task.evidence} <= {task.language}:
        pieces = read(task.evidence, translator, common=False)
        found = _scored(task, pieces, _shares(task.question, pieces, [piece.text for piece in pieces]))
    else:
        found = _across(task, translator)
    return sorted(found, key=lambda item: (-item.score, item.evidence.rank, item.start))


def _across(task: Task, translator: Translator) -> list[Candidate]:
    """Candidates from evidence in several languages, or in another than the question's."""
    english = attempt(translator, task.question, task.language, COMMON)
    pieces = read(task.evidence, translator, common=english is not None and english.kind != "model")
    if english and (english.match or 0.0) >= SURE and all(piece.common for piece in pieces):
        return _scored(task, pieces, _shares(english.text, pieces, [piece.common for piece in pieces]))
    found: list[Candidate] = []
    own = [piece for piece in pieces if piece.language == task.language]
    found.extend(_scored(task, own, _shares(task.question, own, [piece.text for piece in own])))
    others = [piece for piece in pieces if piece.language != task.language]
    known = [piece for piece in others if english and piece.common]
    if english and known:
        found.extend(_scored(task, known, _best(task, english.text, known, [piece.common for piece in known])))
    rest = [piece for piece in others if piece not in known]
    for code in dict.fromkeys(piece.language for piece in rest):
        mine = [piece for piece in rest if piece.language == code]
        made = attempt(translator, task.question, task.language, code)
        found.extend(_scored(task, mine, _best(task, made.text if made else "", mine, [p.text for p in mine])))
    return found


def _best(task: Task, question: str, pieces: Sequence[EvidenceSentence], texts: Sequence[str]) -> list[Shares]:
    """By words where the translated question has them, by sound where that finds more."""
    by_word = _shares(question, pieces, texts)
    by_sound = _shares(romanised(task.question), pieces, [romanised(text) for text in texts])
    weak = [(ROMANISED * a, ROMANISED * b, ROMANISED * c) for a, b, c in by_sound]
    return [max(pair) for pair in zip(by_word, weak, strict=True)]


def _scored(task: Task, pieces: Sequence[EvidenceSentence], shares: Sequence[Shares]) -> list[Candidate]:
    kind = question_type(task.question, task.language)
    found: list[Candidate] = []
    for piece, (overlap, near, whole) in zip(pieces, shares, strict=True):
        score = overlap + NEIGHBOURS * near + PASSAGE * whole - RANK * (piece.evidence.rank - 1)
        text, code = (piece.common, COMMON) if piece.common else (piece.text, piece.language)
        if kind and serves(kind, text, code):
            score += KIND
        found.append(Candidate(piece, overlap, score))
    return found


def _shares(question: str, pieces: Sequence[EvidenceSentence], texts: Sequence[str]) -> list[Shares]:
    """How much of `question` each piece holds; `texts` are the pieces as they are compared."""
    held = [grams(text) for text in texts]
    weights = rarity(grams(question), held)
    wholes: dict[int, float] = {}
    for item in {piece.evidence.rank: piece.evidence for piece in pieces}.values():
        mine = [own for own, piece in zip(held, pieces, strict=True) if piece.evidence.rank == item.rank]
        wholes[item.rank] = share(weights, union([*mine, grams(item.passage.title)]))
    found: list[Shares] = []
    for at, piece in enumerate(pieces):
        rank = piece.evidence.rank
        beside = [n for n in (at - 1, at + 1) if 0 <= n < len(pieces) and pieces[n].evidence.rank == rank]
        near = union(held[n] for n in beside) - held[at]
        found.append((share(weights, held[at]), share(weights, near), wholes[rank]))
    return found
