"""The translation memory: sentences translated before, found exactly or by similarity, and its files in TMX 1.4.

A unit holds a sentence in any number of languages. Where two languages share no unit, the path is through English
(Spanish → English → Finnish) and the two similarities are multiplied. Similarity is rapidfuzz's normalised indel
similarity in [0, 1]. A similar sentence with other numbers or other names would say something false: it is not used.

Translation Memory eXchange 1.4b (Localization Industry Standards Association) is read one unit at a time, and only as
far as a memory of plain sentences needs: the units, their languages and texts; inline codes (`bpt`, `ept`, `it`, `ph`,
`ut`) are left out. A file that declares a document type or entities is refused, so nothing can expand or be fetched.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

import regex

from workbench.core import (
    DataError,
    MissingError,
    fingerprint,
    shorten,
)
from workbench.languages import ENGLISH, fold
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
            self.language = _language(self.path, attributes.get("xml:lang") or attributes.get("lang") or "")
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


@lru_cache(maxsize=64)
def _language(path: Path, name: str) -> str:
    language = name.lower().replace("_", "-").split("-")[0]
    if not regex.fullmatch(r"[a-z]{2,3}", language):
        raise DataError(
            f"{path} names the language “{shorten(name)}”; allowed are ISO 639 codes such as "
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
    parser.buffer_text = True
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
            except (LookupError, ValueError) as error:  # Python has no such encoding, or it has more than a byte a sign
                raise DataError(
                    f"{path} states an encoding that cannot be read ({shorten(error)}): save it as UTF-8."
                ) from error
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
        for code, text in unit.texts:
            yield f"  <tuv xml:lang={quoteattr(code)}><seg>{escape(_checked(text))}</seg></tuv>\n"
        yield "</tu>\n"
    yield "</body>\n</tmx>\n"


def _checked(text: str) -> str:
    if match := NOT_XML.search(text):
        raise DataError(f"XML cannot carry the character U+{ord(match.group()):04X} in “{shorten(text)}”; remove it.")
    return text


THRESHOLD = 0.75
CASELESS_THRESHOLD = 0.85
"""Names in scripts without capitals escape the check below, so a sentence must be more similar."""
WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
NUMBER = regex.compile(r"\p{Nd}+")
CAPITAL = regex.compile(r"\p{Lu}")
EDGES = regex.compile(r"^[\p{P}\s]+|[\p{P}\s]+$")


@dataclass(frozen=True, slots=True)
class Match:
    """The translation of a sentence of the memory; `similarity` in [0, 1] to the sentence looked up, 1 if exact."""

    text: str
    similarity: float


def numbers(text: str) -> tuple[str, ...]:
    """The numbers of `text` in ASCII digits, sorted.

    >>> numbers("ในปี ๑๘๙๕ และ 12")
    ('12', '1895')
    """
    return tuple(sorted("".join(str(unicodedata.digit(d, d)) for d in run) for run in NUMBER.findall(text)))


class TranslationMemory:
    """Units indexed by language.  Immutable; safe to share between threads."""

    def __init__(self, units: Iterable[Unit]) -> None:
        self._units = tuple(units)
        self._rows: dict[str, dict[str, list[int]]] = {}
        for row, unit in enumerate(self._units):
            for code, text in unit.texts:
                self._rows.setdefault(code, {}).setdefault(_key(text), []).append(row)
        self._keys = {code: tuple(rows) for code, rows in self._rows.items()}
        self._translated: dict[tuple[str, str], tuple[str, ...]] = {}
        self._lower_words: dict[str, frozenset[str]] = {}

    @classmethod
    def load(cls, path: Path) -> TranslationMemory:
        """The memory of a TMX file. Raises MissingError, DataError."""
        return cls(read_tmx(path))

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages it holds, sorted."""
        return tuple(sorted(self._rows))

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the units, which depends on their order."""
        return fingerprint("translation-memory", [[list(pair) for pair in unit.texts] for unit in self._units])

    def pairs(self, source: str, target: str) -> list[tuple[str, str]]:
        """Every sentence that the memory has in both languages, as (source, target) texts."""
        both = ((unit.text(source), unit.text(target)) for unit in self._units)
        return [(left, right) for left, right in both if left and right]

    def exact(self, text: str, source: str, target: str) -> Match | None:
        """The translation of this very sentence, directly or through English; None where the memory lacks it."""
        translation = self._translation(_key(text), source, target)
        if not translation and ENGLISH not in (source, target):
            english = self._translation(_key(text), source, ENGLISH)
            translation = self._translation(_key(english), ENGLISH, target) if english else ""
        return Match(translation, 1.0) if translation else None

    def fuzzy(self, text: str, source: str, target: str) -> Match | None:
        """The translation of the most similar sentence with the same numbers and names, if it is similar enough."""
        direct = self._similar(text, source, target)
        if direct or ENGLISH in (source, target):
            return direct
        first = self.exact(text, source, ENGLISH) or self._similar(text, source, ENGLISH)
        if first is None:
            return None
        second = self.exact(first.text, ENGLISH, target) or self._similar(first.text, ENGLISH, target)
        if second is None or first.similarity * second.similarity < THRESHOLD:
            return None
        return Match(second.text, first.similarity * second.similarity)

    def _translation(self, key: str, source: str, target: str) -> str:
        rows = self._rows.get(source, {}).get(key, ())
        return next((text for row in rows if (text := self._units[row].text(target))), "")

    def _source_keys(self, source: str, target: str) -> tuple[str, ...]:
        """The keys of source sentences that have a translation in `target`."""
        if (source, target) not in self._translated:
            rows = self._rows.get(source, {})
            self._translated[source, target] = tuple(
                key for key in self._keys.get(source, ()) if any(self._units[row].text(target) for row in rows[key])
            )
        return self._translated[source, target]

    def _similar(self, text: str, source: str, target: str) -> Match | None:
        from rapidfuzz import fuzz, process

        key = _key(text)
        least = THRESHOLD if CAPITAL.search(text) else CASELESS_THRESHOLD
        similar = process.extract(
            key, self._source_keys(source, target), scorer=fuzz.ratio, processor=None, limit=5, score_cutoff=100 * least
        )
        for candidate, percent, _ in similar:
            rows = self._rows[source][candidate]
            original = self._units[rows[0]].text(source)
            if numbers(original) == numbers(text) and self._names(original, source) == self._names(text, source):
                return Match(self._translation(candidate, source, target), percent / 100)
        return None

    def _names(self, text: str, language: str) -> frozenset[str]:
        """Capitalised words that the memory never writes in lower case: where they differ, so does the subject."""
        if language not in self._lower_words:
            words = (word for unit in self._units for word in WORD.findall(unit.text(language)))
            self._lower_words[language] = frozenset(word for word in words if not CAPITAL.match(word))
        lower = self._lower_words[language]
        return frozenset(
            word.casefold() for word in WORD.findall(text) if CAPITAL.match(word) and word.lower() not in lower
        )


def _key(text: str) -> str:
    """The form in which sentences are compared: folded, without punctuation at either end."""
    return EDGES.sub("", fold(text)) or fold(text)
