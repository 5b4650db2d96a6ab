"""TyDi QA: questions in eleven languages over Wikipedia articles of the same language.

Source: Clark et al. (2020), "TyDi QA: A Benchmark for Information-Seeking Question Answering in Typologically Diverse
Languages". Each line of the original task holds a complete article: its candidate paragraphs become passages, and those
that annotators pointed to become gold passages and answers. Offsets count bytes of UTF-8, not characters.
Left out and counted: questions that no annotator found a passage for. A question answered by yes or no keeps its
gold passages but has no answer text, since the data has none in its language.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from workbench.core import DataError, Passage, Question, fingerprint, shorten
from workbench.data.datasets.dataset_format import (
    LANGUAGES,
    QUESTIONS_ONLY,
    Collection,
    DatasetFormat,
    Files,
    UniqueIds,
    in_languages,
    language_codes,
    no_questions,
)
from workbench.data.datasets.records import Record, cleaned, json_records, unique_texts
from workbench.data.datasets.squad_json import read_paragraphs, with_neighbours

NAMES = {
    "arabic": "ar", "bengali": "bn", "english": "en", "finnish": "fi", "indonesian": "id", "japanese": "ja",
    "kiswahili": "sw", "swahili": "sw", "korean": "ko", "russian": "ru", "telugu": "te", "thai": "th",
}  # fmt: skip
"""The data's names of its languages, with our codes."""

NO_PASSAGE = "that no annotator found a passage for"
LICENCE = "Apache-2.0"


def read_tydi_qa(path: Path, languages: Sequence[str] = ()) -> Collection:
    """Return the questions and articles of the original task (JSON lines) in some `languages` (none: all).

    Raises UsageError for a language the file does not have, DataError with file and line for an error in it.
    """
    codes = language_codes(languages)
    questions: list[Question] = []
    available: set[str] = set()
    ids = UniqueIds("question id")
    left_out = Counter({NO_PASSAGE: 0})
    for record in json_records(path):
        article = _Article(record)
        available.add(article.language)
        name = record.id("example_id")
        ids.add(name, record.where)
        gold, answers = article.annotations()
        if gold:
            questions.append(Question(name, record.text("question_text"), article.language, answers, gold))
        else:
            left_out[NO_PASSAGE] += 1
    if not questions:
        raise no_questions("TyDi QA", [path.name], left_out)

    def passages() -> Iterator[Passage]:
        documents: set[str] = set()
        for record in json_records(path):
            article = _Article(record)
            if article.document not in documents and (not codes or article.language in codes):
                documents.add(article.document)
                yield from with_neighbours(article.passages())

    return Collection(
        "tydi-qa",
        "TyDi QA",
        (path.name,),
        in_languages(questions, codes, sorted(available)),
        LICENCE,
        passages=passages,
        left_out=left_out,
    )


def read_gold_passages(path: Path, languages: Sequence[str] = ()) -> Collection:
    """Return the gold passage task: one file in SQuAD form, whose question ids begin with the language's name.

    Raises UsageError for a language the file does not have, DataError with file and paragraph for an error in it.
    """
    codes = language_codes(languages)
    questions: list[Question] = []
    passages: dict[str, Passage] = {}
    ids = UniqueIds("question id")
    for paragraph in read_paragraphs(path):
        for entry in paragraph.questions:
            ids.add(entry.id, paragraph.where)
            language = NAMES.get(entry.id.split("-")[0])
            if language is None:
                raise DataError(
                    f"{paragraph.where} has the question id “{shorten(entry.id)}”, which does not begin with a "
                    "language of TyDi QA, so nothing was imported."
                )
            passage_id = f"{fingerprint('tydi-passage', [paragraph.title, paragraph.text])}.{language}"
            passages.setdefault(passage_id, Passage(passage_id, passage_id, paragraph.title, language, paragraph.text))
            questions.append(Question(entry.id, entry.text, language, entry.answers, (passage_id,)))
    if not questions:
        raise no_questions("TyDi QA", [path.name], {})
    return Collection(
        "tydi-qa-gold-passage",
        "TyDi QA, gold passages",
        (path.name,),
        in_languages(questions, codes, sorted({question.language for question in questions})),
        LICENCE,
        passages=lambda: (passage for passage in passages.values() if not codes or passage.language in codes),
    )


class _Article:
    """One line of the original task: an article, its candidate paragraphs, and the annotations."""

    def __init__(self, record: Record) -> None:
        name = record.text("language").lower()
        if name not in NAMES:
            raise record.error(f"has the language “{shorten(name)}”, which is not one of TyDi QA's")
        self._record = record
        self._bytes = str(record.values.get("document_plaintext") or "").encode("utf-8")
        self.language = NAMES[name]
        self._title = record.optional_text("document_title")
        self.document = fingerprint(
            "tydi-article", [record.optional_text("document_url"), self._title, len(self._bytes)]
        )
        spans = record.records("passage_answer_candidates")
        self._texts = [self._text(span, f"passage {number}") for number, span in enumerate(spans, start=1)]

    def passages(self) -> list[Passage]:
        """Return the paragraphs that are not empty."""
        numbers = [number for number, text in enumerate(self._texts) if text]
        return [
            Passage(
                self._id(number),
                f"{self.document}.{self.language}",
                self._title,
                self.language,
                self._texts[number],
                position,
            )
            for position, number in enumerate(numbers)
        ]

    def annotations(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the ids of the gold passages, and the answers. Raises DataError for an annotation outside the text."""
        gold: list[str] = []
        answers: list[str] = []
        for number, annotation in enumerate(self._record.records("annotations"), start=1):
            candidate = annotation.record("passage_answer").number("candidate_index")
            if candidate < 0:
                continue
            if candidate >= len(self._texts) or not self._texts[candidate]:
                raise self._record.error(
                    f"points in annotation {number} to passage {candidate + 1:,}, which does not exist"
                )
            gold.append(self._id(candidate))
            span = annotation.record("minimal_answer")
            if span.number("plaintext_start_byte") >= 0:
                answers.append(self._text(span, f"the answer of annotation {number}"))
        return tuple(dict.fromkeys(gold)), unique_texts(answers)

    def _id(self, number: int) -> str:
        return f"{self.document}-{number:04d}.{self.language}"

    def _text(self, span: Record, what: str) -> str:
        start, end = span.number("plaintext_start_byte"), span.number("plaintext_end_byte")
        if not 0 <= start <= end <= len(self._bytes):
            raise self._record.error(f"has {what} at bytes {start:,} to {end:,} of an article of {len(self._bytes):,}")
        try:
            return cleaned(self._bytes[start:end].decode("utf-8"))
        except UnicodeDecodeError as error:
            raise self._record.error(
                f"has {what} at bytes {start:,} to {end:,}, which cut a character in two"
            ) from error


def _read(path: Path, languages: Sequence[str] = ()) -> Collection:
    return (read_gold_passages if path.name.lower().endswith(".json") else read_tydi_qa)(path, languages)


FORMAT = DatasetFormat(
    name="tydi-qa",
    title="TyDi QA (original JSON lines, or gold passage JSON)",
    description="Questions in eleven languages with their passages.",
    source=Files(("jsonl", "gz", "json")),
    options=(LANGUAGES, QUESTIONS_ONLY),
    read=_read,
)
