"""What a reader of files gives, in order: a document begins, its sections follow, and what could not be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from workbench.core import DataError

NOT_READ = "so nothing of it was read"
SECTION_LIMIT = 20_000
"""Characters of one section; a longer text is given in several."""

Kind = Literal["text", "heading", "table", "notes"]


@dataclass(frozen=True, slots=True)
class DocumentStart:
    """A document begins: its name within what people gave, its title and, where the file states it, its language."""

    name: str
    title: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document that is read without a break, on one page (from 1; 0 where there are none).

    `heading` is the last heading above it.
    """

    text: str
    page: int = 0
    heading: str = ""
    kind: Kind = "text"


@dataclass(frozen=True, slots=True)
class ReadingWarning:
    """A sentence about what could not be read, or not surely; `page` is 0 where it is about the file.

    `kind` is a word to count by: `scan`, `unmapped`, `order` and others of `page_health`, `skipped`, `macros`, `ocr`.
    """

    name: str
    kind: str
    message: str
    page: int = 0


@dataclass(frozen=True, slots=True)
class PageMark:
    """A page (0: none) is about to be read, so that it is known where a reader that fails stood.

    `is_slow`: what follows may take long, such as recognising the page's image, or another file of an archive.
    """

    page: int
    is_slow: bool = False


Part = DocumentStart | Section | ReadingWarning | PageMark


@dataclass(frozen=True, slots=True)
class OcrRequest:
    """When pages are recognised from their image, and in which languages (ISO 639; none: by the script that is seen).

    `missing`: where the text layer cannot give a page; `all`: every page; `off`: none.
    """

    pages: Literal["missing", "all", "off"] = "missing"
    languages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileRequest:
    """A file to read: where it lies, the name it has for people, and where to begin (a page, from 1)."""

    path: Path
    name: str
    ocr: OcrRequest = field(default_factory=OcrRequest)
    first_page: int = 1

    def error(self, problem: str, remedy: str = "") -> DataError:
        """The error for a `problem` of the file, a phrase such as “is empty”."""
        return DataError(f"{self.name} {problem}, {NOT_READ}{f': {remedy}' if remedy else ''}.")


FileReader = Callable[[FileRequest], Iterator[Part]]
"""Reads one file. Raises DataError, in one sentence, for one that cannot be read."""


def pieces(text: str, limit: int = SECTION_LIMIT) -> Iterator[str]:
    """`text` in parts of at most `limit` characters, cut at white space where there is some."""
    start = 0
    while len(text) - start > limit:
        cut = max(text.rfind(sign, start + limit // 2, start + limit) for sign in "\n ") + 1
        end = cut if cut > start else start + limit
        yield text[start:end]
        start = end
    if text[start:].strip():
        yield text[start:]
