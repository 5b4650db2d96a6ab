"""The ways of splitting a text, by name.

- `words-N`: N words; in scripts without spaces N characters, as Chirkova et al. (2024, section 3) split Wikipedia.
- `characters-N-M`: at most N characters, M of them repeated, cut at paragraphs, else lines, else words: Singh et al.
  (n.d.) use 1000 and 150.
- `tokens-N-M`: N tokens, M of them repeated: AutoRAG (Kim et al., 2024) uses 512 and 50.
- `sentences-N-M`: LlamaIndex's SentenceSplitter: complete sentences up to N tokens.
- `semantic`: LlamaIndex's SemanticSplitterNodeParser: a passage ends where the meaning changes most.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import regex

from workbench.core import UsageError, shorten

Span = tuple[int, int]
"""Where a passage begins and ends in a text, in characters."""
Splitter = Callable[[str], list[Span]]
"""The passages of a text, in order. They may overlap; nothing but white space is left out."""

NAMES = ("words-100", "characters-1000-150", "tokens-512-50", "sentences-1024-200", "semantic")
DEFAULT = NAMES[0]
FORM = regex.compile(
    r"(?P<unit>words|characters|tokens|sentences)-(?P<size>\d{1,6})(?:-(?P<overlap>\d{1,6}))?|semantic"
)

LEAST, MOST = 20, 20_000


@dataclass(frozen=True, slots=True)
class ChunkMethod:
    """A method with its numbers: `size` of a passage and `overlap` of two, in units of the method; 0 for `semantic`."""

    unit: str
    size: int = 0
    overlap: int = 0

    @property
    def name(self) -> str:
        """As `chunk_method` reads it."""
        parts = [self.unit, *([str(self.size)] if self.size else []), *([str(self.overlap)] if self.overlap else [])]
        return "-".join(parts)


def chunk_method(name: str) -> ChunkMethod:
    """The method with a name. Raises UsageError for any other, and for numbers that make no sense.

    >>> chunk_method("characters-1000-150")
    ChunkMethod(unit='characters', size=1000, overlap=150)
    """
    match = FORM.fullmatch(name.strip())
    if not match:
        raise UsageError(
            f"Unknown way of splitting “{shorten(name)}”. Allowed: {', '.join(NAMES)}, also with other numbers.",
            command="For example: --chunking words-100",
        )
    if not match["unit"]:
        return ChunkMethod("semantic")
    size, overlap = int(match["size"]), int(match["overlap"] or 0)
    if not LEAST <= size <= MOST or 2 * overlap > size or (match["unit"] == "words" and overlap):
        raise UsageError(
            f"“{shorten(name)}” cannot split a text. Allowed: a length from {LEAST} to {MOST:,}, and an overlap of at "
            "most half of it, none for words.",
            command="For example: --chunking tokens-512-50",
        )
    return ChunkMethod(match["unit"], size, overlap)
