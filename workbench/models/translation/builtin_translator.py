"""The built-in translator: a translation memory, exact or fuzzy, and a word gloss for what it lacks.

It needs nothing else installed or reachable. Every translation states which of the three it was and how good the match
is; for a text of which nothing is known it fails rather than return the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path

import regex

from workbench.core import Translation, TranslationFailed, TranslationKind, component, shorten
from workbench.languages import ENGLISH, UNSTOPPED, language, sentences, sentences_around
from workbench.models.translation.model_translators import same_language
from workbench.models.translation.translation_memory import TranslationMemory
from workbench.models.translation.word_gloss import VERSION, GlossedText, GlossStore

LONGEST_PHRASE = 60
"""Characters up to which a text without a sentence's end is looked up inside sentences of the memory."""
NOT_SPACE = regex.compile(r"\S+")
MOST_WORDS = 16
"""Stretches between white space that a sentence of the memory may have."""
TRANSLATIONS = 2_048
"""Texts whose translations are kept in memory: some 2 MB, where they are passages."""
SENTENCE_ENDS = frozenset(".!?。！？؟।…")


class BuiltinTranslator:
    """Implements `protocols.Translator` with a memory; what the gloss learns is stored in `folder`, if given."""

    def __init__(self, memory: TranslationMemory, folder: Path | None = None) -> None:
        self._memory = memory
        self._glosses = GlossStore(memory, folder)
        # The reader asks for the same sentences several times an answer, and questions share documents.
        self._known_or_glossed = lru_cache(TRANSLATIONS)(self._translate_text)

    @cached_property
    def identity(self) -> str:
        """The version of the gloss and the memory's fingerprint."""
        return component("builtin-translator", version=VERSION, memory=self._memory.fingerprint)

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[Translation]:
        """Each text sentence by sentence: exact, else fuzzy, else glossed.

        `match` is 1 for exact, the similarity for fuzzy and the share of words known for a gloss, weighted by length
        over the sentences.  Raises TranslationFailed for the first text of which nothing is known.
        """
        if source == target:
            return same_language(texts, source)
        return [self._known_or_glossed(text, source, target) for text in texts]

    def known_sentences(self, text: str, source: str, target: str) -> list[tuple[int, int]]:
        """Parts of `text`, as (start, end), that are sentences of the memory, in order.

        Where several begin at one place, the longest counts.  Parts begin and end at white space: in Thai a space may
        be inside a sentence as well as between two, and only the memory shows which.
        """
        words = [match.span() for match in NOT_SPACE.finditer(text)]
        spans: list[tuple[int, int]] = []
        for first, (start, _) in enumerate(words):
            if spans and start < spans[-1][1]:
                continue
            for _, end in reversed(words[first : first + MOST_WORDS]):
                if self._memory.exact(text[start:end], source, target):
                    spans.append((start, end))
                    break
        return spans

    def _sentence_spans(self, text: str, source: str, target: str) -> list[tuple[int, int]]:
        """The sentences of `text`; where the script has no full stops, those of the memory are matched first."""
        if language(source).script not in UNSTOPPED:
            return sentences(text)
        return sentences_around(text, self.known_sentences(text, source, target))

    def _translate_text(self, text: str, source: str, target: str) -> Translation:
        exact = self._memory.exact(text, source, target)
        if exact:
            return Translation(exact.text, source, target, "exact", 1.0)
        spans = self._sentence_spans(text, source, target)
        parts = [self._translate_sentence(text[start:end], source, target) for start, end in spans]
        weight = sum(end - start for start, end in spans)
        match = sum((end - start) * (part.match or 0.0) for (start, end), part in zip(spans, parts, strict=True))
        if not weight or not match:
            raise TranslationFailed(
                f"The built-in translator knows no part of “{shorten(text)}” from {language(source).name} to "
                f"{language(target).name}; choose another translator in Settings or add sentences to the memory."
            )
        kinds = {part.kind for part in parts}
        kind: TranslationKind = parts[0].kind if len(kinds) == 1 else "mixed"
        return Translation(_join_sentences(text, spans, parts, target), source, target, kind, min(1.0, match / weight))

    def _translate_sentence(self, text: str, source: str, target: str) -> Translation:
        exact = self._memory.exact(text, source, target)
        if exact:
            return Translation(exact.text, source, target, "exact", 1.0)
        fuzzy = self._memory.fuzzy(text, source, target)
        if fuzzy:
            return Translation(fuzzy.text, source, target, "fuzzy", fuzzy.similarity)
        glossed = self._gloss(text, source, target)
        return Translation(glossed.text, source, target, "gloss", glossed.known_share)

    def _gloss(self, text: str, source: str, target: str) -> GlossedText:
        """By phrase where `text` is short, else word by word; through English where that knows more."""
        direct = self._direct_gloss(text, source, target)
        if ENGLISH in (source, target):
            return direct
        first = self._direct_gloss(text, source, ENGLISH)
        second = self._direct_gloss(first.text, ENGLISH, target) if first.known_share else first
        indirect = GlossedText(second.text, first.known_share * second.known_share)
        return indirect if indirect.known_share > direct.known_share else direct

    def _direct_gloss(self, text: str, source: str, target: str) -> GlossedText:
        gloss = self._glosses.gloss(source, target)
        if gloss is None:
            return GlossedText(text, 0.0)
        phrase = gloss.phrase(text) if len(text) <= LONGEST_PHRASE and text[-1] not in SENTENCE_ENDS else None
        return phrase or gloss.sentence(text)


def _join_sentences(text: str, spans: list[tuple[int, int]], parts: list[Translation], target: str) -> str:
    """The sentences with the original's paragraph breaks between them, else a space where the target writes any."""
    separator = "" if language(target).spaceless else " "
    joined = parts[0].text
    for (_, before), (after, _), part in zip(spans, spans[1:], parts[1:], strict=False):
        joined += ("\n" if "\n" in text[before:after] else separator) + part.text
    return joined
