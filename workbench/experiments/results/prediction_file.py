"""Predictions made elsewhere, as a file gives them: JSON lines, CSV, TSV or XLSX with one row per question.

A row has the question's id, the answer and, where there are any, the ids of the passages that it was given: a list, or
in a cell a JSON list or ids separated by “;”.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.core import DataError, fingerprint, shorten
from workbench.data import Record, table_rows
from workbench.languages import language_of
from workbench.workspace import PASSAGES_LIMIT

IDS_LIMIT = 10 * PASSAGES_LIMIT
"""Ids of passages that one row may have."""

Key = tuple[str, str]
"""A question's language and its id within the dataset."""


@dataclass(frozen=True, slots=True)
class PredictionColumns:
    """The names of the columns. `language` may be missing where the language of all questions is given apart."""

    id: str = "id"
    answer: str = "answer"
    passages: str = "passages"
    language: str = "language"


@dataclass(frozen=True, slots=True)
class Prediction:
    """An answer, "" where the other system gave an empty one, and the ids of the passages given to it, best first."""

    text: str
    passages: tuple[str, ...]


def read_predictions(
    path: Path, dataset: str, languages: Sequence[str], columns: PredictionColumns, language: str
) -> dict[Key, Prediction]:
    """The predictions of a file about a dataset in `languages`; `language` is that of rows which do not state one.

    Raises DataError with file and row for a wrong row, and for a file without any.
    """
    predictions: dict[Key, Prediction] = {}
    for record in table_rows(path):
        key, prediction = _read(record, columns, language)
        if key[0] not in languages:
            allowed = ", ".join(languages)
            raise record.error(f"is in “{key[0]}”, which dataset “{dataset}” does not have (it has: {allowed})")
        if key in predictions:
            raise record.error(f"answers question “{shorten(key[1])}” a second time")
        predictions[key] = prediction
    if not predictions:
        raise DataError(f"{path.name} holds no predictions, so nothing was imported.")
    return predictions


def predictions_fingerprint(predictions: Mapping[Key, Prediction]) -> str:
    """The same for equal predictions, in whatever order a file has them."""
    return fingerprint("predictions", [[*key, item.text, *item.passages] for key, item in sorted(predictions.items())])


def _read(record: Record, columns: PredictionColumns, language: str) -> tuple[Key, Prediction]:
    if columns.answer not in record.values:
        raise record.error(f"lacks “{columns.answer}”")
    label = record.optional_text(columns.language) or language
    if not label:
        raise record.error(f"states no language: add a column “{columns.language}” or name the language of all rows")
    answer = record.values[columns.answer]
    if answer is not None and not isinstance(answer, str):
        raise record.error(f"has an “{columns.answer}” that is not a text")
    # An empty answer is an answer: the system wrote nothing.
    key = (language_of(label).code, record.id(columns.id))
    return key, Prediction((answer or "").strip(), _passages(record, columns.passages))


def _passages(record: Record, column: str) -> tuple[str, ...]:
    value = record.values.get(column)
    if isinstance(value, str):
        text = value.strip()
        try:
            value = json.loads(text) if text.startswith("[") else [item.strip() for item in text.split(";")]
        except ValueError as error:
            raise record.error(f"has “{column}” that are not a complete JSON list") from error
    if value is None:
        return ()
    items = value if isinstance(value, list) else [value]
    ids = [item.get("id") if isinstance(item, Mapping) else item for item in items]
    names = [item for item in ids if isinstance(item, str)]
    if len(names) != len(ids):
        raise record.error(f"has “{column}” that are not a list of ids")
    passages = tuple(dict.fromkeys(item for item in names if item))
    if len(passages) > IDS_LIMIT:
        raise record.error(f"has {len(passages):,} passages; at most {IDS_LIMIT} are allowed")
    return passages
