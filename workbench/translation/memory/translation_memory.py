"""The translation memory: sentences translated before, found again exactly or nearly.

A unit holds a sentence in any number of languages.  Where two languages share no unit, English leads from one to the
other (Spanish → English → Finnish) and the two matches are multiplied.  Nearness is rapidfuzz's normalised indel
similarity in [0, 1].  A near sentence with other numbers or other names would say something false: it is not used.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import regex

from workbench.identity import fingerprint
from workbench.languages import ENGLISH, fold
from workbench.translation.memory.tmx import Unit, read

THRESHOLD = 0.75
CASELESS_THRESHOLD = 0.85
"""Scripts without capitals hide names from the check below, so a near sentence must be nearer."""
WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
NUMBER = regex.compile(r"\p{Nd}+")
CAPITAL = regex.compile(r"\p{Lu}")
EDGES = regex.compile(r"^[\p{P}\s]+|[\p{P}\s]+$")


@dataclass(frozen=True, slots=True)
class Match:
    """A sentence of the memory that stands for the one asked for; `value` in [0, 1], exactly 1 for an exact match."""

    text: str
    value: float


def numbers(text: str) -> tuple[str, ...]:
    """The numbers of `text` in ASCII digits, sorted.

    >>> numbers("ในปี ๑๘๙๕ และ 12")
    ('12', '1895')
    """
    return tuple(sorted("".join(str(unicodedata.digit(d)) for d in run) for run in NUMBER.findall(text)))


class TranslationMemory:
    """Units indexed by language.  Immutable once made; safe to share between threads."""

    def __init__(self, units: Iterable[Unit]) -> None:
        self._units = tuple(units)
        self._rows: dict[str, dict[str, list[int]]] = {}
        for row, unit in enumerate(self._units):
            for code, text in unit.texts:
                self._rows.setdefault(code, {}).setdefault(_key(text), []).append(row)
        self._keys = {code: tuple(rows) for code, rows in self._rows.items()}
        self._shared: dict[tuple[str, str], tuple[str, ...]] = {}
        self._common: dict[str, frozenset[str]] = {}

    @classmethod
    def load(cls, path: Path) -> TranslationMemory:
        """The memory of a TMX file.  Raises what `tmx.read` raises."""
        return cls(read(path))

    @property
    def languages(self) -> tuple[str, ...]:
        """The codes of the languages it holds, sorted."""
        return tuple(sorted(self._rows))

    def __len__(self) -> int:
        return len(self._units)

    @cached_property
    def fingerprint(self) -> str:
        """The same for the same units in the same order."""
        return fingerprint("translation-memory", [[list(pair) for pair in unit.texts] for unit in self._units])

    def pairs(self, source: str, target: str) -> list[tuple[str, str]]:
        """Every sentence held in both languages, as (source, target) texts."""
        both = ((unit.text(source), unit.text(target)) for unit in self._units)
        return [(left, right) for left, right in both if left and right]

    def exact(self, text: str, source: str, target: str) -> Match | None:
        """The translation of the very sentence, directly or through English; None where the memory lacks it."""
        found = self._of(_key(text), source, target)
        if not found and ENGLISH not in (source, target):
            pivot = self._of(_key(text), source, ENGLISH)
            found = self._of(_key(pivot), ENGLISH, target) if pivot else ""
        return Match(found, 1.0) if found else None

    def fuzzy(self, text: str, source: str, target: str) -> Match | None:
        """The translation of the nearest sentence with the same numbers and names, if it is near enough."""
        best = self._near(text, source, target)
        if ENGLISH in (source, target) or (best and self._sources(source, target)):
            return best
        first = self.exact(text, source, ENGLISH) or self._near(text, source, ENGLISH)
        second = (self.exact(first.text, ENGLISH, target) or self._near(first.text, ENGLISH, target)) if first else None
        if first is None or second is None or first.value * second.value < THRESHOLD:
            return best
        return Match(second.text, first.value * second.value)

    def _of(self, key: str, source: str, target: str) -> str:
        rows = self._rows.get(source, {}).get(key, ())
        return next((text for row in rows if (text := self._units[row].text(target))), "")

    def _sources(self, source: str, target: str) -> tuple[str, ...]:
        """The keys of source sentences that have a translation in `target`."""
        if (source, target) not in self._shared:
            rows = self._rows.get(source, {})
            self._shared[source, target] = tuple(
                key for key in self._keys.get(source, ()) if any(self._units[row].text(target) for row in rows[key])
            )
        return self._shared[source, target]

    def _near(self, text: str, source: str, target: str) -> Match | None:
        from rapidfuzz import fuzz, process

        key = _key(text)
        least = THRESHOLD if CAPITAL.search(text) else CASELESS_THRESHOLD
        near = process.extract(
            key, self._sources(source, target), scorer=fuzz.ratio, processor=None, limit=5, score_cutoff=100 * least
        )
        for found, percent, _ in near:
            rows = self._rows[source][found]
            original = self._units[rows[0]].text(source)
            if numbers(original) == numbers(text) and self._names(original, source) == self._names(text, source):
                return Match(self._of(found, source, target), percent / 100)
        return None

    def _names(self, text: str, language: str) -> frozenset[str]:
        """Capitalised words that the memory never writes small: where they differ, the sentence is about another."""
        if language not in self._common:
            seen = (word for unit in self._units for word in WORD.findall(unit.text(language)))
            self._common[language] = frozenset(word for word in seen if not CAPITAL.match(word))
        common = self._common[language]
        return frozenset(
            word.casefold() for word in WORD.findall(text) if CAPITAL.match(word) and word.lower() not in common
        )


def _key(text: str) -> str:
    """What sentences are compared by: folded, without punctuation at either end."""
    return EDGES.sub("", fold(text)) or fold(text)
