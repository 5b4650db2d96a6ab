"""The built-in translator: a translation memory, exact or near, and a word gloss for what it lacks.

It needs nothing else installed or reachable.  Every translation says which of the three it was and how good the match
is; a text of which nothing is known fails rather than come back as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import regex

from workbench.errors import TranslationFailed, shorten
from workbench.identity import component
from workbench.languages import ENGLISH, language, sentences
from workbench.records import Translation
from workbench.records.translation import TranslationKind
from workbench.translation.memory.translation_memory import TranslationMemory
from workbench.translation.memory.word_gloss import VERSION, Glossed, GlossShelf

LONGEST_PHRASE = 60
"""Characters up to which a text without a sentence's end is looked for inside sentences of the memory."""
UNSTOPPED = frozenset({"Thai", "Laoo", "Khmr"})
UNSPACED = regex.compile(r"\S+")
MOST_PHRASES = 16
"""Stretches between white space that a remembered sentence may have."""
ENDS = frozenset(".!?。！？؟।…")


class BuiltinTranslator:
    """Implements `protocols.Translator` with a memory; `folder` keeps what the gloss learnt between sessions."""

    def __init__(self, memory: TranslationMemory, folder: Path | None = None) -> None:
        self._memory = memory
        self._shelf = GlossShelf(memory, folder)

    @property
    def identity(self) -> str:
        return component("builtin-translator", version=VERSION, memory=self._memory.fingerprint)

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[Translation]:
        """Each text sentence by sentence: exact, else near, else glossed.

        `match` is 1 for exact, the similarity for near and the share of words known for a gloss, weighted by length
        over the sentences.  Raises TranslationFailed for the first text of which nothing is known.
        """
        if source == target:
            return [Translation(text, source, target, "same", 1.0) for text in texts]
        return [self._text(text, source, target) for text in texts]

    def remembered(self, text: str, source: str, target: str) -> list[tuple[int, int]]:
        """Parts of `text`, as (start, end), that the memory holds as whole sentences, in order; the longest first
        where several begin at one place.  Parts begin and end at white space: in Thai a space may be inside a
        sentence as well as between two, and only the memory tells which.
        """
        words = [match.span() for match in UNSPACED.finditer(text)]
        found: list[tuple[int, int]] = []
        for at, (start, _) in enumerate(words):
            if found and start < found[-1][1]:
                continue
            for _, end in reversed(words[at : at + MOST_PHRASES]):
                if self._memory.exact(text[start:end], source, target):
                    found.append((start, end))
                    break
        return found

    def _spans(self, text: str, source: str, target: str) -> list[tuple[int, int]]:
        """The sentences of `text`; where the script has no full stops those that the memory holds are found first."""
        if language(source).script not in UNSTOPPED:
            return sentences(text)
        spans: list[tuple[int, int]] = []
        start = 0
        for first, last in [*self.remembered(text, source, target), (len(text), len(text))]:
            spans.extend((start + a, start + b) for a, b in sentences(text[start:first]))
            if last > first:
                spans.append((first, last))
            start = last
        return spans

    def _text(self, text: str, source: str, target: str) -> Translation:
        whole = self._memory.exact(text, source, target)
        if whole:
            return Translation(whole.text, source, target, "exact", 1.0)
        spans = self._spans(text, source, target)
        parts = [self._sentence(text[start:end], source, target) for start, end in spans]
        weight = sum(end - start for start, end in spans)
        match = sum((end - start) * (part.match or 0.0) for (start, end), part in zip(spans, parts, strict=True))
        if not weight or not match:
            raise TranslationFailed(
                f"The built-in translator knows none of “{shorten(text)}” from {language(source).name} to "
                f"{language(target).name}; choose another translator in Settings or add sentences to the memory."
            )
        kinds = {part.kind for part in parts}
        kind: TranslationKind = parts[0].kind if len(kinds) == 1 else "mixed"
        return Translation(_joined(text, spans, parts, target), source, target, kind, min(1.0, match / weight))

    def _sentence(self, text: str, source: str, target: str) -> Translation:
        exact = self._memory.exact(text, source, target)
        if exact:
            return Translation(exact.text, source, target, "exact", 1.0)
        near = self._memory.fuzzy(text, source, target)
        if near:
            return Translation(near.text, source, target, "fuzzy", near.value)
        glossed = self._gloss(text, source, target)
        return Translation(glossed.text, source, target, "gloss", glossed.known)

    def _gloss(self, text: str, source: str, target: str) -> Glossed:
        """By phrase where `text` is short, else word by word; through English where that knows more."""
        direct = self._direct(text, source, target)
        if ENGLISH in (source, target):
            return direct
        first = self._direct(text, source, ENGLISH)
        second = self._direct(first.text, ENGLISH, target) if first.known else first
        led = Glossed(second.text, first.known * second.known)
        return led if led.known > direct.known else direct

    def _direct(self, text: str, source: str, target: str) -> Glossed:
        gloss = self._shelf.gloss(source, target)
        if gloss is None:
            return Glossed(text, 0.0)
        phrase = gloss.phrase(text) if len(text) <= LONGEST_PHRASE and text[-1] not in ENDS else None
        return phrase or gloss.sentence(text)


def _joined(text: str, spans: list[tuple[int, int]], parts: list[Translation], target: str) -> str:
    """The sentences with the original's paragraph breaks between them, else a space where the target writes any."""
    glue = "" if language(target).spaceless else " "
    joined = parts[0].text
    for (_, before), (after, _), part in zip(spans, spans[1:], parts[1:], strict=False):
        joined += ("\n" if "\n" in text[before:after] else glue) + part.text
    return joined
