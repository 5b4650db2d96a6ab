"""Labels as records of Argilla 2, and the settings of a dataset for them.

The records are those that `dataset.records.to_json` of its Python client (2.x) writes and `from_json` reads, the
settings those of `rg.Settings.from_json`. A record is a part of an item; people respond to three questions: `labels`
(label or multi-label), `spans` (over the field `text`) and `comment` (text). A person is a UUID there, so the names,
with all else that has no place, travel as JSON in the record's metadata field `mrag`.

Argilla's server counts the offsets of a span in code points, as the workbench does, but its page counts an emoji as two
(its issue 5729). So a span that was added or moved there and lies behind such a character is refused, not guessed at.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from workbench.annotation.error_taxonomy import Taxonomy
from workbench.annotation.files.label_format import (
    NO_LABEL,
    PROBLEM,
    TEXT_COLUMNS,
    VERSION_COLUMNS,
    LabelFormat,
    LabelledPart,
    ProjectSetup,
    Row,
    as_list,
    as_object,
    as_text,
    begins_with,
    fresh_person,
    json_bytes,
    labelled_parts,
    newest_version,
    person_columns,
    person_row,
    readable,
    span_row,
    strict_json,
)
from workbench.annotation.text_spans import nfc
from workbench.core import DataError

LABELS, SPANS, COMMENT, TEXT = "labels", "spans", "comment", "text"
PEOPLE = "mrag"
"""The metadata field with what Argilla has no place for, by user."""
WORDS = "marked"
"""Of a person there: the marked texts, which responses do not repeat."""
FIELDS = ("question", "answer")
"""The columns that are fields of a record."""
SHOWN = {
    "question": "Question",
    "golds": "Gold answers",
    "answer": "Answer",
    TEXT: "Labelled text",
    "documents": "Documents",
}
"""The fields of a record in their order, with their titles."""
BASIC = 1 << 16
"""Code points from here on are two units in JavaScript."""


def argilla_records(rows: Sequence[Row], *, several: bool) -> list[Row]:
    """One record for each part, with the responses of everybody who labelled it; `several` as a taxonomy states it."""
    return [_record(part, several=several) for part in labelled_parts(rows)]


def _record(part: LabelledPart, *, several: bool) -> Row:
    responses: dict[str, list[Row]] = {LABELS: [], SPANS: [], COMMENT: []}
    people: dict[str, Row] = {}
    for row in part.rows:
        user = str(uuid5(NAMESPACE_URL, f"mrag:{row['annotator']}"))
        words = [[span["start"], span["end"], span["text"]] for span in row["spans"]]
        people[user] = {**person_columns(row), WORDS: words}
        # Argilla refuses an empty list, so no label is an option of its own.
        keys = row["labels"] or [NO_LABEL]
        spans = [
            {"start": span["start"], "end": span["end"], "label": span["label"] or NO_LABEL} for span in row["spans"]
        ]
        values = {LABELS: keys if several or len(keys) > 1 else keys[0], SPANS: spans, COMMENT: row["comment"]}
        status = "submitted" if row["complete"] else "draft"
        for question, value in values.items():
            if value:
                responses[question].append({"value": value, "user_id": user, "status": status})
    about = {name: value for name, value in part.about.items() if name not in FIELDS}
    return {
        "id": part.name,
        "fields": {name: text for name, text in _fields(part).items() if text},
        "metadata": {**about, **newest_version(part.rows), PEOPLE: json.dumps(people, ensure_ascii=False)},
        "suggestions": {},
        "responses": {question: items for question, items in responses.items() if items},
        "vectors": {},
    }


def _fields(part: LabelledPart) -> dict[str, str]:
    """The texts of a record; Argilla shows no empty one."""
    texts = {**part.about, **part.context, TEXT: part.text}
    return {name: str(texts[name]) for name in SHOWN}


def argilla_rows(records: Sequence[Any]) -> Iterator[Row]:
    """The rows of records, one for each person who responded, in order."""
    for record in records:
        try:
            people = _users(record)
        except DataError as error:
            yield {PROBLEM: error.on_screen}
            continue
        for user in people:
            yield readable(partial(_row, record, user))


def _users(record: Any) -> list[str]:
    """Everybody who responded to a record, those that the workbench knows first."""
    content = as_object(record, "record")
    people = dict.fromkeys(_people(content))
    for items in as_object(content.get("responses"), "responses").values():
        for item in as_list(items, "list of responses"):
            people[as_text(as_object(item, "response").get("user_id"), "user_id")] = None
    return list(people)


def _people(record: Row) -> Row:
    metadata = as_object(record.get("metadata"), "metadata")
    return as_object(strict_json(as_text(metadata.get(PEOPLE, "{}"), PEOPLE)), PEOPLE)


def _row(record: Row, user: str) -> Row:
    fields, metadata = as_object(record.get("fields"), "fields"), as_object(record.get("metadata"), "metadata")
    columns = {**metadata, **{name: fields.get(name, "") for name in FIELDS}}
    values: dict[str, Any] = {}
    statuses = set()
    for question, items in record["responses"].items():
        mine = [item for item in items if item["user_id"] == user]
        if len(mine) > 1:
            raise DataError(f"It has {len(mine)} responses of one person to “{question}”: keep one of them.")
        for item in mine:
            values[question] = item.get("value")
            statuses.add(str(item.get("status", "submitted")))
    known = _people(record).get(user)
    if known is None:
        versions = {name: metadata.get(name) for name in VERSION_COLUMNS}
        person = {**versions, **fresh_person(user, ""), "complete": statuses <= {"submitted", "None"}}
        person["completed"] = person["saved"] if person["complete"] else ""
    else:
        person = as_object(known, "person")
    text = nfc(as_text(fields.get(TEXT, ""), "text"))
    words = _words(person.pop(WORDS, []))
    spans = [_span(text, item, words) for item in as_list(values.get(SPANS, []), "list of spans")]
    about = {name: columns[name] for name in TEXT_COLUMNS if name in columns}
    return person_row(about, text, person, _labels(values.get(LABELS)), spans, values.get(COMMENT, ""))


def _labels(value: Any) -> list[Any]:
    labels = value if isinstance(value, list) else [value]
    return [] if labels in ([NO_LABEL], [None]) else labels


def _words(marked: Any) -> dict[tuple[Any, Any], Any]:
    parts = [as_list(item, WORDS) for item in as_list(marked, WORDS)]
    if any(len(part) != 3 for part in parts) or not all(isinstance(item, int | str) for part in parts for item in part):
        raise DataError(f"Its “{WORDS}” does not have start, end and text of each span: export the file again.")
    return {(start, end): words for start, end, words in parts}


def _span(text: str, item: Any, words: dict[tuple[Any, Any], Any]) -> Any:
    value = as_object(item, "span")
    start, end, label = value.get("start"), value.get("end"), value.get("label")
    if type(start) is not int or not isinstance(end, int):
        return span_row(text, start, end, None, label)
    if (start, end) not in words and any(ord(sign) >= BASIC for sign in text[: max(0, end)]):
        raise DataError(
            f"Its span from {start} to {end} was marked in Argilla behind a character such as an emoji, which Argilla "
            "counts as two: mark it here instead."
        )
    return span_row(text, start, end, words.get((start, end)), label)


def argilla_settings(taxonomy: Taxonomy, annotators: int) -> Row:
    """The settings of a dataset for labels under a taxonomy, by that number of `annotators` per record."""
    options = [{"value": label.key, "text": label.name, "description": label.definition} for label in taxonomy.labels]
    kind = "multi_label_selection" if taxonomy.several else "label_selection"
    none, all_ = ({"value": NO_LABEL, "text": words, "description": None} for words in ("None of them", "All labels"))
    questions = [
        (LABELS, taxonomy.question, True, {"type": kind, "options": [*options, none], "visible_options": None}),
        (
            SPANS,
            "Where?",
            False,
            {"type": "span", "field": TEXT, "allow_overlapping": True, "options": [all_, *options]},
        ),
        (COMMENT, "Comment", False, {"type": "text", "use_markdown": False}),
    ]
    text = {"type": "text", "use_markdown": False}
    return {
        "guidelines": "\n\n".join(f"{label.name}: {label.definition} {label.example}" for label in taxonomy.labels),
        "allow_extra_metadata": True,
        "distribution": {"strategy": "overlap", "min_submitted": annotators},
        "fields": [
            {"name": name, "title": title, "required": name == "question", "settings": text}
            for name, title in SHOWN.items()
        ],
        "questions": [
            {"name": name, "title": title, "required": required, "settings": settings}
            for name, title, required, settings in questions
        ],
        "metadata": [],
        "vectors": [],
    }


FORMAT = LabelFormat(
    "argilla",
    "Argilla",
    lambda rows, taxonomy: json_bytes(argilla_records(rows, several=taxonomy.several)),
    setup=ProjectSetup(
        "Argilla settings (JSON)",
        "settings.json",
        lambda taxonomy, annotators: json_bytes(argilla_settings(taxonomy, annotators)),
    ),
    recognises=lambda content: begins_with(content, "fields"),
    read=argilla_rows,
)
