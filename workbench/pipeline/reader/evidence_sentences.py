"""Splits evidence into sentences and clauses, each with its English where the translator is reliable.

With documents in several languages a question is best compared in one language.  A memory that contains the documents'
sentences provides that at no cost; a translation model would have to translate every document for every question, so
there the question is translated instead (see `sentence_scoring`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, runtime_checkable

import regex

from workbench.core import Evidence, Task, Translator
from workbench.languages import ENGLISH, UNSTOPPED, language, sentences, sentences_around
from workbench.pipeline.reader.rendering import try_translate

RELIABLE_MATCH = 0.75
"""From this match a translation counts as the sentence itself."""
BUDGET = 180
"""Characters of an answer in an alphabetic script; another sentence is added only if it fits."""
DENSITY: Mapping[str, float] = {"Hans": 0.45, "Hant": 0.45, "Jpan": 0.5, "Kore": 0.6}
"""Characters in these scripts that say as much as one in Latin script."""
LONGEST = 1.4
"""A sentence longer than this many budgets is split into clauses."""
LONGEST_WITHOUT_FULL_STOPS = 0.4
"""Texts in scripts without full stops are split at spaces into parts of at most this many budgets."""
CLAUSE_END = regex.compile(r"[,;:،؛](?=\s)|[，；：、]|\s[–—-](?=\s)")
SPACE = regex.compile(r"\s")


@runtime_checkable
class TranslatorWithMemory(Protocol):
    """A translator that knows which parts of a text are sentences of its memory."""

    def known_sentences(self, text: str, source: str, target: str) -> list[tuple[int, int]]:
        """The parts of `text` that the memory has in `source` and `target`, as (start, end), in order."""
        ...


@dataclass(frozen=True, slots=True)
class EvidenceSentence:
    """Characters `start` to `end` of `evidence.text`; `english` is the same in English, "" where not reliable."""

    evidence: Evidence
    start: int
    end: int
    english: str = ""

    @property
    def text(self) -> str:
        """The sentence as written in the evidence."""
        return self.evidence.text[self.start : self.end]

    @property
    def language(self) -> str:
        """The language of the evidence."""
        return self.evidence.language


def answer_budget(answer_language: str) -> int:
    """The number of characters up to which another sentence may be added to an answer in this language."""
    return int(BUDGET * DENSITY.get(language(answer_language).script, 1.0))


def split_sentences(text: str, text_language: str) -> list[tuple[int, int]]:
    """Sentences as (start, end), the long ones split into clauses."""
    unstopped = language(text_language).script in UNSTOPPED
    longest = int(answer_budget(text_language) * (LONGEST_WITHOUT_FULL_STOPS if unstopped else LONGEST))
    return [span for start, end in sentences(text) for span in _clauses(text, start, end, longest)]


def _clauses(text: str, start: int, end: int, longest: int) -> list[tuple[int, int]]:
    """The spans that end at the last clause end that fits, else the last space, else anywhere."""
    spans: list[tuple[int, int]] = []
    while end - start > longest:
        least, most = start + longest // 3, start + longest
        split = max((match.end() for match in CLAUSE_END.finditer(text, least, most)), default=0)
        split = split or max((match.end() for match in SPACE.finditer(text, least, most)), default=most)
        spans.append((start, start + len(text[start:split].rstrip())))
        start = split + len(text[split:end]) - len(text[split:end].lstrip())
    return [*spans, (start, end)] if end > start else spans


def split_evidence(
    evidence: Sequence[Evidence], translator: Translator, *, with_english: bool
) -> list[EvidenceSentence]:
    """The sentences of all evidence in reading order; `with_english` adds the English of each where it is reliable."""
    if not with_english:
        return [
            EvidenceSentence(item, start, end)
            for item in evidence
            for start, end in split_sentences(item.text, item.language)
        ]
    return [
        EvidenceSentence(item, start, end, reliable_english(item.text[start:end], item.language, translator))
        for item in evidence
        for start, end in _split_as_known(item, translator)
    ]


def _split_as_known(item: Evidence, translator: Translator) -> list[tuple[int, int]]:
    """Splits so that the sentences are those of the translator's memory, if the script does not show their ends."""
    if language(item.language).script not in UNSTOPPED or not isinstance(translator, TranslatorWithMemory):
        return split_sentences(item.text, item.language)
    known = translator.known_sentences(item.text, item.language, ENGLISH)
    return sentences_around(item.text, known, partial(split_sentences, text_language=item.language))


def reliable_english(text: str, source: str, translator: Translator) -> str:
    """`text` in English, "" where the translator only guesses at it."""
    if source == ENGLISH:
        return text
    translation = try_translate(translator, text, source, ENGLISH)
    if translation is None or translation.kind == "gloss":
        return ""
    return translation.text if translation.match is None or translation.match >= RELIABLE_MATCH else ""


def question_with_english(task: Task, translator: Translator) -> str:
    """The question, followed by its English where that is reliable: names in either are no answer to it."""
    return f"{task.question} {reliable_english(task.question, task.language, translator)}"
