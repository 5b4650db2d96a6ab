"""The contracts between the pipeline and its parts: one or two methods each.

Every component has an `identity`: its name and everything that affects its output (parameters, model revision or file
hash). It is part of the cache key, so two components with the same identity must give the same output. All methods take
batches and keep the order of their input.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from workbench.core.errors import WorkbenchError
from workbench.core.records import (
    Compression,
    Contextualisation,
    Conversation,
    Expansion,
    Generation,
    Hit,
    Passage,
    Prompt,
    Query,
    Ranking,
    Task,
    Translation,
)

FloatArray = npt.NDArray[np.float32]

Role = Literal["encoder", "reranker", "generator", "translator", "identifier"]
"""What a recipe can name a component for."""

PassageLookup = Callable[[Sequence[int]], list[Passage]]
"""Fetches passages by their rows in the corpus's table, in order."""


@runtime_checkable
class Encoder(Protocol):
    """Turns texts into vectors.

    Rows are L2-normalised float32, shape (n, dimensions); a zero row means that the encoder knows nothing of the text.
    """

    @property
    def identity(self) -> str:
        """Name, parameters and version, as text; see the module."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of every vector."""
        ...

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
        """One row per passage, from its title and text."""
        ...

    def encode_queries(self, queries: Sequence[Query]) -> FloatArray:
        """One row per query, from its text."""
        ...


@runtime_checkable
class Retriever(Protocol):
    """Finds the passages that are most relevant to queries."""

    @property
    def identity(self) -> str:
        """Name, parameters and version, as text; see the module."""
        ...

    def retrieve(self, queries: Sequence[Query], k: int) -> list[Ranking]:
        """One ranking per query, of at most `k` hits, all in `query.languages`."""
        ...


class Augmenter(Protocol):
    """Adds passages to the candidates of queries."""

    @property
    def identity(self) -> str:
        """Name, parameters and version, as text; see the module."""
        ...

    def augment(self, queries: Sequence[Query], rankings: Sequence[Ranking]) -> list[Ranking]:
        """One ranking per query: its hits and those that were added, each passage once, best first."""
        ...


@runtime_checkable
class Reranker(Protocol):
    """Reorders the candidates of a query."""

    @property
    def identity(self) -> str:
        """Name, parameters and version, as text; see the module."""
        ...

    def rerank(self, query: Query, hits: Sequence[Hit], passages: Sequence[Passage]) -> Ranking:
        """The hits in their new order, each with a further score; `passages[i]` belongs to `hits[i]`."""
        ...


@runtime_checkable
class Translator(Protocol):
    """Translates from one language to another."""

    @property
    def identity(self) -> str:
        """Name, parameters and version, as text; see the module."""
        ...

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[Translation]:
        """One translation per text, of kind `same` only where `source` is `target`.

        Raises TranslationFailed rather than return the original.
        """
        ...


@runtime_checkable
class Generator(Protocol):
    """Answers prompts, with greedy decoding."""

    @property
    def identity(self) -> str:
        """Name, parameters and version, as text; see the module."""
        ...

    def generate(self, prompts: Sequence[Prompt]) -> list[Generation]:
        """One generation per prompt. Raises GenerationFailed where there is no answer."""
        ...


@runtime_checkable
class IsolatingGenerator(Protocol):
    """A `Generator` that reports the failure of each prompt by itself."""

    def attempt(self, prompts: Sequence[Prompt]) -> list[Generation | WorkbenchError]:
        """One answer or failure per prompt, in order; a stop (`stopping`) ends the work early."""


class Contextualiser(Protocol):
    """Rewrites a question so that it reads without the conversation that it ends."""

    @property
    def identity(self) -> str:
        """Name, parameters and version, as text; see the module."""
        ...

    def contextualise(self, conversations: Sequence[Conversation]) -> list[Contextualisation | WorkbenchError]:
        """One rewritten question or failure per conversation, in order; a stop (`stopping`) ends the work early."""
        ...


class Expander(Protocol):
    """Writes what is searched with in place of a question."""

    @property
    def identity(self) -> str:
        """Name, parameters and version, as text; see the module."""
        ...

    def expand(self, queries: Sequence[Query]) -> list[Expansion | WorkbenchError]:
        """One expansion or failure per query, in order; a stop (`stopping`) ends the work early."""
        ...


class Compressor(Protocol):
    """Writes what is read in place of documents."""

    @property
    def identity(self) -> str:
        """Name, parameters and version, as text; see the module."""
        ...

    def compress(self, tasks: Sequence[Task]) -> list[Compression | WorkbenchError]:
        """Notes on the documents of each task or why there are none, in order; a stop ends the work early."""
        ...


class LanguageIdentifier(Protocol):
    """Identifies the language of a text among candidates."""

    @property
    def identity(self) -> str:
        """Name, parameters and version, as text; see the module."""
        ...

    def __call__(self, text: str, candidates: Sequence[str]) -> str:
        """The code of the likeliest candidate, "" where none fits."""
        ...


@dataclass(frozen=True)
class Components:
    """The components that a recipe names, ready for use; `corpus` is the fingerprint of what is searched.

    `expander`, `compressor` and `augmenter` are None where the recipe has none, `contextualiser` where a question is
    asked by itself.
    """

    retriever: Retriever
    reranker: Reranker
    translator: Translator
    generator: Generator
    detector: LanguageIdentifier
    passages: PassageLookup
    corpus: str
    expander: Expander | None = None
    compressor: Compressor | None = None
    augmenter: Augmenter | None = None
    contextualiser: Contextualiser | None = None
