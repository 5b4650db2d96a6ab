"""Labels as files: CSV, JSON lines and Parquet, one row per person, item, showing and part; out and in again.

Those formats have the same columns; the JSON of InspectorRAGet, Argilla and Label Studio carries them too, and is told
apart by its content. Lists are JSON in CSV and Parquet, but for what only people read in CSV: there golds, documents
and names of labels are text. Times are UTC in ISO 8601, to the microsecond. Text in CSV cannot run as a formula in a
spreadsheet.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from workbench.annotation.error_taxonomy import Taxonomy, stored_taxonomy
from workbench.annotation.files import argilla_labels, inspector_labels, label_studio
from workbench.annotation.files.label_format import (
    CONTEXT,
    PROBLEM,
    LabelFormat,
    ProjectSetup,
    Row,
    as_object,
    context_texts,
    readable,
    strict_json,
)
from workbench.annotation.queue import AnnotationQueue, current_labels
from workbench.annotation.queue_store import QueueStore
from workbench.core import DataError, UsageError, WorkbenchError, fingerprint, shorten, unknown_name
from workbench.data import Corpus
from workbench.experiments import Instance, ResultStore
from workbench.workspace import annotation_tables as t, csv_text, plain_text, verb, write_bytes

COLUMNS: Mapping[str, type] = {
    "queue": str,
    "taxonomy": str,
    "taxonomy_version": int,
    "taxonomy_fingerprint": str,
    "item": int,
    "instance_key": str,
    "recipe_fingerprint": str,
    "language": str,
    "dataset": str,
    "question_id": str,
    "question": str,
    "golds": list,
    "answer": str,
    "documents": list,
    "annotator": str,
    "showing": int,
    "on": str,
    "labels": list,
    "label_names": list,
    "comment": str,
    "spans": list,
    "part_text": str,
    "saved": str,
    "translated": bool,
    "complete": bool,
    "completed": str,
}
"""The columns, in order. `part_text`: the passage's text where there are spans in one. `completed`: "" where not."""
TYPES = {name: type_ for name, type_ in COLUMNS.items() if name not in CONTEXT}
"""The columns that an import reads."""

SIZE_LIMIT = 1 << 28
"""Bytes of a file that is read."""
INTEGER_LIMIT = 1 << 31
CELL_LIMIT = 1 << 24
"""Characters of a cell of CSV."""
JSON_LIMIT = 1 << 26
"""Bytes of a JSON file that is read: it is in memory completely, several times."""


@verb("labels.export", "{queue.name}")
def export_labels(
    store: ResultStore,
    queue: AnnotationQueue,
    kind: str,
    path: Path,
    corpus_as_of: Callable[[str, str], Corpus] | None = None,
) -> int:
    """Writes the current labels of a queue to a file, completely or not at all; returns how many rows.

    `corpus_as_of` gives a corpus by name and version: with it, the rows have the documents of their answers. Raises
    UsageError for a format that does not exist, and where there are no labels yet.
    """
    if kind not in LABEL_FORMATS:
        raise unknown_name("format of labels", kind, LABEL_FORMATS)
    with store.engine.connect() as connection:
        rows = label_rows_of(connection, queue)
        taxonomy = stored_taxonomy(connection, queue.taxonomy, queue.version)
    if not rows:
        raise UsageError(f"Nothing is labelled in “{queue.name}” yet: label an item first.")
    _add_context(rows, QueueStore(store), queue, corpus_as_of)
    write_bytes(path, LABEL_FORMATS[kind].write(rows, taxonomy))
    return len(rows)


def _add_context(
    rows: Sequence[Row], queues: QueueStore, queue: AnnotationQueue, corpus_as_of: Callable[[str, str], Corpus] | None
) -> None:
    """Gives rows what stays in the results: golds, and documents as they were retrieved, best first; [] if deleted.

    A translation that a mode read would give it away, so it is left out.
    """
    labelled = {row["item"] for row in rows}
    instances = queues.instances([item for item in queues.items(queue.id) if item.number in labelled])
    for row in rows:
        instance = instances.get(row["item"])
        row["golds"] = list(instance.golds) if instance else []
        row["documents"] = _documents(instance, corpus_as_of) if instance and corpus_as_of else []


def _documents(instance: Instance, corpus_as_of: Callable[[str, str], Corpus]) -> list[Row]:
    names = [name for name, _, _ in instance.passages]
    if not names:
        return []
    try:
        passages = corpus_as_of(instance.run.corpus, instance.run.corpus_version).passages_named(names)
    except WorkbenchError:
        return []
    return [
        {"id": name, "title": passage.title, "language": passage.language, "text": passage.text}
        for name in names
        if (passage := passages.get(name))
    ]


def label_rows_of(connection: Connection, queue: AnnotationQueue) -> list[Row]:
    """The current labels of a queue as rows with the columns of `COLUMNS`, but for what `_add_context` knows."""
    items = {row.number: row for row in connection.execute(select(t.items).where(t.items.c.queue == queue.id))}
    places = {
        (row.number, row.annotator, row.showing): row
        for row in connection.execute(select(t.places).where(t.places.c.queue == queue.id))
    }
    texts = {
        (row.number, row.part): row.text
        for row in connection.execute(select(t.part_texts).where(t.part_texts.c.queue == queue.id))
    }
    prints: dict[int, str] = {}
    names: dict[int, Mapping[str, str]] = {}
    rows = []
    for record in current_labels(connection, queue.id):
        item, place = items[record.number], places.get((record.number, record.annotator, record.showing))
        if record.version not in prints:
            prints[record.version] = definition_fingerprint(connection, record.taxonomy, record.version)
            kind = stored_taxonomy(connection, record.taxonomy, record.version)
            names[record.version] = {label.key: label.name for label in kind.labels}
        rows.append(
            {
                "queue": queue.name,
                "taxonomy": record.taxonomy,
                "taxonomy_version": record.version,
                "taxonomy_fingerprint": prints[record.version],
                "item": record.number,
                "instance_key": item.instance_key,
                "recipe_fingerprint": item.fingerprint,
                "language": item.language,
                "dataset": item.dataset,
                "question_id": item.question_name,
                "question": item.question,
                "golds": [],
                "answer": item.answer,
                "documents": [],
                "annotator": record.annotator,
                "showing": record.showing,
                "on": record.on,
                "labels": list(record.labels),
                "label_names": [names[record.version][key] for key in record.labels],
                "comment": record.comment,
                "spans": [asdict(span) for span in record.spans],
                "part_text": texts.get((record.number, record.on), "") if record.spans else "",
                "saved": to_time(record.saved),
                "translated": record.translated,
                "complete": bool(place and place.complete),
                "completed": to_time(place.completed) if place and place.complete else "",
            }
        )
    return rows


def definition_fingerprint(connection: Connection, name: str, version: int) -> str:
    """The fingerprint of a taxonomy's stored definition. Raises UsageError for a version that was never used."""
    return fingerprint("taxonomy", stored_taxonomy(connection, name, version).to_json())


def to_time(seconds: float) -> str:
    """Seconds since 1970 as UTC.

    >>> to_time(0.25)
    '1970-01-01T00:00:00.250000+00:00'
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds")


def read_rows(path: Path) -> list[Row]:
    """The rows of a file by its suffix: the columns of `TYPES` with values of their types, or a `PROBLEM` alone.

    Raises DataError, one sentence that names the row where there is one, for a file that cannot be read as rows.
    """
    readers = {".csv": _from_csv, ".jsonl": _from_jsonl, ".parquet": _from_parquet, ".json": _from_json}
    read = readers.get(path.suffix.casefold())
    if read is None:
        raise DataError(
            f"“{shorten(path.name)}” is not a file of labels: choose a .csv, .jsonl, .parquet or .json file."
        )
    if not path.is_file():
        raise DataError(f"There is no file “{shorten(path)}”: type the path of an exported file of labels.")
    if path.stat().st_size > SIZE_LIMIT:
        raise DataError(f"“{shorten(path.name)}” has more than {SIZE_LIMIT >> 20} MiB: split it into several files.")
    data = path.read_bytes()
    try:
        rows = list(read(data))
    except UnicodeDecodeError:
        raise DataError(f"“{shorten(path.name)}” is not text in UTF-8: export it again.") from None
    except csv.Error as error:
        raise DataError(f"“{shorten(path.name)}” is not CSV ({shorten(error)}): export it again.") from None
    if not rows:
        raise DataError(f"“{shorten(path.name)}” has no rows: export it again.")
    return [_checked(row) for row in rows]


def _checked(row: Row) -> Row:
    problem = row.get(PROBLEM) or _problem(row)
    return {PROBLEM: problem} if problem else {name: row[name] for name in TYPES}


def _problem(row: Row) -> str:
    """Why a row is not one of labels, in a sentence; "" where it is."""
    if missing := [name for name in TYPES if name not in row]:
        return f"It lacks the column {missing[0]}: a file of labels has {', '.join(TYPES)}."
    for name, type_ in TYPES.items():
        value = row[name]
        is_number = type(value) is int and abs(value) < INTEGER_LIMIT
        if not (is_number if type_ is int else isinstance(value, type_)):
            kinds = {int: "a whole number", bool: "true or false", list: "a list", str: "text"}
            return f"{name} is “{shorten(value)}”, and must be {kinds[type_]}."
    return ""


def _flat(row: Row) -> Row:
    """A row with lists as JSON."""
    return {
        name: json.dumps(row[name], ensure_ascii=False) if type_ is list else row[name]
        for name, type_ in COLUMNS.items()
    }


def _csv(rows: Sequence[Row], _taxonomy: Taxonomy) -> bytes:
    shown = (_flat(row) | context_texts(row) | {"label_names": "; ".join(row["label_names"])} for row in rows)
    cells = ((str(value).lower() if isinstance(value, bool) else value for value in row.values()) for row in shown)
    return csv_text([COLUMNS, *cells]).encode("utf-8-sig")


def _jsonl(rows: Sequence[Row], _taxonomy: Taxonomy) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _parquet(rows: Sequence[Row], _taxonomy: Taxonomy) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {str: pa.string(), list: pa.string(), int: pa.int64(), bool: pa.bool_()}
    schema = pa.schema([(name, kinds[type_]) for name, type_ in COLUMNS.items()])
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([_flat(row) for row in rows], schema=schema), file, compression="zstd")
    return file.getvalue()


def _from_csv(data: bytes) -> Iterator[Row]:
    limit = csv.field_size_limit(CELL_LIMIT)
    try:
        lines = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True))
    finally:
        csv.field_size_limit(limit)
    for number, line in enumerate(lines, start=1):
        yield {name: _value(number, name, plain_text(cell or "")) for name, cell in line.items() if name in TYPES}


def _from_jsonl(data: bytes) -> Iterator[Row]:
    lines = [line for line in data.decode("utf-8").split("\n") if line.strip()]
    for line in lines:
        yield readable(partial(_object, line))


def _object(line: str) -> Row:
    return as_object(strict_json(line), "line")


def _from_parquet(data: bytes) -> Iterator[Row]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        lines = pq.read_table(io.BytesIO(data)).to_pylist()
    except (pa.ArrowException, OSError):
        raise DataError("The file is not Parquet: export it again.") from None
    for number, line in enumerate(lines, start=1):
        yield {
            name: _value(number, name, value) if TYPES[name] is list and isinstance(value, str) else value
            for name, value in line.items()
            if name in TYPES
        }


def _value(number: int, name: str, cell: str) -> Any:
    """A cell's text as the value of its column."""
    if TYPES[name] is str:
        return cell
    try:
        # Spreadsheets write TRUE.
        return strict_json(cell.lower() if TYPES[name] is bool else cell)
    except DataError:
        raise DataError(f"Row {number}: {name} is “{shorten(cell)}”, which cannot be read: export it again.") from None


def _from_json(data: bytes) -> Iterator[Row]:
    """The rows of a JSON file in whichever of the formats it is. Raises DataError for any other."""
    if len(data) > JSON_LIMIT:
        raise DataError(f"The file has more than {JSON_LIMIT >> 20} MiB: split it into several files.")
    try:
        content = strict_json(data.decode("utf-8-sig"))
    except DataError as error:
        raise DataError(f"The file cannot be read. {error.on_screen}") from None
    for form in LABEL_FORMATS.values():
        if form.recognises(content):
            return form.read(content)
    raise DataError(
        "The file is JSON, but not labels of InspectorRAGet, Argilla (records) or Label Studio (tasks): choose a file "
        "that one of them exported."
    )


LABEL_FORMATS: Mapping[str, LabelFormat] = {
    form.name: form
    for form in (
        LabelFormat("csv", "CSV", _csv, ".csv"),
        LabelFormat("jsonl", "JSON lines", _jsonl, ".jsonl"),
        LabelFormat("parquet", "Parquet", _parquet, ".parquet"),
        *(module.FORMAT for module in (label_studio, argilla_labels, inspector_labels)),
    )
}
"""Every format by its name, in the order of the downloads."""
SETUPS: Mapping[str, ProjectSetup] = {name: form.setup for name, form in LABEL_FORMATS.items() if form.setup}
"""What a project for the labels is set up with, by the names of the formats that need it."""
