"""What is searched with in place of a question, written by a language model in the question's language.

Decompose: the simpler questions that together answer it. HyDE: a passage that would answer it (Gao et al. 2023).
Multi-query: other ways of asking it, besides the question itself. Definitions and sources: docs/methods.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from workbench.core import (
    EmptyAnswer,
    Expansion,
    Generation,
    GenerationFailed,
    Generator,
    IsolatingGenerator,
    Prompt,
    Query,
    Task,
    WorkbenchError,
    component,
    without_thinking,
)
from workbench.pipeline.rewriting.reply_lists import reply_items
from workbench.pipeline.rewriting.rewriting_texts import RewritingCatalogue, RewritingTexts, shipped_rewriting_texts
from workbench.workspace import QUESTION_LIMIT, fill

ExpansionKind = Literal["decompose", "hyde", "multi-query"]

VERSION = 1
SUB_QUESTIONS = 5
"""The most questions that one is split into."""
OTHER_WORDINGS = 3
"""Wordings that multi-query asks for: as many as AutoRAG and LlamaIndex's QueryFusionRetriever."""
COUNTS: dict[ExpansionKind, int] = {"decompose": SUB_QUESTIONS, "hyde": 0, "multi-query": OTHER_WORDINGS}

NOT_SPLIT = "The question needed no splitting, so it was searched with as it is."
EMPTY = "The model's reply held nothing to search with, so the question was searched with as it is."


class QueryExpander:
    """Implements `protocols.Expander` over any generator."""

    def __init__(self, generator: Generator, kind: ExpansionKind, catalogue: RewritingCatalogue | None = None) -> None:
        """`catalogue` replaces the prompts that ship."""
        self._generator = generator
        self._kind: ExpansionKind = kind
        self._catalogue = catalogue or shipped_rewriting_texts()

    @property
    def identity(self) -> str:
        """The kind, the generator and the prompts."""
        return component(
            "expand query",
            kind=self._kind,
            generator=self._generator.identity,
            texts=self._catalogue.identity,
            count=COUNTS[self._kind],
            version=VERSION,
        )

    def expand(self, queries: Sequence[Query]) -> list[Expansion | WorkbenchError]:
        """What to search with in place of each query, or why the model gave no reply, in order.

        A reply without anything to search with gives the query itself, with a note.
        """
        texts = [self._catalogue.texts(query.language) for query in queries]
        replies = self._replies([self._prompt(query, item) for query, item in zip(queries, texts, strict=True)])
        return [self._expansion(query, item, reply) for query, item, reply in zip(queries, texts, replies, strict=True)]

    def _prompt(self, query: Query, texts: RewritingTexts) -> Prompt:
        name = self._kind.replace("-", "_")
        turn = fill(texts.turns[name], {"question": query.text})
        return Prompt(texts.system(name, COUNTS[self._kind]), turn, Task("", ""))

    def _replies(self, prompts: Sequence[Prompt]) -> list[Generation | WorkbenchError]:
        if isinstance(self._generator, IsolatingGenerator):
            return self._generator.attempt(prompts) if prompts else []
        return [_reply(self._generator, prompt) for prompt in prompts]

    def _expansion(
        self, query: Query, texts: RewritingTexts, reply: Generation | WorkbenchError
    ) -> Expansion | WorkbenchError:
        if isinstance(reply, EmptyAnswer):
            return Expansion((query.text,), query.language, _joined(EMPTY, texts.note))
        if isinstance(reply, WorkbenchError):
            return reply
        queries = self._queries(query, reply)
        alone = queries in ((), (query.text,))
        note = (NOT_SPLIT if self._is_whole(reply) else EMPTY) if alone else ""
        return Expansion(queries or (query.text,), query.language, _joined(note, texts.note), reply.usage)

    def _queries(self, query: Query, reply: Generation) -> tuple[str, ...]:
        """What the reply gives to search with; the question comes first where the definition has it."""
        if self._kind == "hyde":
            passage = without_thinking(reply.text).strip()
            return (passage[:QUESTION_LIMIT],) if passage else ()
        items = [item[:QUESTION_LIMIT] for item in reply_items(reply.text)]
        if reply.finish == "length" and len(items) > 1:
            items.pop()  # cut off in the middle
        if self._kind == "decompose":
            return tuple(items[:SUB_QUESTIONS])
        others = [item for item in items if item.casefold() != query.text.casefold()]
        return (query.text, *others[:OTHER_WORDINGS])

    def _is_whole(self, reply: Generation) -> bool:
        """Whether the reply says that there is nothing to split."""
        return self._kind == "decompose" and bool(without_thinking(reply.text).strip())


def _reply(generator: Generator, prompt: Prompt) -> Generation | WorkbenchError:
    try:
        return generator.generate([prompt])[0]
    except GenerationFailed as error:
        return error


def _joined(*notes: str) -> str:
    return " ".join(note for note in notes if note)
