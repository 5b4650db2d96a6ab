"""The four sections of Dialectic-RAG, Ranaldi et al. (2025, D-RAG), from the documents.

Extraction quotes each relevant document; Explanation reports what each claims and which do not bear on the question;
Dialectic Argumentation compares the claims with each other, and counts a passage once that was retrieved in several
languages; Answer is short and in the question's language, and quotes every side. The wording is neutral: it reports
whether sources agree and does not decide which of them is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.core import AnswerClaim, Generation, Span, Task, Translator
from workbench.languages import ENGLISH, language
from workbench.pipeline.reader.claims import (
    Claim,
    ClaimGroup,
    distinct_passages,
    extract_claims,
    group_claims,
    in_words,
    passages_in_words,
)
from workbench.pipeline.reader.quoting import compose_answer, preferred, translatability
from workbench.pipeline.reader.rendering import KIND_LABELS, Rendering, try_translate
from workbench.pipeline.reader.sentence_ranking import Candidate
from workbench.pipeline.reader.values import question_type

if TYPE_CHECKING:
    from workbench.retrieval import LateInteraction

LABELS = {
    "extraction": "#Extraction",
    "explanation": "#Explanation",
    "argumentation": "#Dialectic Argumentation",
    "answer": "#Answer",
}
POINTS_SHOWN = 4
"""Names and numbers of a claim that are listed; how many more there are is stated."""
ASKED_FOR = {"when": "a date", "number": "a number", "who": "a person's name", "where": "the name of a place"}
"""What a question of each type asks for."""


@dataclass(frozen=True, slots=True)
class _Analysis:
    """The type of the question, and the claims of the documents.

    `groups` are those that agree, `irrelevant` the ranks of the documents without a claim.
    """

    kind: str
    claims: tuple[Claim, ...]
    groups: tuple[ClaimGroup, ...]
    irrelevant: tuple[int, ...]


def dialectic_answer(
    task: Task, ranked: Sequence[Candidate], translator: Translator, meaning: LateInteraction | None
) -> Generation:
    """The sections that `task.dialectic` names, each beginning on a separate line with its label.

    `ranked` is every candidate, best first, at least one.  The spans are the quoted sentences.
    """
    analysis = _analyse(task, ranked, translator, meaning)
    explanation = _in_argument_language(_explanation(analysis), task.argument_language, translator)
    argument = _in_argument_language(_argument(analysis), task.argument_language, translator)
    answer = _answer(task, ranked, analysis, translator, meaning)
    texts = {
        "extraction": _extraction(analysis),
        "explanation": explanation.text,
        "argumentation": argument.text,
        "answer": answer.text,
    }
    sections = [section for section in LABELS if section in task.dialectic]
    notes = [answer.note] if "answer" in sections else []
    if {"explanation", "argumentation"} & set(sections):
        notes.extend(dict.fromkeys(item.note for item in (explanation, argument) if item.note))
    text = "\n".join(f"{LABELS[section]}: {texts[section]}" for section in sections)
    spans = tuple(claim.candidate.span for claim in analysis.claims)
    claims = answer.claims if "answer" in sections else ()
    return Generation(text, spans, " ".join(notes), answer.translation, claims=claims)


def _analyse(
    task: Task, ranked: Sequence[Candidate], translator: Translator, meaning: LateInteraction | None
) -> _Analysis:
    claims = extract_claims(task, ranked, translator, meaning)
    irrelevant = sorted({item.rank for item in task.evidence}.difference(_ranks(claims)))
    kind = question_type(task.question, task.language)
    return _Analysis(kind, claims, group_claims(claims), tuple(irrelevant))


def _extraction(analysis: _Analysis) -> str:
    lines: list[str] = []
    for rank in _ranks(analysis.claims):
        claims = [claim for claim in analysis.claims if claim.evidence.rank == rank]
        quotes = " ".join(f"“{claim.candidate.text}”" for claim in claims)
        lines.append(f"[{rank}] ({claims[0].evidence.language}) {quotes}")
    return "\n".join(lines)


def _explanation(analysis: _Analysis) -> str:
    by_text: dict[str, list[Claim]] = {}
    for claim in analysis.claims:
        by_text.setdefault(claim.text, []).append(claim)
    lines = [f"{_documents(claims)} {_claim_sentence(claims)}" for claims in by_text.values()]
    if analysis.irrelevant:
        verb = _agreeing(analysis.irrelevant, "bears", "bear")
        lines.append(f"{_documents_of_ranks(analysis.irrelevant)} {verb} little on it.")
    return "\n".join(lines)


def _claim_sentence(claims: Sequence[Claim]) -> str:
    """What documents that say the same in English claim."""
    subject, names = _ranks(claims), claims[0].names
    addressing = f"{_agreeing(subject, 'addresses', 'address')} the question"
    mentioning = f" and {_agreeing(subject, 'mentions', 'mention')} {_points(names)}" if names else ""
    return f"{addressing}{mentioning}: {claims[0].text}"


def _argument(analysis: _Analysis) -> str:
    groups = analysis.groups
    sought = ASKED_FOR.get(analysis.kind, "a name or a number")
    if not groups:
        return f"No relevant sentence contains {sought}, so there is nothing to compare."
    if len(groups) == 1:
        return _one_side(groups[0], sought)
    lines = [
        f"{_documents(group.claims)} ({passages_in_words(group.claims)}) "
        f"{_agreeing(_ranks(group.claims), 'points', 'point')} to {_points(group.names)}."
        for group in groups
    ]
    lines.append(
        "These claims differ. They may conflict or stress different things; "
        "the documents alone do not decide between them."
    )
    return "\n".join(lines)


def _one_side(group: ClaimGroup, sought: str) -> str:
    """The argument where nothing contradicts: a passage is no second witness to its own translation."""
    claims, names = group.claims, _points(group.names)
    if len(_ranks(claims)) == 1:
        return f"Only document [{_ranks(claims)[0]}] answers with {sought} ({names}); no document contradicts it."
    if len(distinct_passages(claims)) == 1:
        return (
            f"{_documents(claims)} are {passages_in_words(claims)}; it answers with {names}. "
            "No other relevant document confirms or contradicts it."
        )
    return f"{_documents(claims)} ({passages_in_words(claims)}) agree on {names}. No relevant document says otherwise."


def _in_argument_language(text: str, target: str, translator: Translator) -> Rendering:
    """English unless the translator is reliable in `target`: a gloss of an argument would mislead."""
    if target == ENGLISH:
        return Rendering(text)
    translation = try_translate(translator, text, ENGLISH, target)
    if translation is None or translation.kind in ("gloss", "mixed"):
        return Rendering(text, f"The argument is in English: it could not be translated to {language(target).name}.")
    return Rendering(translation.text, f"The argument was translated by {KIND_LABELS[translation.kind]}.")


def _answer(
    task: Task,
    ranked: Sequence[Candidate],
    analysis: _Analysis,
    translator: Translator,
    meaning: LateInteraction | None,
) -> Rendering:
    """A sentence of each side, that with the most support first; the best sentence where none has names or numbers."""
    answer_language = task.answer_language or task.language
    of_claims = {claim.candidate.span for claim in analysis.claims}
    first = preferred([item for item in ranked if item.span in of_claims], answer_language, translator)
    quoted = [_side(group, answer_language, translator) for group in analysis.groups]
    if not any(claim.candidate.span == first.span for group in analysis.groups for claim in group.claims):
        quoted.insert(0, first)
    task = replace(task, answer_language=answer_language)
    answers = [compose_answer([item], task, translator, meaning) for item in quoted]
    notes = dict.fromkeys(item.note for item in answers if item.note)
    spans: dict[str, list[Span]] = {}
    for item, answer in zip(quoted, answers, strict=True):
        spans.setdefault(answer.text, []).extend(_support(item, analysis))
    claims = tuple(AnswerClaim(text, tuple(dict.fromkeys(sources))) for text, sources in spans.items())
    return Rendering(" / ".join(spans), " ".join(notes), answers[0].translation, claims)


def _support(item: Candidate, analysis: _Analysis) -> list[Span]:
    """The quoted sentence, then those of the claims that agree with it."""
    group = next((one for one in analysis.groups if any(each.candidate.span == item.span for each in one.claims)), None)
    return [item.span, *(claim.candidate.span for claim in (group.claims if group else ()))]


def _side(group: ClaimGroup, answer_language: str, translator: Translator) -> Candidate:
    """The sentence that is quoted for a side: in the answer's language, else the best to translate; then the surest."""
    candidates = sorted((claim.candidate for claim in group.claims), key=lambda item: -item.score)
    return max(
        candidates,
        key=lambda item: (item.language == answer_language, translatability(item, answer_language, translator)),
    )


def _ranks(claims: Sequence[Claim]) -> list[int]:
    return sorted({claim.evidence.rank for claim in claims})


def _documents(claims: Sequence[Claim]) -> str:
    return _documents_of_ranks(_ranks(claims))


def _documents_of_ranks(ranks: Sequence[int]) -> str:
    numbers = in_words([f"[{rank}]" for rank in ranks])
    return f"Document{'s' if len(ranks) > 1 else ''} {numbers}"


def _agreeing(subject: Sequence[object], singular: str, plural: str) -> str:
    """The form of a verb that agrees with the subject in number."""
    return singular if len(subject) == 1 else plural


def _points(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = len(names) - POINTS_SHOWN
    return in_words([*names[:POINTS_SHOWN], f"{more} more"] if more > 0 else names)
