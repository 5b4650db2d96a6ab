"""What each document claims in answer to the question, and which documents agree.

A claim is the sentence that best answers the question, and the names and numbers in it that the question does not
hold itself.  Claims in different languages are compared in English where the translator has the sentence, else by
transliteration.  Documents sharing a name or number of the kind asked for agree; those that share none differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.protocols import Translator
from workbench.reader.candidate_names import NUMBER, points, sound
from workbench.reader.evidence_sentences import sure_english
from workbench.reader.question_types import question_type
from workbench.reader.sentence_scoring import Candidate
from workbench.records import Evidence, Task

RELEVANT = 0.5
"""A document is relevant from so much of the best document's score …"""
LEAST_OVERLAP = 0.15
"""… if its sentence repeats at least so much of the question."""
SAME_NAME = 80
"""Transliterated names so alike (rapidfuzz ratio in [0, 100]) are one name."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One document's claim. `points` are its names and numbers, as written in `common`, the sentence in English (or
    the original where no sure translation was had).
    """

    candidate: Candidate
    common: str
    points: tuple[str, ...]

    @property
    def evidence(self) -> Evidence:
        return self.candidate.evidence


@dataclass(frozen=True, slots=True)
class Camp:
    """Claims that agree, best ranked first, and the points they share (or the one claim's own)."""

    claims: tuple[Claim, ...]
    points: tuple[str, ...]


def relevant(ordered: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The best candidate of each document that bears on the question, by rank; `ordered` is best first."""
    best: dict[int, Candidate] = {}
    for item in ordered:
        best.setdefault(item.evidence.rank, item)
    least = RELEVANT * ordered[0].score
    kept = (item for item in best.values() if item.score >= least and item.overlap >= LEAST_OVERLAP)
    return tuple(sorted(kept, key=lambda item: item.evidence.rank)) or (ordered[0],)


def claims(task: Task, chosen: Sequence[Candidate], translator: Translator) -> tuple[Claim, ...]:
    """The claim of each chosen sentence."""
    held = f"{task.question} {sure_english(task.question, task.language, translator)}"
    kind = question_type(task.question, task.language)
    made: list[Claim] = []
    for item in chosen:
        common = item.piece.common or sure_english(item.text, item.evidence.language, translator) or item.text
        made.append(Claim(item, common, points(common, held, kind)))
    return tuple(made)


def camps(made: Sequence[Claim]) -> tuple[Camp, ...]:
    """Claims grouped by shared points, the group of the best rank first; claims without points are left out."""
    groups: list[list[Claim]] = []
    for claim in made:
        if not claim.points:
            continue
        joined = [group for group in groups if any(_shared(claim, other) for other in group)]
        for group in joined:
            groups.remove(group)
        groups.append(sorted([claim, *(c for group in joined for c in group)], key=lambda item: item.evidence.rank))
    groups.sort(key=lambda group: group[0].evidence.rank)
    return tuple(Camp(tuple(group), _points_of(group)) for group in groups)


def _points_of(group: Sequence[Claim]) -> tuple[str, ...]:
    if len(group) == 1:
        return group[0].points
    return tuple(dict.fromkeys(point for claim in group[1:] for point in _shared(group[0], claim))) or group[0].points


def _shared(one: Claim, other: Claim) -> tuple[str, ...]:
    """Points of `one` that `other` has too: equal numbers; names that sound alike or whose last word does."""
    from rapidfuzz.fuzz import ratio

    found: list[str] = []
    for point in one.points:
        for rival in other.points:
            left, right = sound(point), sound(rival)
            if NUMBER.fullmatch(point) or NUMBER.fullmatch(rival):
                alike = left == right
            else:
                alike = ratio(left, right) >= SAME_NAME or left.split()[-1:] == right.split()[-1:]
            if alike:
                found.append(point)
                break
    return tuple(found)
