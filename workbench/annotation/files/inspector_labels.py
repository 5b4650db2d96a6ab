"""Labels in the form that InspectorRAGet reads (IBM, github.com/IBM/InspectorRAGet, README), as annotations by people.

Where a taxonomy allows several labels, each is a metric of yes and no; where it allows one, there is one metric whose
values are the labels; comments are a text metric. All are by people, and each annotator's value is under their name.
InspectorRAGet wants every model on every task, and a queue is a sample of several runs. So a task is a part of an item,
there is one model, the queue, and the run is a filter. Marked spans and the rest of a label have no place there: they
travel under `mrag` of each evaluation, which InspectorRAGet ignores.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from workbench.annotation.error_taxonomy import Taxonomy
from workbench.annotation.files.label_format import (
    NO_LABEL,
    PROBLEM,
    TEXT_COLUMNS,
    VERSION_COLUMNS,
    LabelFormat,
    LabelledPart,
    Row,
    as_list,
    as_object,
    as_text,
    fresh_person,
    json_bytes,
    labelled_parts,
    newest_version,
    person_columns,
    person_row,
    readable,
)
from workbench.annotation.queue import PASSAGE
from workbench.core import DataError

LABEL, COMMENT = "label", "comment"
"""The metrics; a taxonomy of several labels has `label:<key>` for each."""
YES, NO = "yes", "no"
ABOUT, PEOPLE, TEXT = "about", "people", "text"
ORIGIN = "mrag"
"""The member of an evaluation with what InspectorRAGet has no place for."""


def inspector_labels(rows: Sequence[Row], taxonomy: Taxonomy) -> Row:
    """The document for the labels of one queue."""
    parts = labelled_parts(rows)
    # Labels of an older version may have keys that the version in use lacks.
    keys = list(dict.fromkeys([*taxonomy.keys, *(key for row in rows for key in row["labels"])]))
    is_single = not taxonomy.several and all(len(row["labels"]) <= 1 for row in rows)
    queue = str(rows[0]["queue"])
    documents = {name: item for part in parts for name, item in _documents(part).items()}
    return {
        "name": queue,
        "models": [{"model_id": queue, "name": queue, "owner": taxonomy.name}],
        "metrics": [*_metrics(taxonomy, keys, is_single=is_single), _metric(COMMENT, "Comment", "text")],
        "documents": [{"document_id": name, **item} for name, item in documents.items()],
        "filters": ["language", "run", "part", "showing"],
        "tasks": [_task(part) for part in parts],
        "evaluations": [_evaluation(part, keys, is_single=is_single) for part in parts],
    }


def _metrics(taxonomy: Taxonomy, keys: Sequence[str], *, is_single: bool) -> list[Row]:
    texts = {label.key: label for label in taxonomy.labels}
    names = {key: texts[key].name if key in texts else key for key in keys}
    definitions = {key: texts[key].definition if key in texts else key for key in keys}
    if is_single:
        values = _values({**names, NO_LABEL: "None of them"})
        return [{**_metric(LABEL, taxonomy.title, "categorical"), "aggregator": "majority", "values": values}]
    values = _values({NO: "No", YES: "Yes"})
    return [
        {
            **_metric(f"{LABEL}:{key}", names[key], "categorical"),
            "description": definitions[key],
            "aggregator": "majority",
            "values": values,
        }
        for key in keys
    ]


def _metric(name: str, title: str, type_: str) -> Row:
    return {"name": name, "display_name": title, "description": title, "author": "human", "type": type_}


def _values(names: Mapping[str, str]) -> list[Row]:
    return [
        {"value": value, "display_value": name, "numeric_value": number}
        for number, (value, name) in enumerate(names.items(), start=1)
    ]


def _documents(part: LabelledPart) -> dict[str, Row]:
    """The passage that is labelled, and the documents of the answer, by their names."""
    name = str(part.about["on"])
    labelled = {name: {"text": part.text, "title": name}} if name.startswith(PASSAGE) and part.text else {}
    given = part.rows[0].get("documents", ())
    return labelled | {item["id"]: {"text": item["text"], "title": item["title"]} for item in given}


def _task(part: LabelledPart) -> Row:
    return {
        "task_id": part.name,
        "task_type": "rag",
        "language": part.about["language"],
        "run": part.about["recipe_fingerprint"],
        "part": part.about["on"],
        "showing": str(part.about["showing"]),
        "input": [{"speaker": "user", "text": part.about["question"]}],
        "contexts": [{"document_id": name} for name in _documents(part)],
        "targets": [{"text": gold} for gold in part.rows[0].get("golds", ())],
    }


def _evaluation(part: LabelledPart, keys: Sequence[str], *, is_single: bool) -> Row:
    annotations: dict[str, Row] = {}
    for row in part.rows:
        if is_single:
            values = {LABEL: (row["labels"] or [NO_LABEL])[0]}
        else:
            values = {f"{LABEL}:{key}": YES if key in row["labels"] else NO for key in keys}
        for metric, value in {**values, COMMENT: row["comment"]}.items():
            annotations.setdefault(metric, {})[row["annotator"]] = {"value": value}
    people = {
        row["annotator"]: {**person_columns(row), "labels": row["labels"], "spans": row["spans"]} for row in part.rows
    }
    return {
        "task_id": part.name,
        "model_id": part.about["queue"],
        "model_response": part.about["answer"],
        "annotations": annotations,
        ORIGIN: {ABOUT: {**part.about, **newest_version(part.rows)}, TEXT: part.text, PEOPLE: people},
    }


def inspector_rows(document: Row) -> Iterator[Row]:
    """The rows of a document, one for each person of each evaluation, in order."""
    for evaluation in document["evaluations"]:
        try:
            values = _values_by_person(as_object(evaluation, "evaluation"))
        except DataError as error:
            yield {PROBLEM: error.on_screen}
            continue
        for person, by_metric in values.items():
            yield readable(partial(_row, evaluation, person, by_metric))


def _values_by_person(evaluation: Row) -> dict[str, Row]:
    """What each annotator says by each metric."""
    people: dict[str, Row] = {}
    for metric, values in as_object(evaluation.get("annotations"), "annotations").items():
        for person, value in as_object(values, "metric").items():
            people.setdefault(person, {})[metric] = as_object(value, "annotation").get("value")
    return people


def _row(evaluation: Row, name: str, values: Row) -> Row:
    origin = as_object(evaluation.get(ORIGIN), ORIGIN)
    columns = as_object(origin.get(ABOUT), ABOUT)
    about = {column: columns[column] for column in TEXT_COLUMNS if column in columns}
    if evaluation.get("model_response") != about.get("answer"):
        raise DataError("Its model_response is not the answer that was labelled: export the file again.")
    known = as_object(origin.get(PEOPLE), PEOPLE).get(name)
    versions = {column: columns.get(column) for column in VERSION_COLUMNS}
    person = {**versions, **fresh_person(name, "")} if known is None else dict(as_object(known, "person"))
    ordered, spans = person.pop("labels", []), as_list(person.pop("spans", []), "list of spans")
    labels = _labels(values)
    if isinstance(ordered, list) and sorted(map(str, ordered)) == sorted(map(str, labels)):
        labels = ordered
    comment = as_text(values.get(COMMENT, ""), "comment")
    if not all(isinstance(span, dict) for span in spans):
        raise DataError("Its list of spans has something that is not a span: export the file again.")
    text = as_text(origin.get(TEXT), TEXT)
    return person_row(about, text, person, labels, spans, comment)


def _labels(values: Row) -> list[Any]:
    """The labels that a person's values state."""
    labels = []
    for metric, value in values.items():
        name, _, key = metric.partition(":")
        if name != LABEL:
            continue
        if key and value not in (YES, NO):
            raise DataError(f"Its value of “{key}” is neither “{YES}” nor “{NO}”: write one of the two.")
        if not key and value != NO_LABEL:
            labels.append(value)
        elif key and value == YES:
            labels.append(key)
    return labels


FORMAT = LabelFormat(
    "inspectorraget",
    "InspectorRAGet",
    lambda rows, taxonomy: json_bytes(inspector_labels(rows, taxonomy)),
    recognises=lambda content: isinstance(content, dict) and isinstance(content.get("evaluations"), list),
    read=inspector_rows,
)
