"""AutoRAG's `qa.parquet` and `corpus.parquet`: questions with ids of gold passages and answers; one language a folder.

Source: Kim et al. 2024, "AutoRAG", and its page on the data format.  `retrieval_gt` is a list of lists (all of the
outer, any of the inner), a list, or one id: every id in it becomes gold.  `generation_gt` is one answer or a list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import regex

from workbench.datasets.collection import Collection, Unique, none_left
from workbench.datasets.files.parquet import parquet_records
from workbench.datasets.files.record import Record
from workbench.datasets.files.text_files import checked_folder
from workbench.errors import shorten
from workbench.languages import language
from workbench.records import Passage, Question

FILE = regex.compile(r"(qa|corpus)\.parquet")
"""What its files are called."""
QA = ("qid", "query", "retrieval_gt", "generation_gt")
CORPUS = ("doc_id", "contents")


def read_autorag(folder: Path, code: str) -> Collection:
    """The two files of `folder`. Raises UsageError for a file that is not there, DataError with file and row."""
    lang = language(code).code
    checked_folder(folder, "qa.parquet and corpus.parquet")
    qa, corpus = folder / "qa.parquet", folder / "corpus.parquet"
    documents = Unique("document id")
    for record in parquet_records(corpus, CORPUS, ("metadata",)):
        documents.add(record.id("doc_id"), record.where)
        record.text("contents")
        _metadata(record, "title")
    seen = Unique("question id")
    questions: list[Question] = []
    for record in parquet_records(qa, QA):
        name = record.id("qid")
        seen.add(name, record.where)
        gold = _ids(record)
        lost = next((item for item in gold if item not in documents), None)
        if lost is not None:
            raise record.wrong(f"names the passage “{shorten(lost)}”, which corpus.parquet does not have")
        answers = record.texts("generation_gt")
        if not answers:
            raise record.wrong("has no answer in “generation_gt”")
        questions.append(Question(name, record.text("query"), lang, answers, gold))
    if not questions:
        raise none_left("AutoRAG", [qa.name], {})

    def passages() -> Iterator[Passage]:
        for record in parquet_records(corpus, CORPUS, ("metadata",)):
            name = record.id("doc_id")
            yield Passage(
                name,
                _metadata(record, "path") or name,
                _metadata(record, "title"),
                lang,
                record.text("contents"),
                previous=_neighbour(record, "prev_id", documents),
                next=_neighbour(record, "next_id", documents),
            )

    return Collection("autorag", "AutoRAG", (qa.name, corpus.name), tuple(questions), passages=passages)


def _ids(record: Record) -> tuple[str, ...]:
    value = record.values["retrieval_gt"]
    outer = value if isinstance(value, list) else [value]
    flat = [item for inner in outer for item in (inner if isinstance(inner, list) else [inner])]
    ids = [item for item in flat if isinstance(item, str) and item]
    if not ids or len(ids) < len(flat):
        raise record.wrong("lacks ids of passages in “retrieval_gt”")
    return tuple(dict.fromkeys(ids))


def _metadata(record: Record, name: str) -> str:
    """A text in the passage's metadata, "" where there is none; other tools write other things there."""
    metadata = record.values.get("metadata")
    value = metadata.get(name) if isinstance(metadata, Mapping) else None
    return value if isinstance(value, str) else ""


def _neighbour(record: Record, name: str, documents: Unique) -> str:
    found = _metadata(record, name)
    return found if found in documents else ""
