"""What each document claims in answer to the question, and which documents agree.

A claim is a sentence that is nearly as sure to answer the question as the best one, or says the same as one that is,
with the names or numbers in it that are of the kind asked for and not in the question. A sentence that is far from the
best, or without such a value, mentions what is asked for and is no claim. A document that answers in several sentences
makes several claims. Two sentences say the same where their English is the same, as far as the translator knows it, or
where, with an encoder of meaning, they translate each other; so the versions of a passage make the same claims.
Documents that share a name or number of the kind asked for agree, as do those that say the same; others differ.

One passage in several languages is counted once. A corpus that is aligned says so itself (`Passage.group`). Elsewhere
two documents in different languages are one passage where they make a claim in sentences that say the same.
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

NEAR, NEAR_BY_WORDS, WAY = 1.0, 2.0, 0.5
"""How far below the best a sentence may be and still make a claim: in log-odds, by meaning and by words, or as a share
of the way from the best to the mean of all, whichever is more. Chosen on half of `benchmarks.reader.mentions`."""
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
    names: tuple[str, ...] = ()

    @property
    def evidence(self) -> Evidence:
        """The document that makes the claim."""
        return self.candidate.evidence

    def says_the_same(self, other: Claim) -> bool:
        """Whether two sentences have the same English or translate each other."""
        is_equal = (self.text, self.language) == (other.text, other.language)
        return is_equal or self.candidate.says_the_same(other.candidate)


@dataclass(frozen=True, slots=True)
class ClaimGroup:
    """Claims that agree, best ranked first, and the names that they share (or all names of a single claim)."""

    claims: tuple[Claim, ...]
    names: tuple[str, ...]


def extract_claims(
    task: Task, ranked: Sequence[Candidate], translator: Translator, meaning: LateInteraction | None
) -> tuple[Claim, ...]:
    """The claims by rank and place; `ranked` is every candidate, best first, at least one."""
    texts = [reliable_english(item.text, item.language, translator) for item in ranked]
    question, kind = question_with_english(task, translator), question_type(task.question, task.language)
    ordinary = ordinary_words([question, *texts, *(item.text for item in task.evidence)], meaning)
    all_claims: list[Claim] = []
    for item, english in zip(ranked, texts, strict=True):
        text, text_language = (english, ENGLISH) if english else (item.text, item.language)
        all_claims.append(
            Claim(item, text, text_language, candidate_names(text, question, kind, text_language, ordinary))
        )
    best, mean = ranked[0].score, sum(item.score for item in ranked) / len(ranked)
    margin = max(NEAR_BY_WORDS if meaning is None else NEAR, WAY * (best - mean))
    of_kind = [claim for claim in all_claims if claim.names or not _would_show(claim.text, kind)]
    claims: list[Claim] = []
    if of_kind and of_kind[0].candidate.score >= best - 2 * margin:
        least = of_kind[0].candidate.score - margin
        for claim in of_kind:
            if claim.candidate.score >= least or any(claim.says_the_same(known) for known in claims):
                claims.append(claim)
    if not claims:
        near = [claim for claim in all_claims if claim.candidate.score >= best - margin]
        claims = list({claim.evidence.rank: claim for claim in reversed(near)}.values())
    return tuple(sorted(claims, key=lambda claim: (claim.evidence.rank, claim.candidate.start)))


def _would_show(text: str, kind: str) -> bool:
    """Whether values of the kind are recognised in such a text: numbers in any, names where there are capitals."""
    return kind in ("when", "number") or any(map(str.isupper, text))


def group_claims(claims: Sequence[Claim]) -> tuple[ClaimGroup, ...]:
    """Claims grouped by shared names and by meaning.

    First comes the group that most passages support, then that in most languages, then that of the best rank. Claims
    without names are left out, unless they say the same as one with names.
    """
    groups: list[list[Claim]] = []
    for claim in claims:
        agreeing = [group for group in groups if any(_agree(claim, other) for other in group)]
        for group in agreeing:
            groups.remove(group)
        members = [claim, *(member for group in agreeing for member in group)]
        groups.append(sorted(members, key=lambda member: member.evidence.rank))
    groups.sort(
        key=lambda group: (
            -len(distinct_passages(group)),
            -len({claim.evidence.language for claim in group}),
            group[0].evidence.rank,
        )
    )
    return tuple(ClaimGroup(tuple(group), names) for group in groups if (names := _group_names(group)))


def _agree(one: Claim, other: Claim) -> bool:
    return bool(_shared_names(one, other)) or one.says_the_same(other)


def _group_names(group: Sequence[Claim]) -> tuple[str, ...]:
    named = [claim for claim in group if claim.names]
    if not named:
        return ()
    first, *others = named
    return tuple(dict.fromkeys(name for claim in others for name in _shared_names(first, claim))) or first.names


def _shared_names(one: Claim, other: Claim) -> tuple[str, ...]:
    """Names of `one` that `other` has too."""
    return tuple(name for name in one.names if any(same_name(name, rival) for rival in other.names))


def same_name(one: str, other: str) -> bool:
    """Whether dates or numbers do not differ, or names are spelt alike in ASCII, in full or in their last word.

    A date that says less agrees with one that says more: 1876 with 7 March 1876.
    """
    from rapidfuzz.fuzz import ratio

    numbers, rivals = digits(one), digits(other)
    if numbers or rivals:
        return bool(numbers and rivals) and (numbers <= rivals or rivals <= numbers)
    left, right = folded_ascii(one), folded_ascii(other)
    return ratio(left, right) >= SAME_NAME_RATIO or left.split()[-1:] == right.split()[-1:]


def distinct_passages(claims: Sequence[Claim]) -> list[list[int]]:
    """The ranks of the claims' documents, those of one passage together, by rank."""
    groups = {claim.evidence.rank: {claim.evidence.rank} for claim in claims}
    for one, other in combinations(claims, 2):
        if groups[one.evidence.rank] is not groups[other.evidence.rank] and _same_passage(one, other):
            union = groups[one.evidence.rank] | groups[other.evidence.rank]
            groups |= dict.fromkeys(union, union)
    return sorted({min(group): sorted(group) for group in groups.values()}.values())


def _same_passage(one: Claim, other: Claim) -> bool:
    left, right = one.evidence.passage, other.evidence.passage
    if left.group and left.group == right.group:
        return True
    return left.text == right.text if left.language == right.language else one.says_the_same(other)


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


def in_words(items: Iterable[str]) -> str:
    """Items as they are listed in a sentence; at least one.

    >>> in_words(["Finnish", "French", "Thai"])
    'Finnish, French and Thai'
    """
    *most, last = items
    return f"{', '.join(most)} and {last}" if most else last
