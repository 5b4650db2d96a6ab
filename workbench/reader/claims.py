"""What each document claims in answer to the question, and which documents agree.

A claim is the sentence that best answers the question, and the names and numbers in it that are not in the question.
Claims in different languages are compared in English where the translator has the sentence, else by transliteration.
Documents that share a name or number of the kind asked for agree; those that share none differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.protocols import Translator
from workbench.reader.candidate_names import NUMBER, candidate_names, folded_ascii
from workbench.reader.evidence_sentences import question_with_english, reliable_english
from workbench.reader.question_types import question_type
from workbench.reader.sentence_scoring import Candidate
from workbench.records import Evidence, Task

LEAST_RELATIVE_SCORE = 0.5
"""A document is relevant from this share of the best document's score …"""
LEAST_OVERLAP = 0.15
"""… if its sentence repeats at least this share of the question."""
SAME_NAME_RATIO = 80
"""From this rapidfuzz ratio in [0, 100] two transliterated names are one name."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One document's claim.

    `text` is the sentence in English, or the original where there was no reliable translation; `names` are the names
    and numbers in it.
    """

    candidate: Candidate
    text: str
    names: tuple[str, ...]

    @property
    def evidence(self) -> Evidence:
        """The document that makes the claim."""
        return self.candidate.evidence


@dataclass(frozen=True, slots=True)
class ClaimGroup:
    """Claims that agree, best ranked first, and the names that they share (or all names of a single claim)."""

    claims: tuple[Claim, ...]
    names: tuple[str, ...]


def relevant_candidates(ranked: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The best candidate of each document that bears on the question, by rank; `ranked` is best first."""
    best: dict[int, Candidate] = {}
    for item in ranked:
        best.setdefault(item.evidence.rank, item)
    least = LEAST_RELATIVE_SCORE * ranked[0].score
    relevant = (item for item in best.values() if item.score >= least and item.overlap >= LEAST_OVERLAP)
    return tuple(sorted(relevant, key=lambda item: item.evidence.rank)) or (ranked[0],)


def extract_claims(task: Task, candidates: Sequence[Candidate], translator: Translator) -> tuple[Claim, ...]:
    """The claim of each candidate."""
    question = question_with_english(task, translator)
    kind = question_type(task.question, task.language)
    claims: list[Claim] = []
    for item in candidates:
        english = item.sentence.english or reliable_english(item.text, item.evidence.language, translator)
        text = english or item.text
        claims.append(Claim(item, text, candidate_names(text, question, kind)))
    return tuple(claims)


def group_claims(claims: Sequence[Claim]) -> tuple[ClaimGroup, ...]:
    """Claims grouped by shared names, the group of the best rank first; claims without names are left out."""
    groups: list[list[Claim]] = []
    for claim in claims:
        if not claim.names:
            continue
        agreeing = [group for group in groups if any(_shared_names(claim, other) for other in group)]
        for group in agreeing:
            groups.remove(group)
        members = [claim, *(member for group in agreeing for member in group)]
        groups.append(sorted(members, key=lambda member: member.evidence.rank))
    groups.sort(key=lambda group: group[0].evidence.rank)
    return tuple(ClaimGroup(tuple(group), _group_names(group)) for group in groups)


def _group_names(group: Sequence[Claim]) -> tuple[str, ...]:
    first, *others = group
    if not others:
        return first.names
    return tuple(dict.fromkeys(name for claim in others for name in _shared_names(first, claim))) or first.names


def _shared_names(one: Claim, other: Claim) -> tuple[str, ...]:
    """Names of `one` that `other` has too."""
    return tuple(name for name in one.names if any(_same_name(name, rival) for rival in other.names))


def _same_name(one: str, other: str) -> bool:
    """Whether numbers are equal, or names are spelt alike in ASCII, in full or in their last word."""
    from rapidfuzz.fuzz import ratio

    left, right = folded_ascii(one), folded_ascii(other)
    if NUMBER.fullmatch(one) or NUMBER.fullmatch(other):
        return left == right
    return ratio(left, right) >= SAME_NAME_RATIO or left.split()[-1:] == right.split()[-1:]
