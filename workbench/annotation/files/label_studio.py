"""Labels as tasks of Label Studio, and the labelling configuration that belongs to them.

After its guide, “Label Studio Task Format”, and its tags Text, Choices, Labels and TextArea (1.13). A task is a part of
an item: `data` has its texts and where it comes from, each annotation is a person's. A text is labelled by
`labels` (Choices), marked by `spans` (Labels) and commented on in `comment` (TextArea). The rest of a label travels in
`origin`, a text area that the configuration hides, because Label Studio keeps nothing of an annotation but its results.

Label Studio counts the offsets of a Text in code points, as the workbench does; so it has been since an emoji counts as
one (its tests: “Should calculate offsets by code points in text”). A line break of two characters counts as two there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any
from xml.sax.saxutils import quoteattr

from workbench.annotation.error_taxonomy import Taxonomy
from workbench.annotation.files.label_format import (
    NO_LABEL,
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
from workbench.core import DataError, shorten

LABELS, SPANS, COMMENT, ORIGIN = "labels", "spans", "comment", "origin"
"""The names of the controls."""
ANNOTATIONS_LIMIT = 1_000
"""More annotations than a task has."""
TEXT = "text"
"""The name of the labelled text, as an object of the configuration and among a task's data."""


def label_studio_tasks(rows: Sequence[Row]) -> list[Row]:
    """The tasks with one annotation for each row."""
    return [_task(number, part) for number, part in enumerate(labelled_parts(rows), start=1)]


def _task(number: int, part: LabelledPart) -> Row:
    data = {**part.about, **part.context, **newest_version(part.rows), TEXT: part.text}
    annotations = [
        {
            # Label Studio takes a whole number alone.
            "id": ANNOTATIONS_LIMIT * number + place,
            "was_cancelled": False,
            "ground_truth": False,
            "created_at": row["saved"],
            "updated_at": row["saved"],
            "result": list(_results(row)),
        }
        for place, row in enumerate(part.rows, start=1)
    ]
    return {"id": number, "data": data, "annotations": annotations}


def _results(row: Row) -> Iterator[Row]:
    origin = json.dumps(person_columns(row), ensure_ascii=False)
    if row["labels"]:
        yield _result(LABELS, "choices", {"choices": row["labels"]}, LABELS)
    for number, span in enumerate(row["spans"], start=1):
        place = {name: span[name] for name in ("start", "end", "text")}
        yield _result(SPANS, "labels", {**place, "labels": [span["label"] or NO_LABEL]}, f"span-{number}")
    if row["comment"]:
        yield _result(COMMENT, "textarea", {"text": [row["comment"]]}, COMMENT)
    yield _result(ORIGIN, "textarea", {"text": [origin]}, ORIGIN)


def _result(control: str, type_: str, value: Row, id_: str) -> Row:
    return {"id": id_, "from_name": control, "to_name": TEXT, "type": type_, "origin": "manual", "value": value}


def label_studio_rows(tasks: Sequence[Any]) -> Iterator[Row]:
    """The rows of tasks, one for each annotation that was not cancelled, in order."""
    for task in tasks:
        parts = task.get("annotations") if isinstance(task, dict) else None
        annotations = parts if isinstance(parts, list) else [None]
        for annotation in annotations:
            if not (isinstance(annotation, dict) and annotation.get("was_cancelled") is True):
                yield readable(partial(_row, task, annotation))


def _row(task: Any, annotation: Any) -> Row:
    data = as_object(as_object(task, "task").get("data"), "data")
    content = as_object(annotation, "annotation")
    text = nfc(as_text(data.get(TEXT, ""), "text"))
    results = [as_object(item, "result") for item in as_list(content.get("result"), "result")]
    values: dict[str, list[Row]] = {name: [] for name in (LABELS, SPANS, COMMENT, ORIGIN)}
    for item in results:
        control = item.get("from_name")
        if not isinstance(control, str) or control not in values or item.get("to_name") != TEXT:
            raise DataError(f"It has a result of “{shorten(control)}”, which is not one of: {', '.join(values)}.")
        values[control].append(as_object(item.get("value"), "value"))
    labels = [label for value in values[LABELS] for label in as_list(value.get("choices"), "list of choices")]
    changed = str(content.get("updated_at") or "")
    origins = _texts(values[ORIGIN])
    if origins:
        person = as_object(strict_json(origins), "origin")
    else:
        versions = {name: data.get(name) for name in VERSION_COLUMNS}
        person = {**versions, **fresh_person(_annotator(content.get("completed_by")), changed)}
    about = {name: data[name] for name in TEXT_COLUMNS if name in data}
    return person_row(
        about, text, person, labels, [_span(text, value) for value in values[SPANS]], _texts(values[COMMENT]), changed
    )


def _texts(values: Sequence[Row]) -> str:
    """The texts of a text area; a person may have entered several."""
    lists = [value.get("text") for value in values]
    texts = [text for item in lists for text in (item if isinstance(item, list) else [item])]
    return "\n".join(as_text(text, "text area") for text in texts)


def _span(text: str, value: Row) -> Any:
    labels = as_list(value.get("labels"), "list of a span's labels")
    if len(labels) != 1:
        raise DataError(f"It has a span with {len(labels)} labels: give each span one.")
    return span_row(text, value.get("start"), value.get("end"), value.get("text"), labels[0])


def _annotator(user: Any) -> str:
    """A person's name from what Label Studio says about who completed an annotation."""
    if isinstance(user, dict):
        return str(user.get("email") or user.get("username") or f"Label Studio user {user.get('id')}")
    return f"Label Studio user {user}"


def label_studio_config(taxonomy: Taxonomy) -> str:
    """The labelling configuration (XML) of a project for tasks under a taxonomy, to be pasted into its settings."""
    choice = "multiple" if taxonomy.several else "single"
    choices = [
        f"    <Choice value={quoteattr(label.name)} alias={quoteattr(label.key)} hint={quoteattr(label.definition)}/>"
        for label in taxonomy.labels
    ]
    marks = [f"    <Label value={quoteattr(label.name)} alias={quoteattr(label.key)}/>" for label in taxonomy.labels]
    return "\n".join(
        [
            "<View>",
            "  <Style>.htx-text{ white-space: pre-wrap; }</Style>",
            f"  <Header value={quoteattr(taxonomy.question)}/>",
            '  <Text name="question" value="$question"/>',
            '  <Header value="Gold answers" size="5"/>',
            '  <Text name="golds" value="$golds"/>',
            '  <Header value="Answer" size="5"/>',
            f'  <Text name="{TEXT}" value="${TEXT}"/>',
            f'  <Choices name="{LABELS}" toName="{TEXT}" choice="{choice}">',
            *choices,
            "  </Choices>",
            f'  <Labels name="{SPANS}" toName="{TEXT}">',
            f'    <Label value="All labels" alias="{NO_LABEL}"/>',
            *marks,
            "  </Labels>",
            f'  <TextArea name="{COMMENT}" toName="{TEXT}" placeholder="Comment" maxSubmissions="1" editable="true"/>',
            '  <Header value="Documents" size="5"/>',
            '  <Text name="documents" value="$documents"/>',
            '  <View style="display:none">',
            f'    <TextArea name="{ORIGIN}" toName="{TEXT}"/>',
            "  </View>",
            "</View>",
            "",
        ]
    )


FORMAT = LabelFormat(
    "labelstudio",
    "Label Studio",
    lambda rows, _taxonomy: json_bytes(label_studio_tasks(rows)),
    setup=ProjectSetup(
        "Label Studio configuration (XML)",
        "config.xml",
        lambda taxonomy, _annotators: label_studio_config(taxonomy).encode(),
    ),
    recognises=lambda content: begins_with(content, "data"),
    read=label_studio_rows,
)
