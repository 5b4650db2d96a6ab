"""Reads and writes translation memories in TMX 1.4, one unit at a time.

Format: Translation Memory eXchange 1.4b (Localization Industry Standards Association).  Only what a memory of plain
sentences needs is taken: the units, their languages and texts; inline codes (`bpt`, `ept`, `it`, `ph`, `ut`) are left
out.  A file that declares a document type or entities is refused, so nothing can expand or be fetched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

import regex

from workbench.errors import DataError, MissingError, shorten
from workbench.storage import atomic

PIECE = 1 << 16
CODES = frozenset({"bpt", "ept", "it", "ph", "ut"})
NOT_XML = regex.compile(r"[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")
HEADER = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n'
    '<header creationtool="workbench" creationtoolversion="1" segtype="sentence" o-tmf="workbench" adminlang="en" '
    'srclang="*all*" datatype="plaintext"/>\n<body>\n'
)


@dataclass(frozen=True, slots=True)
class Unit:
    """One sentence in several languages. `texts` are (language code, text) pairs, each language once."""

    id: str
    texts: tuple[tuple[str, str], ...]

    def text(self, language: str) -> str:
        """The text in `language`, "" where the unit has none."""
        return next((text for code, text in self.texts if code == language), "")


@dataclass(slots=True)
class _Reading:
    """Where the parser is within a unit."""

    path: Path
    seen_root: bool = False
    id: str = ""
    language: str = ""
    texts: dict[str, str] = field(default_factory=dict)
    pieces: list[str] = field(default_factory=list)
    in_segment: bool = False
    in_code: int = 0
    ready: list[Unit] = field(default_factory=list)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if not self.seen_root:
            self.seen_root = True
            if name != "tmx":
                raise DataError(f"{self.path} is no TMX file: its outermost element is <{shorten(name)}>, not <tmx>.")
        if name == "tu":
            self.id, self.texts = attributes.get("tuid", ""), {}
        elif name == "tuv":
            self.language = self._code(attributes.get("xml:lang") or attributes.get("lang") or "")
        elif name == "seg":
            self.in_segment, self.in_code, self.pieces = True, 0, []
        elif self.in_segment and name in CODES:
            self.in_code += 1

    def end(self, name: str) -> None:
        if name == "seg":
            self.in_segment = False
            text = " ".join("".join(self.pieces).split())
            if text:
                self.texts.setdefault(self.language, text)
        elif name == "tu":
            if self.texts:
                self.ready.append(Unit(self.id, tuple(self.texts.items())))
        elif self.in_segment and name in CODES:
            self.in_code -= 1

    def characters(self, text: str) -> None:
        if self.in_segment and not self.in_code:
            self.pieces.append(text)

    def refuse(self, *_: object) -> NoReturn:
        raise DataError(
            f"{self.path} declares a document type or entities, which are not taken for safety; "
            "delete its <!DOCTYPE …> declaration and try again."
        )

    def _code(self, given: str) -> str:
        code = given.lower().replace("_", "-").split("-")[0]
        if not regex.fullmatch(r"[a-z]{2,3}", code):
            raise DataError(
                f"{self.path} names the language “{shorten(given)}”; allowed are ISO 639 codes such as "
                'xml:lang="en" or xml:lang="pt-BR".'
            )
        return code


def read(path: Path) -> Iterator[Unit]:
    """The units of a TMX file in its order, read in pieces, so a file may be larger than memory.

    A region is dropped (`pt-BR` is `pt`); of two texts in one language the first counts; empty texts are left out.
    Raises MissingError where there is no such file, DataError where it is no well-formed TMX or declares entities.
    """
    if not path.is_file():
        raise MissingError(f"There is no file {path}; give the path of a translation memory in TMX format.")
    reading = _Reading(path)
    parser = expat.ParserCreate()
    parser.StartElementHandler = reading.start
    parser.EndElementHandler = reading.end
    parser.CharacterDataHandler = reading.characters
    parser.StartDoctypeDeclHandler = reading.refuse
    parser.EntityDeclHandler = reading.refuse
    with path.open("rb") as file:
        while True:
            piece = file.read(PIECE)
            try:
                parser.Parse(piece, not piece)
            except expat.ExpatError as error:
                raise DataError(f"{path} is not well-formed XML: {error}.") from error
            yield from reading.ready
            reading.ready.clear()
            if not piece:
                return


def write(path: Path, units: Iterable[Unit]) -> None:
    """Writes a TMX file whole or not at all: an earlier file stays until the new one is complete.

    Raises DataError for a text holding characters that XML cannot carry.
    """
    atomic.write_text(path, "".join(_lines(units)))


def _lines(units: Iterable[Unit]) -> Iterator[str]:
    yield HEADER
    for unit in units:
        yield f"<tu tuid={quoteattr(_carried(unit.id))}>\n"
        for code, text in unit.texts:
            yield f"  <tuv xml:lang={quoteattr(code)}><seg>{escape(_carried(text))}</seg></tuv>\n"
        yield "</tu>\n"
    yield "</body>\n</tmx>\n"


def _carried(text: str) -> str:
    if found := NOT_XML.search(text):
        raise DataError(f"XML cannot carry the character U+{ord(found.group()):04X} in “{shorten(text)}”; remove it.")
    return text
