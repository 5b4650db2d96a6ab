"""What clients get of an answer: its text, its evidence and what it took, as models that also describe the API."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from workbench.core import Answer, Evidence, Usage
from workbench.pipeline import Recipe


class EvidencePassage(BaseModel):
    """A passage as the generator read it."""

    rank: int = Field(description="From 1, best first.")
    id: str
    document: str
    title: str
    language: str
    text: str
    page: int | None = Field(description="Page of its file, from 1; null where it has none.")
    page_end: int | None
    heading: str
    translation: str | None = Field(description="What the generator read in place of the text, where translated.")
    scores: dict[str, float]


class TokenUsage(BaseModel):
    """Tokens that the generator read and wrote."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    estimated: bool = Field(description="Counted from the texts, since the model's server gave no figures.")


class QuestionFacts(BaseModel):
    """The question with its language, under which recipe."""

    model_config = ConfigDict(protected_namespaces=())

    question: str
    language: str
    language_detected: bool = Field(description="The client gave no language, so it was identified.")
    recipe: str
    fingerprint: str = Field(description="Digest of every choice of the recipe.")


class RetrieveReply(QuestionFacts):
    """The evidence of a question."""

    evidence: list[EvidencePassage]
    seconds: float


class AskReply(QuestionFacts):
    """The answer to a question."""

    answer: str
    answer_language: str = Field(description='Detected; "" where it cannot be identified.')
    answer_translation: bool = Field(description="The answer was translated into the question's language.")
    note: str = Field(description='What the generator reports of its answer, "" where nothing.')
    finish: str = Field(description='"stop", "length" where the limit of tokens cut it off, "" where unknown.')
    evidence: list[EvidencePassage]
    usage: TokenUsage | None = Field(description="null for a generator that counts no tokens.")
    seconds: float


def facts_of(question: str, language: str, detected: bool, name: str, recipe: Recipe) -> QuestionFacts:
    """The facts that every reply begins with."""
    return QuestionFacts(
        question=question, language=language, language_detected=detected, recipe=name, fingerprint=recipe.fingerprint
    )


def ask_reply(answer: Answer, facts: QuestionFacts, seconds: float) -> AskReply:
    """The complete answer."""
    return AskReply(
        **facts.model_dump(),
        answer=answer.text,
        answer_language=answer.answer_language,
        answer_translation=answer.answer_translation is not None,
        note=answer.generation.note,
        finish=answer.generation.finish,
        evidence=evidence_passages(answer.evidence),
        usage=token_usage(answer.generation.usage),
        seconds=round(seconds, 6),
    )


def retrieve_reply(evidence: Sequence[Evidence], facts: QuestionFacts, seconds: float) -> RetrieveReply:
    """The evidence alone."""
    return RetrieveReply(**facts.model_dump(), evidence=evidence_passages(evidence), seconds=round(seconds, 6))


def evidence_passages(evidence: Sequence[Evidence]) -> list[EvidencePassage]:
    """The evidence, best first."""
    return [
        EvidencePassage(
            rank=item.rank,
            id=item.passage.id,
            document=item.passage.document,
            title=item.passage.title,
            language=item.passage.language,
            text=item.passage.text,
            page=item.passage.page or None,
            page_end=item.passage.page_end or None,
            heading=item.passage.heading,
            translation=None if item.translation is None else item.translation.text,
            scores=dict(item.scores),
        )
        for item in evidence
    ]


def token_usage(usage: Usage | None) -> TokenUsage | None:
    """The tokens of a generation, None where none were counted."""
    if usage is None:
        return None
    return TokenUsage(
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        total_tokens=usage.prompt_tokens + usage.completion_tokens,
        estimated=usage.estimated,
    )
