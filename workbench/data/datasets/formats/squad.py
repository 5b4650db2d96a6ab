"""SQuAD-format files (SQuAD, XQuAD …): paragraphs become passages, and a question's gold is its paragraph.

A file is in one language. Everything is checked before anything is imported. A question that SQuAD 2.0 marks as
impossible is unanswerable: it has no gold answer and no gold passage (Rajpurkar, Jia and Liang (2018)).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from workbench.core import NO_EVIDENCE, DataError, Passage, Question
from workbench.data.datasets.dataset_format import (
    LANGUAGE,
    Collection,
    DatasetFormat,
    Files,
    ImportOption,
    UniqueIds,
    language_code,
)
from workbench.data.datasets.squad_json import EXPECTED, file_names, read_paragraphs, with_neighbours


def read_squad(paths: Sequence[Path], language: str, *, aligned: bool = False) -> Collection:
    """Return the passages and questions of some files in one language.

    If `aligned`, the n-th paragraph, counted over all files, is the same passage in every language imported this way:
    passages have a `group`, and gold names groups, not passages.
    Raises UsageError for an unknown language, DataError for an error in a file.
    """
    language = language_code(language)
    passages: list[Passage] = []
    questions: list[Question] = []
    ids = UniqueIds("question id")
    for path in paths:
        for _, article in groupby(read_paragraphs(path), key=lambda paragraph: paragraph.article):
            document = f"d{len(passages):06d}.{language}"
            document_passages: list[Passage] = []
            for paragraph in article:
                group = f"p{len(passages) + len(document_passages):06d}"
                document_passages.append(
                    Passage(
                        id=f"{group}.{language}",
                        document=document,
                        title=paragraph.title,
                        language=language,
                        text=paragraph.text,
                        position=paragraph.number - 1,
                        group=group if aligned else "",
                    )
                )
                gold = group if aligned else f"{group}.{language}"
                for entry in paragraph.questions:
                    ids.add(entry.id, paragraph.where)
                    golds = () if entry.unanswerable else (gold,)
                    evidence_in = NO_EVIDENCE if entry.unanswerable else ""
                    questions.append(Question(entry.id, entry.text, language, entry.answers, golds, evidence_in))
            passages.extend(with_neighbours(document_passages))
    if not passages:
        raise DataError(f"{file_names(paths)} contains no paragraphs, so nothing was imported. {EXPECTED}")
    return Collection(
        "squad",
        "SQuAD-format files",
        tuple(path.name for path in paths),
        tuple(questions),
        licence="as the imported files",
        passages=lambda: iter(passages),
        aligned=aligned,
    )


FORMAT = DatasetFormat(
    name="squad",
    title="SQuAD, XQuAD (JSON)",
    description="Paragraphs become a corpus, their questions a dataset with gold passages. Several files in one "
    "language become one corpus; further languages are added under the same name.",
    source=Files(("json",), several=True, help="SQuAD-format JSON files in one language."),
    options=(
        LANGUAGE,
        ImportOption(
            name="aligned",
            kind="switch",
            title="Aligned across languages",
            help="The n-th paragraph is the same passage in every language imported this way, as in XQuAD: a gold "
            "passage then counts in whichever language it is retrieved.",
            default=False,
        ),
    ),
    read=read_squad,
)
