"""The four sections of Dialectic-RAG, Ranaldi et al. (2025, D-RAG), built from the documents without a model.

Extraction quotes each relevant document; Explanation reports what each claims and which do not bear on the question;
Dialectic Argumentation compares the claims with each other; Answer is short and in the question's language.  The
wording is neutral: it reports whether sources agree and does not decide which of them is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.languages import ENGLISH, language
from workbench.protocols import Translator
from workbench.reader.claims import Claim, ClaimGroup, extract_claims, group_claims, relevant_candidates
from workbench.reader.quoting import compose_answer, in_best_language
from workbench.reader.rendering import KIND_LABELS, Rendering, try_translate
from workbench.reader.sentence_scoring import Candidate
from workbench.records import Generation, Task

LABELS = {
    "extraction": "#Extraction",
    "explanation": "#Explanation",
    "argumentation": "#Dialectic Argumentation",
    "answer": "#Answer",
}
NAMES_SHOWN = 4


@dataclass(frozen=True, slots=True)
class _Analysis:
    """The claims of the documents, those that agree in groups, and the ranks of the documents without a claim."""

    claims: tuple[Claim, ...]
    groups: tuple[ClaimGroup, ...]
    irrelevant: tuple[int, ...]


def dialectic_answer(task: Task, ranked: Sequence[Candidate], translator: Translator) -> Generation:
    """The sections that `task.dialectic` names, each beginning on a separate line with its label.

    `ranked` is every candidate, best first, at least one.  The spans are the quoted sentences.
    """
    candidates = relevant_candidates(ranked)
    analysis = _analyse(task, candidates, translator)
    explanation = _in_argument_language(_explanation(analysis), task.argument_language, translator)
    argument = _in_argument_language(_argument(analysis), task.argument_language, translator)
    answer = _answer(task, ranked, analysis, translator)
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
    return Generation(text, tuple(item.span for item in candidates), " ".join(notes), answer.translation)


def _analyse(task: Task, candidates: Sequence[Candidate], translator: Translator) -> _Analysis:
    claims = extract_claims(task, candidates, translator)
    relevant = {item.evidence.rank for item in candidates}
    irrelevant = sorted(item.rank for item in task.evidence if item.rank not in relevant)
    return _Analysis(claims, group_claims(claims), tuple(irrelevant))


def _extraction(analysis: _Analysis) -> str:
    return "\n".join(
        f"[{claim.evidence.rank}] ({claim.evidence.language}) “{claim.candidate.text}”" for claim in analysis.claims
    )


def _explanation(analysis: _Analysis) -> str:
    lines = [f"{_documents([claim])} {_claim_sentence(claim)}" for claim in analysis.claims]
    if analysis.irrelevant:
        verb = _agreeing(analysis.irrelevant, "bears", "bear")
        lines.append(f"{_documents_of_ranks(analysis.irrelevant)} {verb} little on it.")
    return "\n".join(lines)


def _claim_sentence(claim: Claim) -> str:
    names = f" and mentions {_listed(claim.names)}" if claim.names else ""
    return f"addresses the question{names}: {claim.text}"


def _argument(analysis: _Analysis) -> str:
    groups = analysis.groups
    if not groups:
        return "The documents hold no names or numbers to set against each other."
    if len(groups) == 1:
        claims, names = groups[0].claims, _listed(groups[0].names)
        if len(claims) == 1:
            return f"Only {_documents(claims)} answers in names or numbers ({names}); no document contradicts it."
        return f"{_documents(claims)} agree on {names}. No relevant document says otherwise."
    lines = [
        f"{_documents(group.claims)} ({_language_names(group)}) {_agreeing(group.claims, 'points', 'point')} to "
        f"{_listed(group.names)}."
        for group in groups
    ]
    lines.append(
        "These claims differ. They may conflict or stress different things; "
        "the documents alone do not decide between them."
    )
    return "\n".join(lines)


def _in_argument_language(text: str, target: str, translator: Translator) -> Rendering:
    """English unless the translator is reliable in `target`: a gloss of an argument would mislead."""
    if target == ENGLISH:
        return Rendering(text)
    translation = try_translate(translator, text, ENGLISH, target)
    if translation is None or translation.kind in ("gloss", "mixed"):
        return Rendering(text, f"The argument is in English: it could not be translated to {language(target).name}.")
    return Rendering(translation.text, f"The argument was translated by {KIND_LABELS[translation.kind]}.")


def _answer(task: Task, ranked: Sequence[Candidate], analysis: _Analysis, translator: Translator) -> Rendering:
    """The best sentence and, where claims differ, the best one that disagrees with it, so that neither is hidden."""
    answer_language = task.answer_language or task.language
    first = in_best_language(ranked, answer_language, translator)[0]
    quoted = [first]
    if len(analysis.groups) > 1:
        others = [
            group.claims[0].candidate
            for group in analysis.groups
            if all(claim.evidence.rank != first.evidence.rank for claim in group.claims)
        ]
        quoted.extend(others[:1])
    task = replace(task, answer_language=answer_language)
    answers = [compose_answer([item], task, translator) for item in quoted]
    notes = dict.fromkeys(item.note for item in answers if item.note)
    return Rendering(" / ".join(dict.fromkeys(item.text for item in answers)), " ".join(notes), answers[0].translation)


def _documents(claims: Sequence[Claim]) -> str:
    return _documents_of_ranks([claim.evidence.rank for claim in claims])


def _documents_of_ranks(ranks: Sequence[int]) -> str:
    numbers = _listed([f"[{rank}]" for rank in ranks])
    return f"Document{'s' if len(ranks) > 1 else ''} {numbers}"


def _agreeing(subject: Sequence[object], singular: str, plural: str) -> str:
    """The form of a verb that agrees with the subject in number."""
    return singular if len(subject) == 1 else plural


def _listed(items: Sequence[str]) -> str:
    shown = list(items[:NAMES_SHOWN])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _language_names(group: ClaimGroup) -> str:
    return ", ".join(dict.fromkeys(language(claim.evidence.language).name for claim in group.claims))
