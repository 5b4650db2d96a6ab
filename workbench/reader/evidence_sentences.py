"""Cuts evidence into sentences and clauses, and sets beside each its English where the translator is sure of it.

With documents in several languages a question is best compared in one language.  A memory that holds the documents'
sentences gives that for nothing; a translation model would be asked to translate every document for every question,
so there the question is translated instead (see `comparing`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import regex

from workbench.languages import language, sentences
from workbench.protocols import Translator
from workbench.reader.rendering import attempt
from workbench.records import Evidence

COMMON = "en"
SURE = 0.75
"""A translation is taken for the sentence itself from this match up."""
BUDGET = 180
"""Characters of an answer in a script of single sounds; a further sentence is taken only if it fits."""
DENSITY: Mapping[str, float] = {"Hans": 0.45, "Hant": 0.45, "Jpan": 0.5, "Kore": 0.6}
"""Characters that say in these scripts what one says in Latin script."""
LONGEST = 1.4
"""A sentence of over so many budgets is cut into clauses."""
UNSTOPPED = frozenset({"Thai", "Laoo", "Khmr"})
UNSTOPPED_LONGEST = 0.4
"""Scripts without full stops are cut at spaces into pieces of so many budgets."""
CLAUSE_END = regex.compile(r"[,;:،؛](?=\s)|[，；：、]|\s[–—-](?=\s)")
SPACE = regex.compile(r"\s")


@runtime_checkable
class Remembering(Protocol):
    """A translator with a memory: it can tell which parts (start, end) of a text it holds as whole sentences."""

    def remembered(self, text: str, source: str, target: str) -> list[tuple[int, int]]: ...


@dataclass(frozen=True, slots=True)
class EvidenceSentence:
    """Characters `start` to `end` of `evidence.text`; `common` is the piece in English, "" where that is not sure."""

    evidence: Evidence
    start: int
    end: int
    common: str = ""

    @property
    def text(self) -> str:
        return self.evidence.text[self.start : self.end]

    @property
    def language(self) -> str:
        return self.evidence.language


def budget(code: str) -> int:
    """How many characters an answer in this language may have before no further sentence is added."""
    return int(BUDGET * DENSITY.get(language(code).script, 1.0))


def cut(text: str, code: str) -> list[tuple[int, int]]:
    """Sentences as (start, end), the long ones cut into clauses."""
    unstopped = language(code).script in UNSTOPPED
    longest = int(budget(code) * (UNSTOPPED_LONGEST if unstopped else LONGEST))
    return [piece for start, end in sentences(text) for piece in _clauses(text, start, end, longest)]


def _clauses(text: str, start: int, end: int, longest: int) -> list[tuple[int, int]]:
    """Cuts at the last clause end that fits, else the last space, else anywhere."""
    found: list[tuple[int, int]] = []
    while end - start > longest:
        window = start + longest
        cut_at = max((m.end() for m in CLAUSE_END.finditer(text, start + longest // 3, window)), default=0)
        cut_at = cut_at or max((m.end() for m in SPACE.finditer(text, start + longest // 3, window)), default=window)
        found.append((start, start + len(text[start:cut_at].rstrip())))
        start = cut_at + len(text[cut_at:end]) - len(text[cut_at:end].lstrip())
    return [*found, (start, end)] if end > start else found


def read(evidence: Sequence[Evidence], translator: Translator, *, common: bool) -> list[EvidenceSentence]:
    """The pieces of all evidence in reading order; with `common` each with its English where that is sure."""
    if not common:
        return [EvidenceSentence(item, start, end) for item in evidence for start, end in cut(item.text, item.language)]
    return [
        EvidenceSentence(item, start, end, sure_english(item.text[start:end], item.language, translator))
        for item in evidence
        for start, end in _aligned(item, translator)
    ]


def _aligned(item: Evidence, translator: Translator) -> list[tuple[int, int]]:
    """Cut so that the pieces are the translator's own sentences, where the script does not show where those end."""
    if language(item.language).script not in UNSTOPPED or not isinstance(translator, Remembering):
        return cut(item.text, item.language)
    found: list[tuple[int, int]] = []
    at = 0
    for start, end in [*translator.remembered(item.text, item.language, COMMON), (len(item.text), len(item.text))]:
        found.extend((at + a, at + b) for a, b in cut(item.text[at:start], item.language))
        if end > start:
            found.append((start, end))
        at = end
    return found


def sure_english(text: str, code: str, translator: Translator) -> str:
    """`text` in English, "" where the translator only guesses at it."""
    if code == COMMON:
        return text
    made = attempt(translator, text, code, COMMON)
    if made is None or made.kind == "gloss" or (made.match is not None and made.match < SURE):
        return ""
    return made.text
