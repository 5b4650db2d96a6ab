"""Demonstrations and held-out questions of the sample, in English, with the prompts of the product.

Nobody here writes as a strong model does, so the teacher is a script. It knows the gold answers: it quotes of each
document the sentence nearest to the question, says whether that states a gold answer, weighs the documents, and answers
with the gold that they state. It shows the form of D-RAG faultlessly and no style of its own; a question of whose
documents none states a gold answer gives no demonstration, as strict exact match would leave none.

A group is a topic, so that neither a question, nor its translation, nor a text about its topic is on both sides. Each
question has up to three sets of documents: the best three of the search, and twice a document that states the answer
with two others, in another order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import regex

from workbench.app.workbench import Workbench
from workbench.core import Evidence, Passage, Prompt, Question, Task
from workbench.data.corpora import sample
from workbench.data.corpora.corpus_library import SAMPLE_LICENCE, SAMPLE_SOURCE
from workbench.jobs.demonstrations.demonstration_file import (
    ChatMessage,
    Demonstration,
    DemonstrationPassage,
)
from workbench.jobs.demonstrations.demonstration_store import DemonstrationKind
from workbench.languages import language
from workbench.languages.segment import sentences
from workbench.metrics.answers.flexible_em import flexible_em
from workbench.pipeline.prompts import compose, dialectic
from workbench.pipeline.recipe import Recipe

RECIPE = Recipe(mode="drag", scope="en", k=6, candidates=10)
SETS = ((0, 1, 2), (3, 0, 4), (5, 4, 0), (1, 0, 5), (0, 3, 1), (4, 2, 0))
"""The documents of each set, by their place in the search; 0 is replaced by one that states the answer."""
EVALUATED = 2
"""Of the sets, those that a held-out question is asked over, as the search ranks them."""
HOLDOUT_TOPICS = 14
"""Topics of 33 whose questions are for evaluation alone."""
RAG = "answer-from-evidence-en"
"""The prompt of plain RAG, for the control: a clear answer from the evidence."""
WORD = regex.compile(r"\p{L}{4,}|\p{N}+")
ENGLISH = language("en")


@dataclass(frozen=True, slots=True)
class HoldoutQuestion:
    """A question for evaluation alone over one set of documents, with the prompts of D-RAG and of plain RAG."""

    id: str
    topic: str
    question: str
    answers: tuple[str, ...]
    drag: tuple[str, str]
    rag: tuple[str, str]


def topic_of(question: Question) -> str:
    """The topic of a question's gold passages."""
    return question.gold[0].partition(".")[0]


def holdout_topics(questions: Sequence[Question]) -> set[str]:
    """The topics for evaluation alone, drawn by their names' digests."""
    topics = sorted({topic_of(item) for item in questions}, key=lambda name: hashlib.sha256(name.encode()).digest())
    return set(topics[:HOLDOUT_TOPICS])


def english_questions() -> list[Question]:
    """The sample's questions in English that an English passage answers."""
    return [item for item in sample.questions("en") if item.answers and item.gold and ".en." in item.gold[0]]


def material(bench: Workbench) -> tuple[list[Demonstration], list[HoldoutQuestion]]:
    """The demonstrations, each of D-RAG followed by its control of plain RAG, and the held-out questions."""
    questions = english_questions()
    withheld = holdout_topics(questions)
    demonstrations: list[Demonstration] = []
    evaluation: list[HoldoutQuestion] = []
    for question in questions:
        ranking = [item.passage for item in bench.search(question.text, "en", RECIPE)]
        if topic_of(question) in withheld:
            evaluation += _evaluation(question, ranking)
        else:
            demonstrations += _demonstrations(question, ranking)
    return demonstrations, evaluation


def drag_prompt(task: Task) -> Prompt:
    """The prompt of D-RAG in one call."""
    return dialectic.render(task)


def rag_prompt(task: Task) -> Prompt:
    """The prompt of plain RAG over the same documents."""
    return compose.render(RAG, task).prompt


def _evaluation(question: Question, ranking: Sequence[Passage]) -> Iterator[HoldoutQuestion]:
    for number, places in enumerate(SETS[:EVALUATED], start=1):
        task = _task(question, [ranking[place] for place in places if place < len(ranking)])
        drag, rag = drag_prompt(task), rag_prompt(task)
        yield HoldoutQuestion(
            f"{question.id}-{number}",
            topic_of(question),
            question.text,
            question.answers,
            (drag.system, drag.user),
            (rag.system, rag.user),
        )


def _task(question: Question, passages: Sequence[Passage]) -> Task:
    evidence = tuple(Evidence(passage, rank) for rank, passage in enumerate(passages, start=1))
    return Task(question.text, "en", evidence, "en", dialectic=dialectic.PARTS)


def _demonstrations(question: Question, ranking: Sequence[Passage]) -> Iterator[Demonstration]:
    stating = [item for item in ranking if _stated(item.text, question)]
    sets: dict[tuple[str, ...], list[Passage]] = {}
    for places in SETS:
        if stating and len(ranking) > max(places):
            first = ranking if places == SETS[0] else [stating[0], *(item for item in ranking if item != stating[0])]
            passages = [first[place] for place in places]
            sets.setdefault(tuple(sorted(item.id for item in passages)), passages)
    for number, passages in enumerate(sets.values(), start=1):
        answer = next(filter(None, (_stated(item.text, question) for item in passages)), "")
        if not answer:
            continue
        task = _task(question, passages)
        yield _demonstration(question, number, "drag", drag_prompt(task), argued(question, passages, answer), passages)
        yield _demonstration(question, number, "rag", rag_prompt(task), answer, passages)


def _demonstration(
    question: Question, number: int, kind: DemonstrationKind, prompt: Prompt, text: str, passages: Sequence[Passage]
) -> Demonstration:
    return Demonstration(
        prompt=[ChatMessage(role="system", content=prompt.system), ChatMessage(role="user", content=prompt.user)],
        completion=[ChatMessage(role="assistant", content=text)],
        id=f"{question.id}-{number}-{kind}",
        group=topic_of(question),
        language="en",
        kind=kind,
        dataset="sample",
        question=question.text,
        answers=list(question.answers),
        passages=[
            DemonstrationPassage(
                id=item.id, title=item.title, language=item.language, licence=SAMPLE_LICENCE, source=SAMPLE_SOURCE
            )
            for item in passages
        ],
    )


def argued(question: Question, passages: Sequence[Passage], answer: str) -> str:
    """An answer in the form of D-RAG, by the script."""
    quotes = [_nearest(item.text, question, _stated(item.text, question)) for item in passages]
    golds = [_stated(item.text, question) for item in passages]
    numbers = [number for number, gold in enumerate(golds, start=1) if gold]
    others = [number for number, gold in enumerate(golds, start=1) if not gold]
    extraction = "\n".join(
        f"- {passages[number - 1].title}: {quotes[number - 1]} (Ref [{number}])" for number in numbers
    )
    claims = [
        f"Document [{number}] claims: “{quote}” This is relevant, because it states {gold}."
        if gold
        else f"Document [{number}] is about {passages[number - 1].title} and does not answer the question: irrelevant."
        for number, (quote, gold) in enumerate(zip(quotes, golds, strict=True), start=1)
    ]
    differing = list(dict.fromkeys(gold for gold in golds if gold))
    weighed = (
        f"The documents {_refs(numbers)} differ, {' and '.join(differing)}; the first is supported best."
        if len(differing) > 1
        else f"The evidence for {answer} is in {_refs(numbers)}, and no document contradicts it."
    )
    rest = f" {_refs(others)} add{'s' if len(others) == 1 else ''} nothing to the question." if others else ""
    parts = (extraction, " ".join(claims), f"{weighed}{rest}", answer)
    return "\n\n".join(f"{label}\n{text}" for label, text in zip(dialectic.PART_LABELS.values(), parts, strict=True))


def _refs(numbers: Sequence[int]) -> str:
    return " and ".join(f"[{number}]" for number in numbers)


def _stated(text: str, question: Question) -> str:
    """The first gold answer that a text states, "" for none."""
    return next((gold for gold in question.answers if flexible_em(text, [gold], language=ENGLISH).value == 1), "")


def _nearest(text: str, question: Question, gold: str) -> str:
    """The sentence with most words of the question; one that states the gold answer comes first."""
    wanted = set(WORD.findall(question.text.casefold()))

    def rank(sentence: str) -> tuple[bool, int]:
        states = bool(gold) and flexible_em(sentence, [gold], language=ENGLISH).value == 1
        return states, len(wanted & set(WORD.findall(sentence.casefold())))

    return max((text[start:end] for start, end in sentences(text)), key=rank)
