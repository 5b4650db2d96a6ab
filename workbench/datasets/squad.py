"""SQuAD-format files (SQuAD, XQuAD, MLQA …): paragraphs become passages, questions keep their paragraph as gold.

One file is one language. Everything is checked before anything is taken; what is wrong is said in one sentence with
file, article and paragraph.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.errors import DataError, UsageError, shorten
from workbench.languages import language
from workbench.records import Passage, Question

FILE_LIMIT = 1 << 30
"""Bytes of a file that are read at all."""

EXPECTED = 'Expected the SQuAD form: {"data": [{"title": …, "paragraphs": [{"context": …, "qas": […]}]}]}.'


@dataclass(frozen=True, slots=True)
class SquadFile:
    """What one file holds. With alignment, passages carry `group` and gold names groups instead of passages."""

    language: str
    passages: tuple[Passage, ...]
    questions: tuple[Question, ...]


def read_squad(paths: Sequence[Path], code: str, *, aligned: bool = False) -> SquadFile:
    """The passages and questions of some files in one language.

    `aligned`: the n-th paragraph of the files taken together is the same passage in every language imported so.
    Raises UsageError for an unknown language, DataError for what is wrong in a file.
    """
    lang = language(code).code
    passages: list[Passage] = []
    questions: list[Question] = []
    seen: dict[str, str] = {}
    for path in paths:
        for number, article in enumerate(_articles(path), start=1):
            document = f"d{len(passages):06d}.{lang}"
            made: list[Passage] = []
            for position, (context, qas) in enumerate(_paragraphs(article, f"{path.name}, article {number}")):
                where = f"{path.name}, article {number}, paragraph {position + 1}"
                group = f"p{len(passages) + len(made):06d}"
                made.append(
                    Passage(
                        id=f"{group}.{lang}",
                        document=document,
                        title=str(article.get("title") or "").replace("_", " "),
                        language=lang,
                        text=context,
                        position=position,
                        group=group if aligned else "",
                    )
                )
                for question in _questions(qas, where, lang, group if aligned else f"{group}.{lang}"):
                    if question.id in seen:
                        raise DataError(
                            f"The question id “{shorten(question.id)}” in {where} stands already in {seen[question.id]}: ids must be unique, so nothing was imported."
                        )
                    seen[question.id] = where
                    questions.append(question)
            passages.extend(_linked(made))
    if not passages:
        raise DataError(f"{_names(paths)} holds no paragraphs, so nothing was imported. {EXPECTED}")
    return SquadFile(lang, tuple(passages), tuple(questions))


def _articles(path: Path) -> list[dict[str, Any]]:
    try:
        if path.is_dir():
            raise UsageError(f"“{shorten(path)}” is a folder. Type the path of a SQuAD-format JSON file.")
        if path.stat().st_size > FILE_LIMIT:
            raise DataError(f"{path.name} is larger than 1 GiB: cut it into several files and import them together.")
        text = path.read_bytes().decode("utf-8-sig")
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
            f"{path.name} holds half a character (an unpaired \\uD800 to \\uDFFF), so nothing was imported: mend or remove it."
        ) from error
    except json.JSONDecodeError as error:
        raise DataError(
            f"{path.name} is not whole JSON: {error.msg} at line {error.lineno}, column {error.colno}; nothing was imported."
        ) from error
    except ValueError as error:
        raise DataError(f"{path.name} holds a number too long to read, so nothing was imported. {EXPECTED}") from error
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
                f"{where}, paragraph {number} has “qas” that are no list, so nothing was imported. {EXPECTED}"
            )
        yield text, qas


def _questions(qas: list[Any], where: str, lang: str, gold: str) -> Iterator[Question]:
    for number, qa in enumerate(qas, start=1):
        entry = qa if isinstance(qa, dict) else {}
        text, name = entry.get("question"), entry.get("id")
        if not isinstance(text, str) or not text.strip() or not isinstance(name, str | int) or not str(name):
            raise DataError(f"{where}, question {number} lacks a “question” or an “id”, so nothing was imported.")
        answers = entry.get("answers") or []
        texts = (
            [answer.get("text") for answer in answers if isinstance(answer, dict)] if isinstance(answers, list) else []
        )
        kept = tuple(dict.fromkeys(answer.strip() for answer in texts if isinstance(answer, str) and answer.strip()))
        yield Question(id=str(name), text=text.strip(), language=lang, answers=kept, gold=(gold,))


def _linked(passages: list[Passage]) -> list[Passage]:
    from dataclasses import replace

    last = len(passages) - 1
    return [
        replace(
            passage,
            previous=passages[n - 1].id if n else "",
            next=passages[n + 1].id if n < last else "",
        )
        for n, passage in enumerate(passages)
    ]


def _names(paths: Sequence[Path]) -> str:
    return ", ".join(path.name for path in paths) or "The list of files"
