"""What each document claims in answer to the question, and which documents agree.

A claim is a sentence that is nearly as sure to answer the question as the best one, or translates one that is, with the
names or numbers in it that are of the kind asked for and not in the question. A document that answers in several
sentences makes several claims. Claims in different languages are compared in English where the translator has the
sentence, else by transliteration. Documents that share a name or number of the kind asked for agree, as do, with an
encoder of meaning, sentences that translate each other, whatever their script; others differ.

One passage in several languages is counted once. A corpus that is aligned says so itself (`Passage.group`). Elsewhere
two documents are one passage where they say the same in English as far as the translator knows them, contain the same
two or more numbers of several digits, or make a claim in sentences that translate each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from workbench.core import Evidence, Task, Translator
from workbench.languages import ENGLISH, language
from workbench.pipeline.reader.rendering import question_with_english, reliable_english
from workbench.pipeline.reader.sentence_ranking import Candidate
from workbench.pipeline.reader.values import candidate_names, digits, folded_ascii, ordinary_words, question_type

if TYPE_CHECKING:
    from workbench.retrieval import LateInteraction

CLAIM = 2.0
"""Log-odds by which a document's sentence may be less sure than the best of all and still make a claim …"""
FURTHER = 2.0
"""… and a further one of a document than its own best."""
MOST_IN_DOCUMENT = 4
"""Claims of one document."""
SAME_NAME_RATIO = 80
"""From this rapidfuzz ratio in [0, 100] two transliterated names are one name."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One document's claim.

    `text` is the sentence in English, or the original where there was no reliable translation; `names` are the names
    and numbers in it. `language` is that of `text`.
    """

    candidate: Candidate
    text: str
    language: str
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
    """The candidates of each document that answer the question, by rank and place; `ranked` is best first."""
    by_document: dict[int, list[Candidate]] = {}
    claiming: list[Candidate] = []
    for item in ranked:
        is_sure = item.score >= ranked[0].score - CLAIM
        if not is_sure and not any(item.says_the_same(known) for known in claiming):
            continue
        claiming.append(item)
        others = by_document.setdefault(item.evidence.rank, [])
        is_further = not others or item.score >= others[0].score - FURTHER
        if is_further and len(others) < MOST_IN_DOCUMENT:
            others.append(item)
    relevant = (item for items in by_document.values() for item in items)
    return tuple(sorted(relevant, key=lambda item: (item.evidence.rank, item.start)))


def extract_claims(
    task: Task, candidates: Sequence[Candidate], translator: Translator, meaning: LateInteraction | None
) -> tuple[Claim, ...]:
    """The claims of the candidates: those with names or numbers, and one for a document in which none has any."""
    question = question_with_english(task, translator)
    kind = question_type(task.question, task.language)
    texts: list[tuple[str, str]] = []
    for item in candidates:
        english = reliable_english(item.text, item.language, translator)
        texts.append((english, ENGLISH) if english else (item.text, item.evidence.language))
    ordinary = ordinary_words([question, *(text for text, _ in texts), *(item.text for item in task.evidence)], meaning)
    claims = [
        Claim(item, text, language, candidate_names(text, question, kind, language, ordinary))
        for item, (text, language) in zip(candidates, texts, strict=True)
    ]
    with_names = {claim.evidence.rank for claim in claims if claim.names}
    silent = {claim.evidence.rank: claim for claim in reversed(claims) if claim.evidence.rank not in with_names}
    return tuple(claim for claim in claims if claim.names or silent.get(claim.evidence.rank) is claim)


def group_claims(claims: Sequence[Claim]) -> tuple[ClaimGroup, ...]:
    """Claims grouped by shared names and by meaning, the group of the best rank first.

    Claims without names are left out, unless they say the same as one with names.
    """
    groups: list[list[Claim]] = []
    for claim in claims:
        agreeing = [group for group in groups if any(_agree(claim, other) for other in group)]
        for group in agreeing:
            groups.remove(group)
        members = [claim, *(member for group in agreeing for member in group)]
        groups.append(sorted(members, key=lambda member: member.evidence.rank))
    groups.sort(key=lambda group: (group[0].evidence.rank, -len(group)))
    return tuple(ClaimGroup(tuple(group), names) for group in groups if (names := _group_names(group)))


def _agree(one: Claim, other: Claim) -> bool:
    return bool(_shared_names(one, other)) or one.candidate.says_the_same(other.candidate)


def _group_names(group: Sequence[Claim]) -> tuple[str, ...]:
    named = [claim for claim in group if claim.names]
    if not named:
        return ()
    first, *others = named
    if not others:
        return first.names
    return tuple(dict.fromkeys(name for claim in others for name in _shared_names(first, claim))) or first.names


def _shared_names(one: Claim, other: Claim) -> tuple[str, ...]:
    """Names of `one` that `other` has too."""
    return tuple(name for name in one.names if any(_same_name(name, rival) for rival in other.names))


def _same_name(one: str, other: str) -> bool:
    """Whether dates or numbers do not differ, or names are spelt alike in ASCII, in full or in their last word.

    A date that says less agrees with one that says more: 1876 with 7 March 1876.
    """
    from rapidfuzz.fuzz import ratio

    numbers, rivals = digits(one), digits(other)
    if numbers or rivals:
        return bool(numbers and rivals) and (numbers <= rivals or rivals <= numbers)
    left, right = folded_ascii(one), folded_ascii(other)
    return ratio(left, right) >= SAME_NAME_RATIO or left.split()[-1:] == right.split()[-1:]


SAME_TEXT_RATIO = 90
"""From this rapidfuzz ratio in [0, 100] two English sentences are one."""
LEAST_NUMBERS = 2
"""Numbers in common, and none else, that show a translation …"""
LEAST_DIGITS = 2
"""… if each has this many digits."""


def distinct_passages(claims: Sequence[Claim]) -> list[list[int]]:
    """The ranks of the claims' documents, those of one passage together, by rank."""
    groups = {claim.evidence.rank: {claim.evidence.rank} for claim in claims}
    for one, other in combinations(claims, 2):
        if groups[one.evidence.rank] is not groups[other.evidence.rank] and _same_passage(one, other):
            union = groups[one.evidence.rank] | groups[other.evidence.rank]
            groups |= dict.fromkeys(union, union)
    return sorted({min(group): sorted(group) for group in groups.values()}.values())


def passages_in_words(claims: Sequence[Claim]) -> str:
    """How many passages the claims' documents are, and in which languages.

    Only the languages, where each document is a passage of its own.
    """
    ranks = {claim.evidence.rank for claim in claims}
    names = in_words(dict.fromkeys(language(claim.evidence.passage.language).name for claim in claims))
    count = len(distinct_passages(claims))
    if count == len(ranks):
        return names
    return f"one passage, in {names}" if count == 1 else f"{count} passages, in {names}"


def _same_passage(one: Claim, other: Claim) -> bool:
    from rapidfuzz.fuzz import ratio

    left, right = one.evidence.passage, other.evidence.passage
    if left.group and left.group == right.group:
        return True
    if left.language == right.language:
        return left.text == right.text
    if one.candidate.says_the_same(other.candidate):
        return True
    if one.language == other.language:
        return ratio(one.text, other.text) >= SAME_TEXT_RATIO
    return _same_numbers(one.evidence, other.evidence)


def _same_numbers(one: Evidence, other: Evidence) -> bool:
    left, right = (
        {number for number in digits(item.passage.text) if len(number) >= LEAST_DIGITS} for item in (one, other)
    )
    return left == right and len(left) >= LEAST_NUMBERS


def in_words(items: Iterable[str]) -> str:
    """Items as they are listed in a sentence; at least one.

    >>> in_words(["Finnish", "French", "Thai"])
    'Finnish, French and Thai'
    """
    *most, last = items
    return f"{', '.join(most)} and {last}" if most else last
