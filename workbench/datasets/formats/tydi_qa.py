"""TyDi QA: questions in eleven languages over Wikipedia articles of the same language.

Source: Clark et al. 2020, "TyDi QA: A Benchmark for Information-Seeking Question Answering in Typologically Diverse
Languages".  The original task's lines hold a whole article each: its candidate paragraphs become passages, and what
annotators pointed to becomes gold passages and answers.  Offsets count bytes of UTF-8, not characters.
Left out and counted: questions that no annotator found a passage for.  A question answered by yes or no keeps its
passages but has no answer text, since the data holds none in its language.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from workbench.datasets.collection import Collection, Unique, checked_languages, in_languages, none_left
from workbench.datasets.files.record import Record, cleaned, once
from workbench.datasets.files.text_files import json_records
from workbench.datasets.formats.squad_form import linked, read_paragraphs
from workbench.errors import DataError, shorten
from workbench.identity import fingerprint
from workbench.records import Passage, Question

NAMES = {
    "arabic": "ar", "bengali": "bn", "english": "en", "finnish": "fi", "indonesian": "id", "japanese": "ja",
    "kiswahili": "sw", "swahili": "sw", "korean": "ko", "russian": "ru", "telugu": "te", "thai": "th",
}  # fmt: skip
"""How the data names its languages."""

NO_PASSAGE = "that no annotator found a passage for"
LICENCE = "Apache-2.0"


def read_tydi_qa(path: Path, wanted: Sequence[str] = ()) -> Collection:
    """The original task (JSON lines, plain or gzipped) in the languages `wanted` (none: all).

    Raises UsageError for a language the file does not have, DataError with file and line for what is wrong in it.
    """
    codes = checked_languages(wanted)
    questions: list[Question] = []
    found: set[str] = set()
    seen = Unique("question id")
    left_out = Counter({NO_PASSAGE: 0})
    for record in json_records(path):
        article = _Article(record)
        found.add(article.language)
        name = record.id("example_id")
        seen.add(name, record.where)
        gold, answers = article.annotated()
        if gold:
            questions.append(Question(name, record.text("question_text"), article.language, answers, gold))
        else:
            left_out[NO_PASSAGE] += 1
    if not questions:
        raise none_left("TyDi QA", [path.name], left_out)

    def passages() -> Iterator[Passage]:
        written: set[str] = set()
        for record in json_records(path):
            article = _Article(record)
            if article.document not in written and (not codes or article.language in codes):
                written.add(article.document)
                yield from linked(article.passages())

    return Collection(
        "tydi-qa",
        "TyDi QA",
        (path.name,),
        in_languages(questions, codes, sorted(found)),
        LICENCE,
        passages=passages,
        left_out=left_out,
    )


def read_gold_passages(path: Path, wanted: Sequence[str] = ()) -> Collection:
    """The gold passage task: one file in SQuAD form, whose question ids begin with the language's name.

    Raises UsageError for a language the file does not have, DataError with file and paragraph for what is wrong in it.
    """
    codes = checked_languages(wanted)
    questions: list[Question] = []
    passages: dict[str, Passage] = {}
    seen = Unique("question id")
    for paragraph in read_paragraphs(path):
        for asked in paragraph.asked:
            seen.add(asked.id, paragraph.where)
            code = NAMES.get(asked.id.split("-")[0])
            if code is None:
                raise DataError(
                    f"{paragraph.where} has the question id “{shorten(asked.id)}”, which begins with no language "
                    "of TyDi QA, so nothing was imported."
                )
            place = f"{fingerprint('tydi-passage', [paragraph.title, paragraph.text])}.{code}"
            passages.setdefault(place, Passage(place, place, paragraph.title, code, paragraph.text))
            questions.append(Question(asked.id, asked.text, code, asked.answers, (place,)))
    if not questions:
        raise none_left("TyDi QA", [path.name], {})
    taken = in_languages(questions, codes, sorted({question.language for question in questions}))
    return Collection(
        "tydi-qa-gold-passage",
        "TyDi QA, gold passages",
        (path.name,),
        taken,
        LICENCE,
        passages=lambda: (passage for passage in passages.values() if not codes or passage.language in codes),
    )


class _Article:
    """One line of the original task: an article, its candidate paragraphs, and what annotators pointed to."""

    def __init__(self, record: Record) -> None:
        name = record.text("language").lower()
        if name not in NAMES:
            raise record.wrong(f"has the language “{shorten(name)}”, which is none of TyDi QA's")
        self._record = record
        self._bytes = str(record.values.get("document_plaintext") or "").encode("utf-8")
        self.language = NAMES[name]
        self._title = record.text_or_none("document_title")
        self.document = fingerprint(
            "tydi-article", [record.text_or_none("document_url"), self._title, len(self._bytes)]
        )
        spans = record.records("passage_answer_candidates")
        self._texts = [self._text(span, f"passage {number}") for number, span in enumerate(spans, start=1)]

    def passages(self) -> list[Passage]:
        """The paragraphs that are not empty."""
        kept = [number for number, text in enumerate(self._texts) if text]
        return [
            Passage(
                self._id(number),
                f"{self.document}.{self.language}",
                self._title,
                self.language,
                self._texts[number],
                place,
            )
            for place, number in enumerate(kept)
        ]

    def annotated(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The ids of the gold passages, and the answers."""
        gold: list[str] = []
        answers: list[str] = []
        for number, annotation in enumerate(self._record.records("annotations"), start=1):
            chosen = annotation.record("passage_answer").number("candidate_index")
            if chosen < 0:
                continue
            if chosen >= len(self._texts) or not self._texts[chosen]:
                raise self._record.wrong(f"points in annotation {number} to passage {chosen + 1:,}, which is not there")
            gold.append(self._id(chosen))
            span = annotation.record("minimal_answer")
            if span.number("plaintext_start_byte") >= 0:
                answers.append(self._text(span, f"the answer of annotation {number}"))
        return tuple(dict.fromkeys(gold)), once(answers)

    def _id(self, number: int) -> str:
        return f"{self.document}-{number:04d}.{self.language}"

    def _text(self, span: Record, what: str) -> str:
        start, end = span.number("plaintext_start_byte"), span.number("plaintext_end_byte")
        if not 0 <= start <= end <= len(self._bytes):
            raise self._record.wrong(f"has {what} at bytes {start:,} to {end:,} of an article of {len(self._bytes):,}")
        try:
            return cleaned(self._bytes[start:end].decode("utf-8"))
        except UnicodeDecodeError as error:
            raise self._record.wrong(
                f"has {what} at bytes {start:,} to {end:,}, which cut a character in two"
            ) from error
