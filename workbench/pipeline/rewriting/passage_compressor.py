"""Notes on the documents, which a generator reads in their place: LlamaIndex's tree summarize and refine.

The calls and their order are LlamaIndex's; the prompts are ours, in the question's language, since its are in English
and ask for an answer. The documents come as a prompt lists them, with their numbers, so that the notes can cite them.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING, Literal

from workbench.core import (
    Compression,
    EmptyAnswer,
    Generation,
    Generator,
    Prompt,
    Task,
    Usage,
    WorkbenchError,
    component,
    package_version,
    total_usage,
    without_thinking,
)
from workbench.models import RetryPolicy, as_llama_llm, in_parallel
from workbench.pipeline.prompts.compose import list_documents
from workbench.pipeline.rewriting.query_expander import is_nothing
from workbench.pipeline.rewriting.rewriting_texts import RewritingCatalogue, RewritingTexts, shipped_rewriting_texts
from workbench.workspace import fill

if TYPE_CHECKING:
    from llama_index.core.prompts import ChatPromptTemplate

CompressorKind = Literal["tree-summarize", "refine"]

VERSION = 1
PLACES = {"documents": "{context_str}", "question": "{query_str}", "notes": "{existing_answer}"}
"""LlamaIndex's names for what our prompts hold; refine calls the documents `context_msg`."""
LLAMA_EMPTY = "Empty Response"
"""What LlamaIndex's refine returns where the model wrote nothing."""
EMPTY = "The model wrote no notes, so the documents were given as they are."
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
            version=VERSION,
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
            return Compression("", task.language, ranks, note=_joined(EMPTY, texts.note), usage=usage)
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


def _joined(*notes: str) -> str:
    return " ".join(note for note in notes if note)
