"""SQuAD-format files (SQuAD, XQuAD …): paragraphs become passages, questions keep their paragraph as gold.

One file is one language. Everything is checked before anything is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from workbench.datasets.collection import Unique
from workbench.datasets.formats.squad_form import EXPECTED, file_names, linked, read_paragraphs
from workbench.errors import DataError
from workbench.languages import language
from workbench.records import Passage, Question


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
    seen = Unique("question id")
    for path in paths:
        for _, article in groupby(read_paragraphs(path), key=lambda paragraph: paragraph.article):
            document = f"d{len(passages):06d}.{lang}"
            made: list[Passage] = []
            for paragraph in article:
                group = f"p{len(passages) + len(made):06d}"
                made.append(
                    Passage(
                        id=f"{group}.{lang}",
                        document=document,
                        title=paragraph.title,
                        language=lang,
                        text=paragraph.text,
                        position=paragraph.number - 1,
                        group=group if aligned else "",
                    )
                )
                gold = group if aligned else f"{group}.{lang}"
                for asked in paragraph.asked:
                    seen.add(asked.id, paragraph.where)
                    questions.append(Question(asked.id, asked.text, lang, asked.answers, (gold,)))
            passages.extend(linked(made))
    if not passages:
        raise DataError(f"{file_names(paths)} holds no paragraphs, so nothing was imported. {EXPECTED}")
    return SquadFile(lang, tuple(passages), tuple(questions))
