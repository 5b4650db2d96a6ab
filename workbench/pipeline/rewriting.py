"""A language model rewrites a question, expands it or compresses documents, with its prompts by language.

Each language has six prompts, a system text and a user's turn each, in `prompts/rewriting/<code>.yaml`, checked when
they are loaded. A language without a file gets the English texts, with its name in them, and a note that says so.

Contextualising rewrites a question from the conversation that it ends, so that search and prompt can do without it; the
evidence that such a step helps: Vakulenko et al. (2021), https://doi.org/10.1145/3437963.3441748. It is no part of a
recipe: a question that is asked by itself is never rewritten.

Expansion writes in the question's language what is searched with in its place. Decompose: the simpler questions that
together answer it. HyDE: one passage that would answer it, as in Kim et al. (2024), or, as in Gao et al. (2023), whose
idea it is, several, whose vectors are averaged with the question's. Multi-query: other ways of asking it, besides the
question itself. Definitions and sources: docs/methods.md. Questions in a reply are one per line, numbered, bulleted or
plain, in any script. Reading is deterministic and never guesses: where some lines are marked as items, only those
count, since the rest is what a model says around them; where none is, every line counts but one that announces the
others with a colon.

Compression writes notes on the documents, which a generator reads in their place, by LlamaIndex's tree summarize and
refine. The calls and their order are LlamaIndex's; the prompts are ours, in the question's language, since its own are
in English and ask for an answer. The documents come as a prompt lists them, with their numbers, so that the notes can
cite them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from threading import Lock
from typing import TYPE_CHECKING, Literal

import regex

from workbench.core import (
    Compression,
    Contextualisation,
    Conversation,
    EmptyAnswer,
    Expansion,
    Generation,
    GenerationFailed,
    Generator,
    IsolatingGenerator,
    Message,
    Prompt,
    Query,
    SampledPrompt,
    Task,
    Usage,
    WorkbenchError,
    component,
    fingerprint,
    package_version,
    total_usage,
    without_thinking,
)
from workbench.languages import ENGLISH, language
from workbench.models import RetryPolicy, as_llama_llm, in_parallel
from workbench.pipeline.prompts.compose import list_documents
from workbench.workspace import QUESTION_LIMIT, READERS, Block, fill, language_blocks

if TYPE_CHECKING:
    from llama_index.core.prompts import ChatPromptTemplate


NOTHING = "NONE"
"""The whole reply, in every language, where there is nothing to split or nothing that bears on the question."""
TURNS = {
    "contextualise": "conversation question",
    "decompose": "question",
    "hyde": "question",
    "multi_query": "question",
    "summarize": "documents question",
    "refine": "notes documents question",
}
"""The prompts, with the placeholders of each user's turn."""
FENCED = ("conversation", "documents")
"""What stands between <<< and >>>, as others wrote it; the question does where a turn has neither."""
COUNTED = ("decompose", "multi_query")
"""Those whose system text has the number of questions that are asked for."""
MAY_BE_NOTHING = ("decompose", "summarize", "refine")


@dataclass(frozen=True, slots=True)
class RewritingTexts:
    """The prompts of one language: `systems` and `turns` by name. `language` is the language that they ask for."""

    language: str
    written_in: str
    systems: Mapping[str, str]
    turns: Mapping[str, str]

    def system(self, name: str, count: int = 0) -> str:
        """The system text of a prompt. `count`: how many questions it asks for, where it asks for several."""
        return fill(self.systems[name], {"language": language(self.language).name, "count": str(count)})

    @property
    def note(self) -> str:
        """A sentence where the prompts are not in the language that they ask for, else ""."""
        if self.written_in == self.language:
            return ""
        return f"The prompt is in English, since there is none in {language(self.language).name}."


@dataclass(frozen=True, slots=True)
class RewritingCatalogue:
    """The prompts of every language that has some. `identity` changes whenever any text does."""

    blocks: Mapping[str, RewritingTexts]
    identity: str

    def texts(self, code: str) -> RewritingTexts:
        """The prompts that ask for a language, in English where it has none."""
        if code in self.blocks:
            return self.blocks[code]
        english = self.blocks[ENGLISH]
        return RewritingTexts(code, ENGLISH, english.systems, english.turns)


def load_rewriting_texts(folder: Traversable) -> RewritingCatalogue:
    """The prompts in a folder.

    Raises DataError, one sentence with the file's name, for the first thing that is missing, unknown or misspelt.
    """
    blocks = language_blocks(folder, "questions are expanded and documents compressed in")
    values = fingerprint("rewriting", {code: block.values for code, block in blocks.items()})
    return RewritingCatalogue({code: _texts(block, code) for code, block in blocks.items()}, values)


@cache
def shipped_rewriting_texts() -> RewritingCatalogue:
    """The prompts that ship with the workbench, loaded once."""
    return load_rewriting_texts(files("workbench.pipeline.prompts").joinpath("rewriting"))


def _texts(block: Block, code: str) -> RewritingTexts:
    systems, named = {name: f"{name}_system" for name in TURNS}, "language " if code == ENGLISH else ""
    places = {key: named + ("count" if name in COUNTED else "") for name, key in systems.items()}
    values = block.checked({"language": "", "reviewed_by": READERS, "provenance": "", **places, **TURNS})
    texts = RewritingTexts(
        code, code, {name: values[key] for name, key in systems.items()}, {name: values[name] for name in TURNS}
    )
    for name, key in systems.items():
        fenced = [f"<<<{{{place}}}>>>" for place in FENCED if place in TURNS[name].split()]
        fenced = fenced or ["<<<{question}>>>"]
        if any(place not in texts.turns[name] for place in fenced) or not all(
            mark in texts.systems[name] for mark in ("<<<", ">>>")
        ):
            raise block.error(f"“{name}” must have {fenced[0]}, and “{key}” must name <<< and >>>")
        if name in MAY_BE_NOTHING and NOTHING not in texts.systems[name]:
            raise block.error(f"“{key}” must name the reply {NOTHING}")
    return texts


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

    >>> is_nothing("**NONE**"), is_nothing("NONE।"), is_nothing("None of them")
    (True, True, False)
    """
    return reply.strip(" \t\r\n.。।*_`\"'“”«»「」[]()") == NOTHING


def _plain(line: str) -> str:
    """A line without emphasis or quotation marks around all of it."""
    line = line.strip()
    for around in (EMPHASIS, QUOTED, EMPHASIS):
        match = around.match(line)
        line = match["text"].strip() if match else line
    return line


CONTEXTUALISER_VERSION = 1
CONVERSATION_LIMIT = 8_000
"""The most characters of earlier messages that are read: those of the last ones that fit."""
SPEAKERS = {"user": "Q", "assistant": "A"}
NO_QUESTION = "The model was asked to rewrite the question from the conversation, and its reply held no question."


def recent_messages(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The last of some messages that have no more than CONVERSATION_LIMIT characters together, empty ones left out.

    >>> recent_messages([Message("user", "a" * 8_000), Message("assistant", " "), Message("user", "Who?")])
    (Message(role='user', text='Who?'),)
    """
    recent: list[Message] = []
    left = CONVERSATION_LIMIT
    for message in reversed([item for item in messages if item.text.strip()]):
        left -= len(message.text)
        if left < 0:
            break
        recent.append(message)
    return tuple(reversed(recent))


class QuestionContextualiser:
    """Implements `protocols.Contextualiser` over any generator."""

    def __init__(self, generator: Generator, catalogue: RewritingCatalogue | None = None) -> None:
        """`catalogue` replaces the prompts that ship."""
        self._generator = generator
        self._catalogue = catalogue or shipped_rewriting_texts()

    @property
    def identity(self) -> str:
        """The generator and the prompts."""
        texts, version = self._catalogue.identity, CONTEXTUALISER_VERSION
        return component("contextualise", generator=self._generator.identity, texts=texts, version=version)

    def contextualise(self, conversations: Sequence[Conversation]) -> list[Contextualisation | WorkbenchError]:
        """The question of each conversation as it reads by itself, or why there is none, in order."""
        texts = [self._catalogue.texts(item.language) for item in conversations]
        prompts = [_contextualising(*pair) for pair in zip(conversations, texts, strict=True)]
        return [
            reply if isinstance(reply, WorkbenchError) else _contextualisation(reply, item)
            for reply, item in zip(_replies(self._generator, prompts), texts, strict=True)
        ]


def _contextualising(conversation: Conversation, texts: RewritingTexts) -> Prompt:
    lines = [f"{SPEAKERS[item.role]}: {' '.join(item.text.split())}" for item in conversation.messages]
    places = {"conversation": "\n".join(lines), "question": conversation.question}
    return Prompt(texts.system("contextualise"), fill(texts.turns["contextualise"], places), Task("", ""))


def _contextualisation(reply: Generation, texts: RewritingTexts) -> Contextualisation | WorkbenchError:
    items = reply_items(reply.text)
    if not items:
        return GenerationFailed(NO_QUESTION)
    return Contextualisation(items[0][:QUESTION_LIMIT], texts.note, reply.usage)


ExpansionKind = Literal["decompose", "hyde", "hyde-mean", "multi-query"]

EXPANDER_VERSION = 1
SUB_QUESTIONS = 5
"""The most questions that one is split into."""
OTHER_WORDINGS = 3
"""Wordings that multi-query asks for: as many as AutoRAG and LlamaIndex's QueryFusionRetriever."""
COUNTS: dict[ExpansionKind, int] = {
    "decompose": SUB_QUESTIONS,
    "hyde": 0,
    "hyde-mean": 0,
    "multi-query": OTHER_WORDINGS,
}
HYDE_TEMPERATURE = 0.7
"""That of Gao et al. (2023), section 4.1: passages that were all drawn greedily would be one."""
HYDE_PASSAGES = 8
"""Those of the code of Gao et al. (2023)."""

NOT_SPLIT = "The question needed no splitting, so it was searched with as it is."
NO_QUERIES = "The model's reply held nothing to search with, so the question was searched with as it is."


class QueryExpander:
    """Implements `protocols.Expander` over any generator."""

    def __init__(
        self,
        generator: Generator,
        kind: ExpansionKind,
        passages: int = HYDE_PASSAGES,
        catalogue: RewritingCatalogue | None = None,
    ) -> None:
        """`passages`: how many `hyde-mean` draws. `catalogue` replaces the prompts that ship."""
        self._generator = generator
        self._kind: ExpansionKind = kind
        self._draws = passages if kind == "hyde-mean" else 1
        self._catalogue = catalogue or shipped_rewriting_texts()

    @property
    def identity(self) -> str:
        """The kind, the generator and the prompts."""
        drawn = {"passages": self._draws, "temperature": HYDE_TEMPERATURE} if self._kind == "hyde-mean" else {}
        return component(
            "expand query",
            **drawn,
            kind=self._kind,
            generator=self._generator.identity,
            texts=self._catalogue.identity,
            count=COUNTS[self._kind],
            version=EXPANDER_VERSION,
        )

    def expand(self, queries: Sequence[Query]) -> list[Expansion | WorkbenchError]:
        """What to search with in place of each query, or why the model gave no reply, in order.

        A reply without anything to search with gives the query itself, with a note.
        """
        texts = [self._catalogue.texts(query.language) for query in queries]
        prompts = [self._prompt(query, item) for query, item in zip(queries, texts, strict=True)]
        replies = iter(_replies(self._generator, [prompt for prompt in prompts for _ in range(self._draws)]))
        drawn = [[next(replies) for _ in range(self._draws)] for _ in queries]
        return [self._expansion(query, item, some) for query, item, some in zip(queries, texts, drawn, strict=True)]

    def _prompt(self, query: Query, texts: RewritingTexts) -> Prompt:
        name = self._kind.removesuffix("-mean").replace("-", "_")
        turn = fill(texts.turns[name], {"question": query.text})
        system = texts.system(name, COUNTS[self._kind])
        if self._kind == "hyde-mean":
            return SampledPrompt(system, turn, Task("", ""), HYDE_TEMPERATURE)
        return Prompt(system, turn, Task("", ""))

    def _expansion(
        self, query: Query, texts: RewritingTexts, replies: Sequence[Generation | WorkbenchError]
    ) -> Expansion | WorkbenchError:
        for reply in replies:
            if isinstance(reply, WorkbenchError) and not isinstance(reply, EmptyAnswer):
                return reply
        generations = [reply for reply in replies if isinstance(reply, Generation)]
        queries = tuple(text for reply in generations for text in self._queries(query, reply))
        alone = queries in ((), (query.text,))
        note = (NOT_SPLIT if any(map(self._is_whole, generations)) else NO_QUERIES) if alone else ""
        return Expansion(
            queries or (query.text,),
            query.language,
            _joined(note, texts.note),
            total_usage(reply.usage for reply in generations),
            is_averaged=self._kind == "hyde-mean" and not alone,
        )

    def _queries(self, query: Query, reply: Generation) -> tuple[str, ...]:
        """What the reply gives to search with; the question comes first where the definition has it."""
        if self._kind in ("hyde", "hyde-mean"):
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


def _replies(generator: Generator, prompts: Sequence[Prompt]) -> list[Generation | WorkbenchError]:
    if isinstance(generator, IsolatingGenerator):
        return generator.attempt(prompts) if prompts else []
    return [_reply(generator, prompt) for prompt in prompts]


def _reply(generator: Generator, prompt: Prompt) -> Generation | WorkbenchError:
    try:
        return generator.generate([prompt])[0]
    except GenerationFailed as error:
        return error


def _joined(*notes: str) -> str:
    return " ".join(note for note in notes if note)


CompressorKind = Literal["tree-summarize", "refine"]

COMPRESSOR_VERSION = 1
PLACES = {"documents": "{context_str}", "question": "{query_str}", "notes": "{existing_answer}"}
"""LlamaIndex's names for what our prompts hold; refine calls the documents `context_msg`."""
LLAMA_EMPTY = "Empty Response"
"""What LlamaIndex's refine returns where the model wrote nothing."""
NO_NOTES = "The model wrote no notes, so the documents were given as they are."
NOTHING_BEARS = "The model noted that no document bears on the question."


class PassageCompressor:
    """Implements `protocols.Compressor` over any generator, with LlamaIndex's response synthesizers."""

    def __init__(self, generator: Generator, kind: CompressorKind, catalogue: RewritingCatalogue | None = None) -> None:
        """`catalogue` replaces the prompts that ship."""
        self._generator = generator
        self._kind: CompressorKind = kind
        self._catalogue = catalogue or shipped_rewriting_texts()

    @property
    def identity(self) -> str:
        """The kind, the generator, the prompts and the version of LlamaIndex."""
        return component(
            "compress",
            kind=self._kind,
            generator=self._generator.identity,
            texts=self._catalogue.identity,
            library=package_version("llama-index-core"),
            version=COMPRESSOR_VERSION,
        )

    def compress(self, tasks: Sequence[Task]) -> list[Compression | WorkbenchError]:
        """Notes on the documents of each task, or why there are none, in order; several tasks at a time."""
        return in_parallel(self._one, tasks, RetryPolicy().concurrency)

    def _one(self, task: Task) -> Compression:
        texts = self._catalogue.texts(task.language)
        if not task.evidence:
            return Compression("", task.language)
        counting = CountingGenerator(self._generator)
        try:
            reply = self._notes(task, texts, counting).strip()
        except EmptyAnswer:
            reply = ""
        ranks = tuple(item.rank for item in task.evidence)
        usage = counting.usage
        if is_nothing(reply):
            note = _joined(NOTHING_BEARS, texts.note)
            return Compression("", task.language, ranks, abstains=True, note=note, usage=usage)
        if reply in ("", LLAMA_EMPTY):
            return Compression("", task.language, ranks, note=_joined(NO_NOTES, texts.note), usage=usage)
        return Compression(reply, task.language, ranks, note=texts.note, usage=usage)

    def _notes(self, task: Task, texts: RewritingTexts, generator: Generator) -> str:
        from llama_index.core.callbacks import CallbackManager
        from llama_index.core.response_synthesizers import Refine, TreeSummarize

        llm, manager = as_llama_llm(generator), CallbackManager([])
        documents = [list_documents([item]) for item in task.evidence]
        first = _template(texts, "summarize")
        if self._kind == "tree-summarize":
            tree = TreeSummarize(llm=llm, callback_manager=manager, summary_template=first)
            return str(tree.get_response(task.question, documents))
        later = _template(texts, "refine", documents="{context_msg}")
        refine = Refine(llm=llm, callback_manager=manager, text_qa_template=first, refine_template=later)
        return str(refine.get_response(task.question, documents))


class CountingGenerator:
    """A generator that adds up the tokens of its calls; what it wrote while thinking is left out."""

    def __init__(self, generator: Generator) -> None:
        """Counts from now on."""
        self._generator = generator
        self._usages: list[Usage | None] = []
        self._lock = Lock()

    @property
    def identity(self) -> str:
        """The inner generator's identity."""
        return self._generator.identity

    @property
    def usage(self) -> Usage | None:
        """The tokens of all calls, None where none was counted."""
        return total_usage(self._usages)

    def generate(self, prompts: Sequence[Prompt]) -> list[Generation]:
        """One generation per prompt. Raises GenerationFailed."""
        generations = self._generator.generate(prompts)
        with self._lock:
            self._usages += [generation.usage for generation in generations]
        return [Generation(without_thinking(generation.text), finish=generation.finish) for generation in generations]


def _template(texts: RewritingTexts, name: str, **places: str) -> ChatPromptTemplate:
    """A prompt of ours as LlamaIndex's, which puts question, documents and notes in, in one pass."""
    from llama_index.core.base.llms.types import ChatMessage, MessageRole
    from llama_index.core.prompts import ChatPromptTemplate

    turn = fill(texts.turns[name], PLACES | places)
    return ChatPromptTemplate(
        [
            ChatMessage(content=texts.system(name), role=MessageRole.SYSTEM),
            ChatMessage(content=turn, role=MessageRole.USER),
        ]
    )
