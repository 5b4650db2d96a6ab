"""XQuAD as passages and questions: one passage a paragraph, the article's title before it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import MissingError, UsageError
from workbench.records import Passage

NAME = re.compile(r"xquad\.([a-z]{2,3})\.json")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the id of the passage that answers it."""

    text: str
    gold: str


def languages(directory: Path) -> list[str]:
    """The languages whose `xquad.<code>.json` lies in `directory`, sorted."""
    found = sorted(match[1] for path in directory.iterdir() if (match := NAME.fullmatch(path.name)))
    if not found:
        raise MissingError(f"No xquad.<language>.json in {directory}. Give the folder that has them: --xquad DIR")
    return found


def load(directory: Path, language: str) -> tuple[list[Passage], list[Asked]]:
    """The paragraphs and questions of one language."""
    path = directory / f"xquad.{language}.json"
    if not path.is_file():
        raise UsageError(f"There is no {path}. Allowed: {', '.join(languages(directory))}.")
    passages: list[Passage] = []
    questions: list[Asked] = []
    for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
        title = article["title"].replace("_", " ")
        for position, paragraph in enumerate(article["paragraphs"]):
            id = f"{language}-{len(passages)}"
            passages.append(Passage(id, f"{language}-{title}", title, language, paragraph["context"], position))
            questions += [Asked(question["question"], id) for question in paragraph["qas"]]
    return passages, questions
