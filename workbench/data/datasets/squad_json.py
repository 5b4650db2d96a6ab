"""The SQuAD form of JSON, shared by SQuAD, XQuAD, MLQA and TyDi QA's gold passages: articles, paragraphs, questions.

Errors are one sentence with file, article and paragraph.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from workbench.core import DataError, Passage, UsageError, shorten

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
    for article, entry in enumerate(_articles(path), start=1):
        title = str(entry.get("title") or "").replace("_", " ")
        for number, (text, qas) in enumerate(_paragraphs(entry, f"{path.name}, article {article}"), start=1):
            where = f"{path.name}, article {article}, paragraph {number}"
            yield Paragraph(where, article, number, title, text, tuple(_questions(qas, where)))


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


def _articles(path: Path) -> list[dict[str, Any]]:
    try:
        if path.is_dir():
            raise UsageError(f"“{shorten(path)}” is a folder. Type the path of a SQuAD-format JSON file.")
        if path.exists() and not path.is_file():
            raise UsageError(f"“{shorten(path)}” is not an ordinary file. Type the path of a SQuAD-format JSON file.")
        with path.open("rb") as file:
            content = file.read(min(FILE_LIMIT, path.stat().st_size) + 1)
        if len(content) > FILE_LIMIT:
            raise DataError(
                f"{path.name} is larger than {FILE_LIMIT >> 20} MiB, so nothing was imported: split it into several "
                "files and import them together."
            )
        if 3 * (content.count(b"{") + content.count(b"[")) + content.count(b",") > PARTS_LIMIT:
            raise DataError(
                f"{path.name} has more than {PARTS_LIMIT:,} values, so nothing was imported: split it into "
                "several files and import them together."
            )
        text = content.decode("utf-8-sig")
    except FileNotFoundError as error:
        raise UsageError(f"There is no file “{shorten(path)}”. Type the path of a SQuAD-format JSON file.") from error
    except PermissionError as error:
        raise UsageError(f"“{shorten(path)}” may not be read. Allow reading it: chmod u+r FILE") from error
    except OSError as error:
        raise UsageError(
            f"“{shorten(path)}” cannot be read ({error.strerror}). Type the path of a SQuAD-format JSON file."
        ) from error
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path.name} is not UTF-8 (byte {error.start}), so nothing was imported: save it as UTF-8."
        ) from error
    try:
        data = json.loads(text)
        if "\\ud" in text.lower():
            json.dumps(data, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise DataError(
            f"{path.name} contains an invalid character (an unpaired surrogate), so nothing was imported: "
            "correct or remove it."
        ) from error
    except json.JSONDecodeError as error:
        raise DataError(
            f"{path.name} is not complete JSON: {error.msg} at line {error.lineno}, column {error.colno}; nothing "
            "was imported."
        ) from error
    except ValueError as error:
        raise DataError(
            f"{path.name} contains a number that is too long to read, so nothing was imported. {EXPECTED}"
        ) from error
    except RecursionError as error:
        raise DataError(f"{path.name} is nested too deeply to be SQuAD, so nothing was imported. {EXPECTED}") from error
    articles = data.get("data") if isinstance(data, dict) else None
    if not isinstance(articles, list) or not all(isinstance(article, dict) for article in articles):
        raise DataError(f"{path.name} has no list “data” of articles, so nothing was imported. {EXPECTED}")
    return articles


def _paragraphs(article: dict[str, Any], where: str) -> Iterator[tuple[str, list[Any]]]:
    paragraphs = article.get("paragraphs")
    if not isinstance(paragraphs, list):
        raise DataError(f"{where} has no list “paragraphs”, so nothing was imported. {EXPECTED}")
    for number, paragraph in enumerate(paragraphs, start=1):
        context = paragraph.get("context") if isinstance(paragraph, dict) else None
        if not isinstance(context, str):
            raise DataError(f"{where}, paragraph {number} has no text “context”, so nothing was imported. {EXPECTED}")
        text = context.replace("\ufeff", "").strip()
        if not text:
            raise DataError(f"{where}, paragraph {number} is empty, so nothing was imported: remove it or fill it in.")
        qas = paragraph.get("qas") or []
        if not isinstance(qas, list):
            raise DataError(
                f"{where}, paragraph {number} has “qas” that are not a list, so nothing was imported. {EXPECTED}"
            )
        yield text, qas


def _questions(qas: list[Any], where: str) -> Iterator[SquadQuestion]:
    for number, qa in enumerate(qas, start=1):
        entry = qa if isinstance(qa, dict) else {}
        text, name = entry.get("question"), entry.get("id")
        if not isinstance(text, str) or not text.strip() or not isinstance(name, str | int) or not str(name):
            raise DataError(f"{where}, question {number} lacks a “question” or an “id”, so nothing was imported.")
        answers = entry.get("answers") or []
        texts = (
            [answer.get("text") for answer in answers if isinstance(answer, dict)] if isinstance(answers, list) else []
        )
        unique = tuple(dict.fromkeys(answer.strip() for answer in texts if isinstance(answer, str) and answer.strip()))
        impossible = entry.get("is_impossible") is True
        yield SquadQuestion(str(name), text.strip(), () if impossible else unique, impossible)
