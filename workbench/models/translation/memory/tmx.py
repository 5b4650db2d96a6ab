"""Reads and writes translation memories in TMX 1.4, one unit at a time.

Format: Translation Memory eXchange 1.4b (Localization Industry Standards Association).  Only what a memory of plain
sentences needs is read: the units, their languages and texts; inline codes (`bpt`, `ept`, `it`, `ph`, `ut`) are left
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

from workbench.core import DataError, MissingError, shorten
from workbench.workspace import atomic

BLOCK_BYTES = 1 << 16
INLINE_CODES = frozenset({"bpt", "ept", "it", "ph", "ut"})
NOT_XML = regex.compile(r"[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")
SPACES = regex.compile(r"[ \t\r\n]+")
"""What XML counts as white space: a no-break space, as in 8\u00a0848, belongs to the text."""
HEADER = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n'
    '<header creationtool="workbench" creationtoolversion="1" segtype="sentence" o-tmf="workbench" adminlang="en" '
    'srclang="*all*" datatype="plaintext"/>\n<body>\n'
)


@dataclass(frozen=True, slots=True)
class Unit:
    """One sentence in several languages. `texts` are (language, text) pairs, each language once."""

    id: str
    texts: tuple[tuple[str, str], ...]

    def text(self, language: str) -> str:
        """The text in `language`, "" where the unit has none."""
        return next((text for other, text in self.texts if other == language), "")


@dataclass(slots=True)
class _UnitParser:
    """The handlers of an expat parser: where it is within a unit, and the units that are complete."""

    path: Path
    root_checked: bool = False
    id: str = ""
    language: str = ""
    texts: dict[str, str] = field(default_factory=dict)
    segment: list[str] = field(default_factory=list)
    in_segment: bool = False
    code_depth: int = 0
    units: list[Unit] = field(default_factory=list)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Begins an element. Raises DataError for another root than <tmx> and for a language that is not a code."""
        if not self.root_checked:
            self.root_checked = True
            if name != "tmx":
                raise DataError(f"{self.path} is not a TMX file: its root element is <{shorten(name)}>, not <tmx>.")
        if name == "tu":
            self.id, self.texts = attributes.get("tuid", ""), {}
        elif name == "tuv":
            self.language = self._language(attributes.get("xml:lang") or attributes.get("lang") or "")
        elif name == "seg":
            self.in_segment, self.code_depth, self.segment = True, 0, []
        elif self.in_segment and name in INLINE_CODES:
            self.code_depth += 1

    def end(self, name: str) -> None:
        """Ends an element; the end of <tu> completes a unit, unless it holds no text."""
        if name == "seg":
            self.in_segment = False
            text = SPACES.sub(" ", "".join(self.segment)).strip()
            if text:
                self.texts.setdefault(self.language, text)
        elif name == "tu":
            if self.texts:
                self.units.append(Unit(self.id, tuple(self.texts.items())))
        elif self.in_segment and name in INLINE_CODES:
            self.code_depth -= 1

    def characters(self, text: str) -> None:
        """Adds text to the segment, unless it is inside an inline code."""
        if self.in_segment and not self.code_depth:
            self.segment.append(text)

    def refuse(self, *_: object) -> NoReturn:
        """Raises DataError: the file declares a document type or entities."""
        raise DataError(
            f"{self.path} declares a document type or entities, which are refused for safety; "
            "delete its <!DOCTYPE …> declaration and try again."
        )

    def _language(self, name: str) -> str:
        language = name.lower().replace("_", "-").split("-")[0]
        if not regex.fullmatch(r"[a-z]{2,3}", language):
            raise DataError(
                f"{self.path} names the language “{shorten(name)}”; allowed are ISO 639 codes such as "
                'xml:lang="en" or xml:lang="pt-BR".'
            )
        return language


def read_tmx(path: Path) -> Iterator[Unit]:
    """The units of a TMX file in its order, read in blocks, so a file may be larger than the machine's memory.

    A region is dropped (`pt-BR` is `pt`); of two texts in one language the first counts; empty texts are left out.
    Raises MissingError where there is no such file, DataError where it is not well-formed TMX or declares entities.
    """
    if not path.is_file():
        raise MissingError(f"There is no file {path}; give the path of a translation memory in TMX format.")
    handlers = _UnitParser(path)
    parser = expat.ParserCreate()
    parser.StartElementHandler = handlers.start
    parser.EndElementHandler = handlers.end
    parser.CharacterDataHandler = handlers.characters
    parser.StartDoctypeDeclHandler = handlers.refuse
    parser.EntityDeclHandler = handlers.refuse
    with path.open("rb") as file:
        while True:
            block = file.read(BLOCK_BYTES)
            try:
                parser.Parse(block, not block)
            except expat.ExpatError as error:
                raise DataError(f"{path} is not well-formed XML: {error}.") from error
            yield from handlers.units
            handlers.units.clear()
            if not block:
                return


def write_tmx(path: Path, units: Iterable[Unit]) -> None:
    """Writes a complete TMX file or none: an earlier file stays until the new one is complete.

    Raises DataError for a text holding characters that XML cannot carry.
    """
    atomic.write_text(path, "".join(_lines(units)))


def _lines(units: Iterable[Unit]) -> Iterator[str]:
    yield HEADER
    for unit in units:
        yield f"<tu tuid={quoteattr(_checked(unit.id))}>\n"
        for language, text in unit.texts:
            yield f"  <tuv xml:lang={quoteattr(language)}><seg>{escape(_checked(text))}</seg></tuv>\n"
        yield "</tu>\n"
    yield "</body>\n</tmx>\n"


def _checked(text: str) -> str:
    if match := NOT_XML.search(text):
        raise DataError(f"XML cannot carry the character U+{ord(match.group()):04X} in “{shorten(text)}”; remove it.")
    return text
