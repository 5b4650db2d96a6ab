"""How much of a text came back in order: the share of its words, or characters in scripts without spaces."""

from __future__ import annotations

from difflib import SequenceMatcher
from pathlib import Path

import regex

from workbench.data.documents.chunking import is_spaceless
from workbench.data.documents.isolated_reading import FileRequest, IsolatedReader, OcrRequest, ReadingWarning, Section

QUOTES = str.maketrans(dict.fromkeys("“”„‟«»", '"') | dict.fromkeys("‘’‚", "'"))
"""docling-parse gives curly quotation marks as straight ones; a word is not lost by that."""
OFF = OcrRequest("off")


def units(text: str, *, characters: bool) -> list[str]:
    """What is counted: words between white space, or characters that are not white space."""
    plain = text.translate(QUOTES)
    return regex.findall(r"\S", plain) if characters else plain.split()


def recovered(text: str, extracted: str) -> float:
    """The share of the words of `text` that are in `extracted`, in the same order; of its characters without spaces."""
    characters = is_spaceless(text)
    expected, actual = (units(item, characters=characters) for item in (text, extracted))
    matcher = SequenceMatcher(None, expected, actual, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()) / len(expected)


def read(reader: IsolatedReader, path: Path, ocr: OcrRequest = OFF) -> tuple[str, list[ReadingWarning]]:
    """A file's text, and the warnings about its pages."""
    parts = list(reader.read(FileRequest(path, path.name, ocr)))
    text = "\n".join(part.text for part in parts if isinstance(part, Section))
    return text, [part for part in parts if isinstance(part, ReadingWarning)]
