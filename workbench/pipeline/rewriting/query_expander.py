"""What is searched with in place of a question, written by a language model in the question's language.

Decompose: the simpler questions that together answer it. HyDE: a passage that would answer it (Gao et al. 2023).
Multi-query: other ways of asking it, besides the question itself. Definitions and sources: docs/methods.md.

Questions in a reply are one per line, numbered, bulleted or plain, in any script. Reading is deterministic and never
guesses: where some lines are marked as items, only those count, since the rest is what a model says around them; where
none is, every line counts but one that announces the others with a colon.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import regex

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
from workbench.pipeline.rewriting.rewriting_texts import (
    NOTHING,
    RewritingCatalogue,
    RewritingTexts,
    shipped_rewriting_texts,
)
from workbench.workspace import QUESTION_LIMIT, fill

INVISIBLE = regex.compile(r"[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u061c]")
"""Marks of the direction of writing, which models put around numbers in right-to-left scripts, and widthless blanks."""
ITEM = regex.compile(
    r"""
    (?: \(? \p{Nd}{1,2} (?: \s?[.)\]:،、．）：] (?!\p{Nd}) | \s[-–—] (?=\s) ) \s*   # 1.  ١)  (2)  3:  4、  5 -
      | [①-⑳] [.)]? \s*
      | [•‣◦▪▫●○■□·‧∙➤➢►] \s*
      | [-*+–—] \s+
    )
    """,
    regex.VERBOSE,
)
"""What begins an item of a list: a number of one or two digits of any script, or a bullet."""
EMPHASIS = regex.compile(r"^(?P<mark>\*\*|__|\*|_|`)(?P<text>.+)(?P=mark)$")
QUOTED = regex.compile(r"^[\"“”„«»‹›「『'‘](?P<text>[^\"“”„«»‹›「」『』]+)[\"“”«»‹›」』'’]$")
NAMING = regex.compile(r"[:：]$")
WORD = regex.compile(r"[\p{L}\p{N}]")


def reply_items(reply: str) -> tuple[str, ...]:
    r"""The items of a reply in order, each once; () where it has none or says that there are none.

    >>> reply_items("Here are two:\n1. Who invented radio?\n2) «Where was he born?»")
    ('Who invented radio?', 'Where was he born?')
    >>> reply_items("١. من اخترع الراديو؟"), reply_items("NONE.")
    (('من اخترع الراديو؟',), ())
    """
    text = INVISIBLE.sub("", without_thinking(reply))
    if is_nothing(text):
        return ()
    lines = [line for raw in text.splitlines() if (line := " ".join(raw.split())) and not line.startswith("```")]
    marked = [match for line in lines if (match := ITEM.match(_plain(line)))]
    items = [match.string[match.end() :] for match in marked] or [line for line in lines if not NAMING.search(line)]
    distinct: dict[str, str] = {}
    for item in map(_plain, items):
        if WORD.search(item) and not is_nothing(item):
            distinct.setdefault(item.casefold(), item)
    return tuple(distinct.values())


def is_nothing(reply: str) -> bool:
    """Whether a reply, or an item of one, is nothing but the word for nothing.

    >>> is_nothing("**NONE**"), is_nothing("None of them")
    (True, False)
    """
    return reply.strip(" \t\r\n.。*_`\"'“”«»「」[]()") == NOTHING


def _plain(line: str) -> str:
    """A line without emphasis or quotation marks around all of it."""
    line = line.strip()
    for around in (EMPHASIS, QUOTED, EMPHASIS):
        match = around.match(line)
        line = match["text"].strip() if match else line
    return line


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
