"""The formats of other programs: which labels are JSON of InspectorRAGet, Argilla or Label Studio, by content."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from workbench.annotation.error_taxonomy import Taxonomy
from workbench.annotation.files.argilla_labels import argilla_records, argilla_rows, argilla_settings
from workbench.annotation.files.inspector_labels import inspector_labels, inspector_rows
from workbench.annotation.files.label_studio import label_studio_config, label_studio_rows, label_studio_tasks
from workbench.annotation.files.rows_by_text import Row
from workbench.annotation.files.strict_json import strict_json
from workbench.core import DataError

JSON_FORMATS: tuple[str, ...] = ("inspectorraget", "argilla", "labelstudio")
JSON_LIMIT = 1 << 26
"""Bytes of a JSON file that is read: it is in memory completely, several times."""

SETUP_FILES: Mapping[str, str] = {"argilla": "settings.json", "labelstudio": "config.xml"}
"""What a format needs besides the labels, and how the name of that file ends."""


def json_labels(kind: str, rows: Sequence[Row], taxonomy: Taxonomy) -> bytes:
    """The rows in one of `JSON_FORMATS`; `taxonomy` in the version in use."""
    writers: Mapping[str, Callable[[], Any]] = {
        "inspectorraget": lambda: inspector_labels(rows, taxonomy),
        "argilla": lambda: argilla_records(rows, several=taxonomy.several),
        "labelstudio": lambda: label_studio_tasks(rows),
    }
    return json.dumps(writers[kind](), ensure_ascii=False, indent=1).encode()


def setup_file(kind: str, taxonomy: Taxonomy, annotators: int) -> bytes:
    """What a project of that program is set up with, for labels under a taxonomy by so many `annotators` per item."""
    if kind == "labelstudio":
        return label_studio_config(taxonomy).encode()
    return json.dumps(argilla_settings(taxonomy, annotators), ensure_ascii=False, indent=1).encode()


def json_rows(data: bytes) -> Iterator[Row]:
    """The rows of a JSON file in whichever of the formats it is. Raises DataError for any other."""
    if len(data) > JSON_LIMIT:
        raise DataError(f"The file has more than {JSON_LIMIT >> 20} MiB: split it into several files.")
    try:
        content = strict_json(data.decode("utf-8-sig"))
    except DataError as error:
        raise DataError(f"The file cannot be read. {error.on_screen}") from None
    if isinstance(content, dict) and isinstance(content.get("evaluations"), list):
        return inspector_rows(content)
    first = content[0] if isinstance(content, list) and content else None
    if isinstance(first, dict) and "data" in first:
        return label_studio_rows(content)
    if isinstance(first, dict) and "fields" in first:
        return argilla_rows(content)
    raise DataError(
        "The file is JSON, but not labels of InspectorRAGet, Argilla (records) or Label Studio (tasks): choose a file "
        "that one of them exported."
    )
