"""The contracts between the pipeline and its parts: one or two methods each.

Every component has an `identity`: name plus everything that changes what it gives (parameters, model
revision or file hash). It goes into the cache key, so two components with one identity must give the same.
All methods are batch-first and keep the order of their input.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from workbench.records import Generation, Hit, Passage, Prompt, Query, Ranking, Translation

FloatArray = npt.NDArray[np.float32]

Role = Literal["encoder", "reranker", "generator", "translator", "identifier"]
"""What a component that a recipe names can serve as."""

PassageLookup = Callable[[Sequence[int]], list[Passage]]
"""Fetches passages by their rows in the corpus's table."""


@runtime_checkable
class Encoder(Protocol):
    """Turns texts into vectors. Rows are L2-normalised float32, shape (n, dimensions); a zero row means that the
    encoder knows nothing of the text.
    """

    @property
    def identity(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray: ...

    def encode_questions(self, queries: Sequence[Query]) -> FloatArray: ...


@runtime_checkable
class Retriever(Protocol):
    """Finds passages. Returns one ranking a query, at most `k` hits, all in `query.languages`."""

    @property
    def identity(self) -> str: ...

    def retrieve(self, queries: Sequence[Query], k: int) -> list[Ranking]: ...


@runtime_checkable
class Reranker(Protocol):
    """Orders candidates anew. `passages[i]` belongs to `hits[i]`; adds its own score under its name."""

    @property
    def identity(self) -> str: ...

    def rerank(self, query: Query, hits: Sequence[Hit], passages: Sequence[Passage]) -> Ranking: ...


@runtime_checkable
class Translator(Protocol):
    """Translates from one language to another.

    Raises TranslationFailed rather than return the original; returns kind `same` only where source is target.
    """

    @property
    def identity(self) -> str: ...

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[Translation]: ...


@runtime_checkable
class Generator(Protocol):
    """Answers prompts, greedily. Raises GenerationFailed where no answer came."""

    @property
    def identity(self) -> str: ...

    def generate(self, prompts: Sequence[Prompt]) -> list[Generation]: ...


class LanguageIdentifier(Protocol):
    """The language of a text among candidates, "" where it cannot be told."""

    @property
    def identity(self) -> str: ...

    def __call__(self, text: str, candidates: Sequence[str]) -> str: ...


@dataclass(frozen=True)
class Components:
    """The components that a recipe names, ready to be composed; `corpus` is the fingerprint of what is searched."""

    retriever: Retriever
    reranker: Reranker
    translator: Translator
    generator: Generator
    detector: LanguageIdentifier
    passages: PassageLookup
    corpus: str
