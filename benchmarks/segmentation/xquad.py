"""XQuAD as passages and questions: one passage per paragraph, with the article's title."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from workbench.core.errors import MissingError, UsageError
from workbench.core.records import Passage

NAME = re.compile(r"xquad\.([a-z]{2,3})\.json")


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question and the id of the passage that answers it."""

    text: str
    gold: str


def languages(directory: Path) -> list[str]:
    """The languages whose `xquad.<language>.json` is in `directory`, sorted.

    Raises MissingError where there is none.
    """
    codes = sorted(match[1] for path in directory.iterdir() if (match := NAME.fullmatch(path.name)))
    if not codes:
        raise MissingError(f"No xquad.<language>.json in {directory}. Give the folder that holds them: --xquad DIR")
    return codes


def load(directory: Path, language: str) -> tuple[list[Passage], list[GoldQuestion]]:
    """The paragraphs and questions of one language. Raises UsageError for one without a file."""
    path = directory / f"xquad.{language}.json"
    if not path.is_file():
        raise UsageError(f"There is no {path}. Allowed: {', '.join(languages(directory))}.")
    passages: list[Passage] = []
    questions: list[GoldQuestion] = []
    for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
        title = article["title"].replace("_", " ")
        for position, paragraph in enumerate(article["paragraphs"]):
            id = f"{language}-{len(passages)}"
            passages.append(Passage(id, f"{language}-{title}", title, language, paragraph["context"], position))
            questions += [GoldQuestion(question["question"], id) for question in paragraph["qas"]]
    return passages, questions
