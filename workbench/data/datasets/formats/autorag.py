"""AutoRAG's `qa.parquet` and `corpus.parquet`: questions with gold passage ids and answers; one language per folder.

Source: Kim et al. (2024), "AutoRAG", and its page on the data format. `retrieval_gt` is a list of lists (all of the
outer, any of the inner), a list, or one id: every id in it becomes gold. `generation_gt` is one answer or a list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import regex

from workbench.core import Passage, Question, shorten
from workbench.data.datasets.dataset_format import (
    LANGUAGE,
    QUESTIONS_ONLY,
    Collection,
    DatasetFormat,
    Folder,
    UniqueIds,
    language_code,
    no_questions,
)
from workbench.data.datasets.parquet import parquet_records
from workbench.data.datasets.records import Record, checked_folder

FILE = regex.compile(r"(qa|corpus)\.parquet")
"""The names of its files."""
QA = ("qid", "query", "retrieval_gt", "generation_gt")
CORPUS = ("doc_id", "contents")


def read_autorag(folder: Path, language: str) -> Collection:
    """Return the content of the two files in `folder`, all in one language.

    Raises UsageError for a file that does not exist, DataError with file and row for an error in one.
    """
    language = language_code(language)
    checked_folder(folder, "qa.parquet and corpus.parquet")
    qa, corpus = folder / "qa.parquet", folder / "corpus.parquet"
    documents = UniqueIds("document id")
    for record in parquet_records(corpus, CORPUS, ("metadata",)):
        documents.add(record.id("doc_id"), record.where)
        record.text("contents")
        _metadata(record, "title")
    ids = UniqueIds("question id")
    questions: list[Question] = []
    for record in parquet_records(qa, QA):
        name = record.id("qid")
        ids.add(name, record.where)
        gold = _ids(record)
        missing = next((document for document in gold if document not in documents), None)
        if missing is not None:
            raise record.error(f"names the passage “{shorten(missing)}”, which corpus.parquet does not have")
        answers = record.texts("generation_gt")
        if not answers:
            raise record.error("has no answer in “generation_gt”")
        questions.append(Question(name, record.text("query"), language, answers, gold))
    if not questions:
        raise no_questions("AutoRAG", [qa.name], {})

    def passages() -> Iterator[Passage]:
        for record in parquet_records(corpus, CORPUS, ("metadata",)):
            name = record.id("doc_id")
            yield Passage(
                name,
                _metadata(record, "path") or name,
                _metadata(record, "title"),
                language,
                record.text("contents"),
                previous=_neighbour(record, "prev_id", documents),
                next=_neighbour(record, "next_id", documents),
            )

    return Collection("autorag", "AutoRAG", (qa.name, corpus.name), tuple(questions), passages=passages)


def _ids(record: Record) -> tuple[str, ...]:
    value = record.values["retrieval_gt"]
    outer = value if isinstance(value, list) else [value]
    flat = [name for inner in outer for name in (inner if isinstance(inner, list) else [inner])]
    ids = [name for name in flat if isinstance(name, str) and name]
    if not ids or len(ids) < len(flat):
        raise record.error("lacks ids of passages in “retrieval_gt”")
    return tuple(dict.fromkeys(ids))


def _metadata(record: Record, name: str) -> str:
    """Return a text in the passage's metadata, "" if there is none; other tools write other values there."""
    metadata = record.values.get("metadata")
    value = metadata.get(name) if isinstance(metadata, Mapping) else None
    return value if isinstance(value, str) else ""


def _neighbour(record: Record, name: str, documents: UniqueIds) -> str:
    neighbour = _metadata(record, name)
    return neighbour if neighbour in documents else ""


FORMAT = DatasetFormat(
    name="autorag",
    title="AutoRAG (qa.parquet and corpus.parquet)",
    description="A corpus and questions with gold passages and answers.",
    source=Folder("qa.parquet and corpus.parquet", FILE, ("parquet",), main="qa.parquet"),
    options=(LANGUAGE, QUESTIONS_ONLY),
    read=read_autorag,
)
