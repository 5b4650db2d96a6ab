"""The SQuAD form of JSON, shared by SQuAD, XQuAD, MLQA and TyDi QA's gold passages: articles, paragraphs, questions.

Errors are one sentence with file, article and paragraph.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.core import DataError, Passage
from workbench.data.datasets.records import Record, checked_file, json_record, unique_texts

FILE_LIMIT = 128 << 20
"""Bytes of the largest file that is read, since it is read as one; SQuAD's own training set has 42 MB."""
PARTS_LIMIT = 10_000_000
"""Values of a file, as counted by what separates them; SQuAD's training set has about 1.5 million."""

EXPECTED = 'Expected the SQuAD form: {"data": [{"title": …, "paragraphs": [{"context": …, "qas": […]}]}]}.'


@dataclass(frozen=True, slots=True)
class SquadQuestion:
    """A question about a paragraph; its `answers` each once, () if there are none.

    `unanswerable`: it is marked as having no answer in its paragraph ("is_impossible" of SQuAD 2.0).
    """

    id: str
    text: str
    answers: tuple[str, ...]
    unanswerable: bool = False


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph and its questions. `article` and `number` count from 1; `where` states both, for messages."""

    where: str
    article: int
    number: int
    title: str
    text: str
    questions: tuple[SquadQuestion, ...]


def read_paragraphs(path: Path) -> Iterator[Paragraph]:
    """Yield the paragraphs of a file in order. Raises UsageError for the path, DataError for an error in the file."""
    for article, value in enumerate(_file(path).records("data"), start=1):
        entry = Record(f"{path.name}, article {article}", value.values)
        title = str(entry.values.get("title") or "").replace("_", " ")
        for number, paragraph in enumerate(entry.records("paragraphs"), start=1):
            record = Record(f"{entry.where}, paragraph {number}", paragraph.values)
            questions = tuple(map(_question, record.records("qas") if record.has("qas") else ()))
            yield Paragraph(record.where, article, number, title, record.text("context"), questions)


def with_neighbours(passages: Sequence[Passage]) -> list[Passage]:
    """Return the passages of one document, each with its neighbours' ids."""
    last = len(passages) - 1
    return [
        replace(passage, previous=passages[n - 1].id if n else "", next=passages[n + 1].id if n < last else "")
        for n, passage in enumerate(passages)
    ]


def file_names(paths: Sequence[Path]) -> str:
    """Return the names of the files, for messages."""
    return ", ".join(path.name for path in paths) or "The list of files"


def _file(path: Path) -> Record:
    checked_file(path, example="train-v2.0.json")
    with path.open("rb") as file:
        content = file.read(min(FILE_LIMIT, path.stat().st_size) + 1)
    too_large = len(content) > FILE_LIMIT and f"is larger than {FILE_LIMIT >> 20} MiB"
    if not too_large and 3 * (content.count(b"{") + content.count(b"[")) + content.count(b",") > PARTS_LIMIT:
        too_large = f"has more than {PARTS_LIMIT:,} values"
    if too_large:
        raise DataError(
            f"{path.name} {too_large}, so nothing was imported: split it into several files and import them together."
        )
    try:
        return json_record(path.name, content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path.name} is not UTF-8 (byte {error.start}), so nothing was imported: save it as UTF-8."
        ) from error


def _question(record: Record) -> SquadQuestion:
    name, text = record.id("id"), record.text("question")
    answers = record.records("answers") if record.has("answers") else ()
    unique = unique_texts([answer.optional_text("text") for answer in answers])
    impossible = record.values.get("is_impossible") is True
    return SquadQuestion(name, text, () if impossible else unique, impossible)
