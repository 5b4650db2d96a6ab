"""BEIR folders: `corpus.jsonl`, `queries.jsonl` and `qrels/{split}.tsv`, any of them gzipped; one language per folder.

Source: Thakur et al. (2021), "BEIR: A Heterogeneous Benchmark for Zero-shot Evaluation of Information Retrieval
Models". The judgements may also be next to the corpus, if the files came without their folders. Documents become
passages unchanged; those judged with a score above 0 are gold. There are no answers. Questions that the split does not
judge, or judges only with 0, are left out and counted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TypeVar

import regex

from workbench.core import DataError, Passage, Question, UsageError, shorten, unknown_name
from workbench.data.datasets.dataset_format import (
    LANGUAGE,
    QUESTIONS_ONLY,
    SPLIT,
    Collection,
    DatasetFormat,
    Folder,
    UniqueIds,
    language_code,
    no_questions,
)
from workbench.data.datasets.records import checked_folder, delimited_records, json_records

FILE = regex.compile(r"(corpus|queries)\.jsonl(\.gz)?|(?P<split>[^.].*)\.tsv(\.gz)?")
"""The names of its files."""
NOT_JUDGED = "without a relevant document in this split"
COLUMNS = ("query-id", "corpus-id", "score")
AnyPath = TypeVar("AnyPath", bound=PurePath)


def read_beir(folder: Path, language: str, split: str = "test") -> Collection:
    """Return the folder's corpus, and its questions judged in `split`.

    Raises UsageError for a folder without the files or the split, DataError with file and line for an error in one.
    """
    language = language_code(language)
    checked_folder(folder, "corpus.jsonl, queries.jsonl and qrels")
    corpus, queries = _file(folder, "corpus.jsonl"), _file(folder, "queries.jsonl")
    qrels = _qrels(folder, split)
    documents = UniqueIds("document id")
    for record in json_records(corpus):
        documents.add(record.id("_id"), record.where)
        if not record.optional_text("title"):
            record.text("text")
    texts: dict[str, str] = {}
    question_ids = UniqueIds("question id")
    for record in json_records(queries):
        name = record.id("_id")
        question_ids.add(name, record.where)
        texts[name] = record.text("text")
    gold = _gold(qrels, question_ids, documents)
    questions = tuple(
        Question(name, text, language, gold=tuple(gold[name])) for name, text in texts.items() if name in gold
    )
    left_out = Counter({NOT_JUDGED: len(texts) - len(questions)})
    files = (corpus.name, queries.name, f"qrels/{qrels.name}")
    if not questions:
        raise no_questions("BEIR", files, left_out)

    def passages() -> Iterator[Passage]:
        for record in json_records(corpus):
            name = record.id("_id")
            title, text = record.optional_text("title"), record.optional_text("text")
            yield Passage(name, name, title if text else "", language, text or title)

    return Collection(
        "beir", f"BEIR folder {folder.name}, {split}", files, questions, passages=passages, left_out=left_out
    )


def splits_in(paths: Iterable[AnyPath]) -> dict[str, AnyPath]:
    """Return the files of judgements among `paths`, by split.

    >>> from pathlib import PurePosixPath
    >>> list(splits_in([PurePosixPath("qrels/test.tsv"), PurePosixPath("qrels/dev.tsv.gz")]))
    ['dev', 'test']
    """
    files = [
        (match["split"], path) for path in sorted(paths) if (match := FILE.fullmatch(path.name)) and match["split"]
    ]
    in_qrels = [(split, path) for split, path in files if path.parent.name == "qrels"]
    return dict(in_qrels or files)


def _gold(path: Path, question_ids: UniqueIds, documents: UniqueIds) -> dict[str, list[str]]:
    gold: dict[str, list[str]] = defaultdict(list)
    judgements = UniqueIds("judgement")
    for record in delimited_records(path):
        if set(COLUMNS) - set(record.values):
            raise DataError(
                f"{path.name}, row 1 should name the columns {', '.join(COLUMNS)}, so nothing was imported."
            )
        question, document = record.id("query-id"), record.id("corpus-id")
        if question not in question_ids:
            raise record.error(f"judges the question “{shorten(question)}”, which queries.jsonl does not have")
        if document not in documents:
            raise record.error(f"judges the document “{shorten(document)}”, which corpus.jsonl does not have")
        judgements.add(f"{question} {document}", record.where)
        try:
            relevant = float(record.text("score")) > 0
        except ValueError as error:
            raise record.error(f"has the score “{shorten(record.text('score'))}”, which is not a number") from error
        if relevant:
            gold[question].append(document)
    return gold


def _file(folder: Path, name: str) -> Path:
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    raise UsageError(
        f"The folder “{shorten(folder.name)}” has no {name}. Expected a BEIR folder: corpus.jsonl, "
        "queries.jsonl, qrels/test.tsv."
    )


def _qrels(folder: Path, split: str) -> Path:
    splits = splits_in([*(folder / "qrels").glob("*.tsv*"), *folder.glob("*.tsv*")])
    if split not in splits:
        raise unknown_name(f"split of {folder.name}", split, splits, "A split is a file qrels/SPLIT.tsv.")
    return splits[split]


FORMAT = DatasetFormat(
    name="beir",
    title="BEIR (folder)",
    description="A corpus and questions with gold passages: corpus.jsonl, queries.jsonl and qrels/test.tsv, plain or "
    "gzipped.",
    source=Folder("corpus.jsonl, queries.jsonl and qrels/test.tsv", FILE, ("jsonl", "gz", "tsv"), main="corpus.jsonl"),
    options=(LANGUAGE, replace(SPLIT, offered=lambda paths, _: list(splits_in(paths))), QUESTIONS_ONLY),
    read=read_beir,
)
