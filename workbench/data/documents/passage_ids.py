"""Ids of passages that stay when a document changes elsewhere: the document's name and a digest of the text."""

from __future__ import annotations

from collections import Counter
from typing import Self

import regex

from workbench.core import fingerprint

DIGITS = 10
SEPARATORS = regex.compile(r"[\s|;,\"]+")
"""What separates ids in tables and lists, and so does not belong into one."""


class PassageIds:
    """Gives each passage of a corpus an id of its own; equal texts of a document are numbered."""

    def __init__(self) -> None:
        """Has given none."""
        self._counts: Counter[str] = Counter()

    def next(self, document: str, text: str) -> str:
        """The id of the next passage of `document` with this `text`.

        >>> ids = PassageIds()
        >>> ids.next("a b.pdf", "x")[:8], ids.next("a b.pdf", "x")[-2:]
        ('a_b.pdf#', '.2')
        """
        digest = fingerprint("passage", [document, text])[:DIGITS]
        name = f"{SEPARATORS.sub('_', document)}#{digest}"
        self._counts[name] += 1
        return name if self._counts[name] == 1 else f"{name}.{self._counts[name]}"

    def copy(self) -> Self:
        """The same state, to go back to where a file was refused."""
        other = type(self)()
        other._counts = self._counts.copy()
        return other
