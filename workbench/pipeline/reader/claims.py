"""What each document claims in answer to the question, and which documents agree.

A claim is a sentence that repeats enough of the question's content, and the names or numbers in it that are of the kind
asked for and not in the question. A document that answers in several sentences makes several claims. Claims in
different languages are compared in English where the translator has the sentence, else by transliteration. Documents
that share a name or number of the kind asked for agree; those that share none differ.

With an encoder of meaning, a sentence that is not compared by words makes a claim if it is nearly as near to the
question as the nearest such one, and sentences that translate each other agree, whatever their script.

One passage in several languages is counted once. A corpus that is aligned says so itself (`Passage.group`). Elsewhere
two documents are one passage where they say the same in English as far as the translator knows them, contain the same
two or more numbers of several digits, or make a claim in sentences that translate each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from workbench.core import Evidence, FloatArray, Task, Translator
from workbench.languages import ENGLISH, language
from workbench.pipeline.reader.candidates import candidate_names, digits, folded_ascii, lower_words, question_type
from workbench.pipeline.reader.evidence_sentences import Meaning, question_with_english, reliable_english
from workbench.pipeline.reader.sentence_scoring import Candidate

LEAST_RELATIVE_SCORE = 0.5
"""A document is relevant from this share of the best document's score …"""
LEAST_OVERLAP = 0.15
"""… if its sentence repeats at least this share of the question."""
LEAST_RELATIVE_CONTENT = 0.65
"""A sentence makes a claim from this share of the content that the best one repeats …"""
LEAST_CONTENT = 0.5
"""… and from this share of all the question's content, if any sentence repeats that much."""
LEAST_FURTHER_SCORE = 0.8
"""A further sentence of a document makes a claim from this share of its best one's score, with a name or number."""
MOST_IN_DOCUMENT = 3
"""Claims of one document."""
LARGEST_DISTANCE = 0.02
"""A sentence that is not compared by words makes a claim if its cosine with the question is at most this much below
that of the nearest such sentence."""
SAME_MEANING = 0.92
"""From this cosine two sentences in different languages translate each other. Of the sample's translations of one
sentence 46 % are that near, of the other sentences of its article 0.1 %: two sides shown as one would be worse than one
side shown twice."""
SAME_NAME_RATIO = 80
"""From this rapidfuzz ratio in [0, 100] two transliterated names are one name."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One document's claim.

    `text` is the sentence in English, or the original where there was no reliable translation; `names` are the names
    and numbers in it. `language` is that of `text`. `vector` is the sentence's, None without an encoder of meaning.
    """

    candidate: Candidate
    text: str
    language: str
    names: tuple[str, ...]
    vector: FloatArray | None = field(default=None, compare=False)

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
    """The candidates of each document that bear on the question, by rank and place; `ranked` is best first.

    A sentence that says in English what such a candidate says does so too, whatever its language shows.
    """
    apart = [item.likeness.sentence for item in ranked if item.likeness and item.is_by_meaning]
    near = max(apart, default=0.0) - LARGEST_DISTANCE
    claiming = [
        item
        for item, is_claim in zip(ranked, _claims_by_word(ranked), strict=True)
        if is_claim or (item.likeness and item.is_by_meaning and item.likeness.sentence >= near)
    ]
    return _best_of_documents(claiming) or (ranked[0],)


def _claims_by_word(ranked: Sequence[Candidate]) -> list[bool]:
    """Which candidates repeat enough of the question; by meaning, those that cannot be compared by words do not."""
    least = LEAST_RELATIVE_SCORE * ranked[0].score
    most_content = max((item.content for item in ranked if not item.is_by_meaning), default=0.0)
    least_content = max(LEAST_RELATIVE_CONTENT * most_content, min(LEAST_CONTENT, most_content))
    good = [item.score >= least and item.overlap >= LEAST_OVERLAP and not item.is_by_meaning for item in ranked]
    sure = (item for item, is_good in zip(ranked, good, strict=True) if is_good and item.content >= least_content)
    english_claims = {item.sentence.english for item in sure} - {""}
    return [
        is_good and (item.content >= least_content or item.sentence.english in english_claims)
        for item, is_good in zip(ranked, good, strict=True)
    ]


def _best_of_documents(ranked: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The best candidate of each document and those nearly as good, by rank and place."""
    by_document: dict[int, list[Candidate]] = {}
    for item in ranked:
        others = by_document.setdefault(item.evidence.rank, [])
        is_further = not others or item.score >= LEAST_FURTHER_SCORE * others[0].score
        if is_further and len(others) < MOST_IN_DOCUMENT:
            others.append(item)
    relevant = (item for items in by_document.values() for item in items)
    return tuple(sorted(relevant, key=lambda item: (item.evidence.rank, item.start)))


def extract_claims(
    task: Task, candidates: Sequence[Candidate], translator: Translator, meaning: Meaning | None = None
) -> tuple[Claim, ...]:
    """The claims of the candidates: those with names or numbers, and one for a document in which none has any."""
    question = question_with_english(task, translator)
    kind = question_type(task.question, task.language)
    texts: list[tuple[str, str]] = []
    for item in candidates:
        english = item.sentence.english or reliable_english(item.text, item.evidence.language, translator)
        texts.append((english, ENGLISH) if english else (item.text, item.evidence.language))
    ordinary = lower_words([question, *(text for text, _ in texts), *(item.text for item in task.evidence)])
    vectors = [None] * len(candidates) if meaning is None else meaning.sentences([item.sentence for item in candidates])
    claims = [
        Claim(item, text, language, candidate_names(text, question, kind, language, ordinary), vector)
        for item, (text, language), vector in zip(candidates, texts, vectors, strict=True)
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
    return bool(_shared_names(one, other)) or translate_each_other(one, other)


def translate_each_other(one: Claim, other: Claim) -> bool:
    """Whether two claims are one sentence in two languages, by meaning; False where that is not known."""
    if one.vector is None or other.vector is None or one.evidence.language == other.evidence.language:
        return False
    numbers, rivals = digits(one.candidate.text), digits(other.candidate.text)
    return (numbers <= rivals or rivals <= numbers) and float(one.vector @ other.vector) >= SAME_MEANING


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
    if translate_each_other(one, other):
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
