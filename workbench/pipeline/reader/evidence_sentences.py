"""The sentences of the evidence: split, translated where that is reliable, and compared with the question in meaning.

With documents in several languages a question is best compared in one language. A memory that contains the documents'
sentences provides that at no cost; a translation model would have to translate every document for every question, so
there the question is translated instead (see `sentence_scoring`). A translation that fails is visible: the original
stays and the note says so.

Likeness in meaning is by the vectors of an encoder. The texts are those that an index by sentences encodes
(`retrieval/sentence_index.py`), so that an encoder that keeps vectors has them already. A sentence counts with its
passage: what a passage is about tells sentences apart that say the same of different things.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib.resources import files
from typing import Protocol, runtime_checkable

import regex
import yaml

from workbench.core import (
    Encoder,
    Evidence,
    FloatArray,
    Passage,
    Query,
    Task,
    Translation,
    TranslationFailed,
    Translator,
)
from workbench.languages import ENGLISH, KATAKANA, UNSTOPPED, language, script_of, sentences, sentences_around

NAME = regex.compile(
    r"\p{Lu}[\p{L}\p{M}'’]+(?:[ -]\p{Lu}[\p{L}\p{M}'’]*\.?)*"
    rf"|[{KATAKANA}]+(?:・[{KATAKANA}]+)*"
)
KIND_LABELS = {
    "exact": "an exact match in the translation memory",
    "fuzzy": "a near match in the translation memory",
    "gloss": "a word-by-word gloss",
    "mixed": "the translation memory and word-by-word glosses",
    "model": "a translation model",
    "same": "no translation needed",
}

LEAST_MATCH = 0.5
"""A gloss that knew a smaller share of the words is not shown: the original says more."""
LEAST_COMPARED_MATCH = 0.3
"""A gloss of a question that knew a smaller share of the words is not compared with passages."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """A text, in the target language where that was possible; the translation, if there was one; the note on it."""

    text: str
    note: str = ""
    translation: Translation | None = None


def try_translate(translator: Translator, text: str, source: str, target: str) -> Translation | None:
    """The translation, None where it failed."""
    try:
        return translator.translate([text], source, target)[0]
    except TranslationFailed:
        return None


def render(translator: Translator, text: str, source: str, target: str) -> Rendering:
    """`text` in `target`, or unchanged with a note that it could not be translated."""
    if source == target:
        return Rendering(text)
    names = language(source).name, language(target).name
    translation = try_translate(translator, text, source, target)
    if translation is None:
        return Rendering(text, f"Quoted in {names[0]}: it could not be translated to {names[1]}.")
    match = translation.match
    if match is not None and match < LEAST_MATCH:
        return Rendering(
            text,
            f"Quoted in {names[0]}: the translator knew too little of it ({match:.0%}) to say it in {names[1]}.",
        )
    matched = f", match {match:.2f}" if match is not None else ""
    note = f"Translated from {names[0]} to {names[1]} by {KIND_LABELS[translation.kind]}{matched}."
    return Rendering(translation.text, note, translation)


def transliterate_names(translator: Translator, text: str, source: str, target: str) -> Rendering:
    """`text` with its names in the script of `target`, as far as the translator knows them.

    Names are recognised by capitals or katakana; the note lists those that stayed in another script.
    """
    scripts = language(target).letter_scripts
    unknown: list[str] = []

    def in_script(match: regex.Match[str]) -> str:
        name: str = match.group()
        if script_of(name) in scripts:
            return name
        translation = try_translate(translator, name, source, target)
        if translation is None or script_of(translation.text) not in scripts:
            unknown.append(name)
            return name
        return translation.text

    rendered: str = NAME.sub(in_script, text)
    names = ", ".join(dict.fromkeys(unknown))
    return Rendering(rendered, f"Not known in the alphabet asked for: {names}." if unknown else "")


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


MOST_SENTENCES = 32
"""Sentences that are encoded for a question, in order of rank: some 0.7 s of work where no vector is known."""
PASSAGE_SHARE = 0.5
"""What a passage counts against the sentence itself."""
UNRELATED, ANSWERING = 0.72, 0.88
"""Likeness of an unrelated sentence, and of one that answers: nine in ten on XQuAD are between them."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Likeness:
    """Cosines with the question, in [-1, 1]: of a sentence, of its passage as it was indexed, and of any text."""

    sentence: float
    passage: float
    background: float

    @property
    def strength(self) -> float:
        """0 for a sentence that has nothing to do with the question to 1 for one that answers it; not clipped."""
        mixed = (self.sentence + PASSAGE_SHARE * self.passage) / (1 + PASSAGE_SHARE)
        return (mixed - UNRELATED) / (ANSWERING - UNRELATED)


class Meaning:
    """The likeness of texts by the vectors of `encoder`, in which translations lie near each other."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    @property
    def identity(self) -> str:
        """The encoder's."""
        return self._encoder.identity

    def likenesses(self, task: Task, parts: Sequence[EvidenceSentence]) -> list[Likeness]:
        """The likeness of each of `parts` to the question; a clause has that of the sentence it belongs to.

        Beyond MOST_SENTENCES a sentence has the likeness of its passage.
        """
        evidence = {part.evidence.rank: part.evidence for part in parts}
        spans = [(rank, span) for rank in sorted(evidence) for span in sentences(evidence[rank].text)][:MOST_SENTENCES]
        (question,) = self._encoder.encode_queries([Query(task.question, task.language, ())])
        background = float(self._background @ question)
        of_passages = self.vectors([item.passage for item in evidence.values()]) @ question
        passages = dict(zip(evidence, of_passages.tolist(), strict=True))
        of_sentences = self.vectors([_sentence_passage(evidence[rank], span) for rank, span in spans]) @ question
        cosines: dict[int, list[tuple[Span, float]]] = {}
        for (rank, span), cosine in zip(spans, of_sentences.tolist(), strict=True):
            cosines.setdefault(rank, []).append((span, cosine))
        return [
            Likeness(_of_part(part, cosines.get(part.evidence.rank, ()), rest), rest, background)
            for part, rest in ((part, passages[part.evidence.rank]) for part in parts)
        ]

    def sentences(self, parts: Sequence[EvidenceSentence]) -> list[FloatArray]:
        """The vector of each of `parts`."""
        return list(self.vectors([_sentence_passage(part.evidence, (part.start, part.end)) for part in parts]))

    def vectors(self, passages: Sequence[Passage]) -> FloatArray:
        """One unit row per passage."""
        return self._encoder.encode_passages(passages)

    @cached_property
    def _background(self) -> FloatArray:
        texts = yaml.safe_load(
            files("workbench.pipeline.reader").joinpath("background.yaml").read_text(encoding="utf-8")
        )
        mean: FloatArray = self.vectors([Passage("", "", "", ENGLISH, str(text)) for text in texts]).mean(axis=0)
        return mean


def _sentence_passage(evidence: Evidence, span: Span) -> Passage:
    text = evidence.text[slice(*span)]
    return replace(evidence.passage, title="", language=evidence.language, text=text)


def _of_part(part: EvidenceSentence, of_passage: Sequence[tuple[Span, float]], otherwise: float) -> float:
    """The cosine of the sentence that has most characters in common with `part`, `otherwise` where none has any."""
    common, cosine = max(
        ((min(end, part.end) - max(start, part.start), cosine) for (start, end), cosine in of_passage),
        default=(0, otherwise),
    )
    return cosine if common > 0 else otherwise
