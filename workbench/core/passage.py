"""Documents, the passages they are split into, their translations, and rankings of passages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

TranslationKind = Literal["same", "exact", "fuzzy", "gloss", "mixed", "model"]
"""`same`: source is target. `exact`, `fuzzy`: from a memory. `gloss`: word by word. `mixed`: sentences of
different kinds. `model`: by a translation model or service."""


@dataclass(frozen=True, slots=True)
class Translation:
    """`text` in the language `target`, translated from a text in `source`.

    `match` in [0, 1] is how well the memory matched (exact: 1; gloss: the share of words it knew; the
    length-weighted mean where sentences differ); None where the translator has no such figure.
    """

    text: str
    source: str
    target: str
    kind: TranslationKind
    match: float | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """The retrieval unit: a piece of a document.

    `position` counts from 0 within the document. `previous` and `next` are the neighbours' ids.
    `group` is shared by passages that are translations of each other (aligned corpora), else "".
    `page` and `page_end` are the pages (slides) on which it begins and ends, from 1, and 0 where its document has none;
    `heading` is the last one above its beginning.
    """

    id: str
    document: str
    title: str
    language: str
    text: str
    position: int = 0
    previous: str = ""
    next: str = ""
    group: str = ""
    page: int = 0
    page_end: int = 0
    heading: str = ""

    @property
    def searchable(self) -> str:
        """Title and text, as they are indexed; Chirkova et al. (2024) prepend the title."""
        return f"{self.title}\n{self.text}" if self.title else self.text


@dataclass(frozen=True, slots=True)
class Hit:
    """One ranked passage, by reference: `row` is its place in the corpus's passage table.

    `score` orders the ranking. `scores` names every stage that scored the passage
    (`lexical`, `dense`, `hybrid`, `rerank` …); a stage that did not rank it is absent.
    """

    id: str
    row: int
    language: str
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)


Ranking = tuple[Hit, ...]
"""Hits, best first."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage as given to the generator: its rank (from 1), its scores, and its translation if there is one.

    `title_translation` is that of the title, None where it stays as it is.
    """

    passage: Passage
    rank: int
    scores: Mapping[str, float] = field(default_factory=dict)
    translation: Translation | None = None
    title_translation: Translation | None = None

    @property
    def title(self) -> str:
        """The title as the generator reads it: translated where there is a translation."""
        return self.title_translation.text if self.title_translation else self.passage.title

    @property
    def text(self) -> str:
        """What the generator reads: the translation where the mode asks for one, else the original."""
        return self.translation.text if self.translation else self.passage.text

    @property
    def language(self) -> str:
        """The language of `text`."""
        return self.translation.target if self.translation else self.passage.language


def top_k(hits: Iterable[Hit], k: int) -> Ranking:
    """The `k` best hits; equal scores in order of row, so that a ranking never depends on the order of shards."""
    return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.row))[: max(k, 0)])


def with_score(hit: Hit, score: float, name: str) -> Hit:
    """`hit` with `score` as its new score, which is added to `scores` under `name`."""
    return replace(hit, score=score, scores={**hit.scores, name: score})
