"""The translation memory: looks up sentences that were translated before, exactly or by similarity.

A unit holds a sentence in any number of languages.  Where two languages share no unit, the path is through English
(Spanish → English → Finnish) and the two similarities are multiplied.  Similarity is rapidfuzz's normalised indel
similarity in [0, 1].  A similar sentence with other numbers or other names would say something false: it is not used.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import regex

from workbench.core import fingerprint
from workbench.languages import ENGLISH, fold
from workbench.models.translation.memory.tmx import Unit, read_tmx

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
    return tuple(sorted("".join(str(unicodedata.digit(d)) for d in run) for run in NUMBER.findall(text)))


class TranslationMemory:
    """Units indexed by language.  Immutable; safe to share between threads."""

    def __init__(self, units: Iterable[Unit]) -> None:
        self._units = tuple(units)
        self._rows: dict[str, dict[str, list[int]]] = {}
        for row, unit in enumerate(self._units):
            for language, text in unit.texts:
                self._rows.setdefault(language, {}).setdefault(_key(text), []).append(row)
        self._keys = {language: tuple(rows) for language, rows in self._rows.items()}
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

    def __len__(self) -> int:
        return len(self._units)

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
