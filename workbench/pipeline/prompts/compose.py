"""Composing a RAG prompt: the system text of a variant, the documents in their order, then the question.

Sources: the system texts are those of Chirkova et al. (2024), Table 2, or of a family (see `variants`); the layout
follows Ranaldi et al. (2025, CrossRAG), Table 1, in our own words. The orders of the documents, each of which keeps the
number of its rank, so that a citation stays right: Kim et al. (2024), section 2.5.2, and its code (best-repeated: the
best passage once more after the last); LlamaIndex's LongContextReorder, after Liu et al. (2023; long-context: the two
best at the ends, the worst in between).

Documents and questions are untrusted. They are inserted verbatim and in one pass, so nothing in them is ever expanded
(`{question}`, `{{`, `%s` stay as they are). One thing a plain-text prompt cannot prevent: a document may hold a line
that reads like one of the labels, and a language model may take it for one.

Where the search finds nothing, the answer is a sentence of `templates/nothing_retrieved.yaml` in the user's language.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Literal, TypeVar

from workbench.core import Evidence, Prompt, Task
from workbench.languages import ENGLISH, PROMPT_LANGUAGES, language
from workbench.pipeline.prompts.variants import (
    Catalogue,
    Variant,
    Wording,
    answer_language,
    entities_in,
    fallback_note,
    shipped_families,
    shipped_texts,
    variant,
)
from workbench.workspace import fill, read_block

PassageOrder = Literal["ranked", "reversed", "best-repeated", "long-context"]
"""`ranked` as the search and the reranker have them, best first; `reversed` best last, next to the question."""

Item = TypeVar("Item")


def in_order(items: Sequence[Item], order: PassageOrder) -> tuple[Item, ...]:
    """The items, which are ranked best first, in this order; `best-repeated` has one more, unless there are none.

    >>> in_order("12345", "long-context"), in_order("123", "best-repeated"), in_order("123", "reversed")
    (('1', '3', '5', '4', '2'), ('1', '2', '3', '1'), ('3', '2', '1'))
    """
    if order == "reversed":
        return tuple(reversed(items))
    if order == "best-repeated":
        return (*items, *items[:1])
    if order == "long-context":
        from_outside = (*items[::2], *reversed(items[1::2]))
        # LlamaIndex deals from the worst to both ends in turn, so that of an even number the best comes last.
        return from_outside if len(items) % 2 else from_outside[::-1]
    return tuple(items)


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """A prompt, and a sentence for people where it is not in the language that the variant promises, else ""."""

    prompt: Prompt
    note: str = ""


def render(
    name: str, task: Task, catalogue: Catalogue | None = None, user_turn: Literal["en", "follows"] = "follows"
) -> RenderedPrompt:
    """The prompt of the variant `name` for the task; the user's language is `task.language`.

    `user_turn`: the labels and the instruction follow the language of the variant's system text, or are in English.
    The returned prompt's task has `answer_language` and `entities_in` set to what the variant asks for, so that the
    text and its structured side never disagree. Without evidence there is no document block (mode `baseline`).
    Raises UsageError for an unknown variant or a malformed language code.
    """
    item = variant(name)
    source = catalogue or shipped_texts()
    ul = language(task.language)
    wording, note = source.wording(item, ul.code)
    if item.family and not note and not shipped_families().is_reviewed(wording.language):
        wording, note = source.wordings[ENGLISH], fallback_note(item, ul.code)
    turn = source.wordings[ENGLISH] if user_turn == "en" else wording
    labels = turn.labels
    values = {
        "instructions_label": labels.instructions,
        "evidence_label": labels.evidence,
        "question_label": labels.question,
        "answer_label": labels.answer,
        "instruction": turn.instruction,
        "documents": documents_of(task, source),
        "question": task.question,
    }
    layout = source.rag.with_documents if task.evidence else source.rag.without_documents
    completed = replace(task, answer_language=answer_language(name, ul.code), entities_in=entities_in(name, ul.code))
    system = fill(_system(item, wording, has_documents=bool(task.evidence)), {"UL": ul.name})
    return RenderedPrompt(Prompt(system=system, user=fill(layout, values), task=completed), note)


def _system(item: Variant, wording: Wording, *, has_documents: bool) -> str:
    if item.family:
        return shipped_families().system(item.family, wording.language, has_documents=has_documents)
    return wording.system[item.name]


def documents_of(task: Task, catalogue: Catalogue | None = None) -> str:
    """What a prompt has of the task's documents: the notes on them where there are some, else the documents."""
    return task.compressed or list_documents(task.evidence, catalogue)


def list_documents(evidence: Sequence[Evidence], catalogue: Catalogue | None = None) -> str:
    """The documents as a prompt shows them: `[rank] title`, then the text; a blank line between them."""
    rag = (catalogue or shipped_texts()).rag
    return "\n\n".join(
        fill(
            rag.document if item.title else rag.untitled,
            {"number": str(item.rank), "title": item.title, "text": item.text},
        )
        for item in evidence
    )


LEFT_OUT = "(the documents)"
"""Replaces the documents in instructions that are shown to a judge."""


def instructions_of(prompt: Prompt) -> str:
    """What a prompt asks for: the system text; for D-RAG also the user's turn, without the documents."""
    if not prompt.task.dialectic:
        return prompt.system
    documents = list_documents(prompt.task.evidence)
    turn = prompt.user.replace(documents, LEFT_OUT) if documents else prompt.user
    return f"{prompt.system}\n\n{turn}"


def nothing_retrieved_answer(language: str) -> str:
    """The sentence in a language, in English where it has not been translated.

    >>> nothing_retrieved_answer("de")
    'Es wurde kein Dokument gefunden, das diese Frage beantworten könnte.'
    """
    sentences = _shipped()
    return sentences.get(language, sentences[ENGLISH])


def load(folder: Traversable | None = None) -> Mapping[str, str]:
    """The sentences by language. Raises DataError for one of the nineteen languages that is missing."""
    root = files("workbench.pipeline.prompts") if folder is None else folder
    block = read_block(root.joinpath("templates").joinpath("nothing_retrieved.yaml"))
    sentences: Mapping[str, str] = block.checked({"source": "", "sentences": dict.fromkeys(PROMPT_LANGUAGES, "")})[
        "sentences"
    ]
    return sentences


@cache
def _shipped() -> Mapping[str, str]:
    return load()
