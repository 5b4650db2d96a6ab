"""A translated text with how it was produced."""

from __future__ import annotations

from dataclasses import dataclass
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
