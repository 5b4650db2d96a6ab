"""Labels in the formats of other programs: what stands where, and everything out and in again unchanged."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from sqlalchemy import delete

from tests.annotation.material import LABELS, SEVERAL, SINGLE
from tests.databases import database_url
from workbench.annotation.files.label_files import (
    LABEL_FORMATS,
    SETUPS,
    export_labels,
    label_rows_of,
    read_rows,
)
from workbench.annotation.files.label_import import LabelFileError, import_labels, preview_labels
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue import AnnotationQueue, QueueItem
from workbench.annotation.queue_store import QueueStore
from workbench.annotation.text_spans import text_span
from workbench.core.errors import DataError
from workbench.core.records import Question
from workbench.experiments.results.result_store import ResultStore
from workbench.experiments.results.writer import CellResult, RunRow, Writer, add_experiment
from workbench.workspace import annotation_tables as t

SCRIPTS = "aé🙂👩‍🚀𝔸كتابٌहिन्दी漢字가ไทยй \r\n<&\"'=;\u200f"
"""Characters of one unit and of two, marks, joiners, both directions, and what formats have to escape."""
TEXTS = st.text(SCRIPTS, min_size=1, max_size=40).filter(str.strip)
EMOJI = "🙂 It was lit 🚀 in 1874 by كتابٌ."
PASSAGE = "👩‍🚀 saw the light"
KEYS = tuple(label.key for label in LABELS)
JSON_FORMATS = [name for name, form in LABEL_FORMATS.items() if form.suffix == ".json"]


def queue_of(store: ResultStore, answers: list[str], several: bool = True) -> AnnotationQueue:
    """A queue over answers in English."""
    row = RunRow(0, "run", "d", "c", "multirag", "all", "p", "extractive", 5, "none", "{}", "f0")
    experiment = add_experiment(store.engine, "Answers", "matrix", "", len(answers), "none", [row])
    cells = [CellResult(0, Question(f"q{n}", "Who?", "en"), text, "en", ()) for n, text in enumerate(answers)]
    Writer(store.engine, experiment, ()).write("generate", 0, "c", cells)
    runs = [run.id for run in store.of(experiment).runs()]
    return QueueStore(store).create("Answers", SEVERAL if several else SINGLE, runs, per_language=len(answers))


def forget(store: ResultStore) -> None:
    with store.engine.begin() as connection:
        for table in (t.labels, t.places, t.part_texts):
            connection.execute(delete(table))


def rows_of(store: ResultStore, queue: AnnotationQueue) -> list[dict[str, Any]]:
    with store.engine.connect() as connection:
        return label_rows_of(connection, queue)


@pytest.fixture
def marked(store: ResultStore) -> AnnotationQueue:
    """One answer with emoji and Arabic, labelled and marked by two people, and a passage marked by one."""
    queue = queue_of(store, [EMOJI])
    labels, item = LabelStore(store), QueueStore(store).item(queue.id, 1)
    spans = [replace(text_span(EMOJI, 18, 22), label="bad"), text_span(EMOJI, 26, 31)]
    for person, translated in (("Anna", False), ("Bèla", True)):
        labels.save(item, person, ["odd", "bad"], "see “1874”", spans, translated=translated)
    labels.save(item, "Anna", [], on="claim:1")
    labels.save(item, "Anna", ["bad"], on="passage:d.1", spans=[text_span(PASSAGE, 4, 7)], text=PASSAGE)
    labels.complete(item, "Anna")
    return queue


@st.composite
def labellings(draw: st.DrawFn) -> list[tuple[str, list[dict[str, Any]]]]:
    """Answers, each with what up to two people say about it."""
    rows = []
    for answer in draw(st.lists(TEXTS, min_size=1, max_size=3)):
        records = []
        for person in draw(st.lists(st.sampled_from(["Anna", "Bèla 🙂"]), min_size=1, max_size=2, unique=True)):
            labels = draw(st.lists(st.sampled_from(KEYS), unique=True))
            starts = draw(st.lists(st.integers(0, len(answer) - 1), max_size=3))
            spans = [
                replace(
                    text_span(answer, start, draw(st.integers(start + 1, len(answer)))),
                    label=draw(st.sampled_from(["", *labels])),
                )
                for start in starts
            ]
            comment, complete = draw(st.text(SCRIPTS, max_size=20)), draw(st.booleans())
            translated = draw(st.booleans())
            records.append(
                {
                    "annotator": person,
                    "labels": labels,
                    "spans": spans,
                    "comment": comment,
                    "translated": translated,
                    "complete": complete,
                }
            )
        rows.append((answer, records))
    return rows


@pytest.mark.parametrize("kind", sorted(LABEL_FORMATS))
@given(answers=labellings())
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_labels_in_any_script_come_back_unchanged(
    kind: str, answers: list[tuple[str, list[dict[str, Any]]]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = ResultStore.at(database_url(Path(folder) / "workbench.db"))
        queue = queue_of(store, [answer for answer, _ in answers])
        labels, items = LabelStore(store), {item.question_name: item for item in QueueStore(store).items(queue.id)}
        for number, (_, records) in enumerate(answers):
            item = items[f"q{number}"]
            for record in records:
                values = {name: value for name, value in record.items() if name != "complete"}
                labels.save(item, **values)
                if record["complete"]:
                    labels.complete(item, record["annotator"])
        before, rows = labels.labels(queue.id), rows_of(store, queue)
        path = Path(folder) / f"labels{LABEL_FORMATS[kind].suffix}"
        export_labels(store, queue, kind, path)
        forget(store)
        import_labels(store, path)
        assert labels.labels(queue.id) == before
        assert rows_of(store, queue) == rows
        store.engine.dispose()


@pytest.mark.parametrize("kind", JSON_FORMATS)
@pytest.mark.parametrize("several", [True, False])
def test_no_label_and_one_label_come_back_under_both_kinds_of_taxonomy(
    several: bool, kind: str, store: ResultStore, tmp_path: Path
) -> None:
    queue = queue_of(store, ["One.", "Two."], several)
    labels = LabelStore(store)
    for item, keys in zip(QueueStore(store).items(queue.id), ((), ("good",)), strict=True):
        labels.save(item, "Anna", keys, "because")
    before = labels.labels(queue.id)
    export_labels(store, queue, kind, tmp_path / "labels.json")
    forget(store)
    import_labels(store, tmp_path / "labels.json")
    assert labels.labels(queue.id) == before


def document(store: ResultStore, queue: AnnotationQueue, kind: str, tmp_path: Path) -> Any:
    """What an export in a JSON format contains."""
    export_labels(store, queue, kind, tmp_path / "labels.json")
    return json.loads((tmp_path / "labels.json").read_bytes())


@pytest.mark.parametrize("kind", JSON_FORMATS)
def test_where_a_label_comes_from_travels_in_the_formats_of_other_programs(
    kind: str, store: ResultStore, marked: AnnotationQueue, tmp_path: Path
) -> None:
    text = json.dumps(document(store, marked, kind, tmp_path)).replace("\\", "")
    for name in ("taxonomy_version", "recipe_fingerprint", "annotator", "saved", "translated"):
        assert f'"{name}"' in text


def test_label_studio_has_offsets_in_code_points(store: ResultStore, marked: AnnotationQueue, tmp_path: Path) -> None:
    task = document(store, marked, "labelstudio", tmp_path)[0]
    marks = [result["value"] for result in task["annotations"][0]["result"] if result["type"] == "labels"]
    assert marks[0] == {"start": 18, "end": 22, "text": "1874", "labels": ["bad"]}
    assert [task["data"]["text"][mark["start"] : mark["end"]] for mark in marks] == [mark["text"] for mark in marks]


def test_the_configuration_of_label_studio_has_every_control_and_label_that_the_tasks_name(
    store: ResultStore, marked: AnnotationQueue, tmp_path: Path
) -> None:
    tree = ElementTree.fromstring(SETUPS["labelstudio"].write(QueueStore(store).taxonomy_of(marked.id), 2))
    controls = {node.get("name"): node.get("toName") for node in tree.iter() if node.get("toName")}
    results = [
        result
        for task in document(store, marked, "labelstudio", tmp_path)
        for annotation in task["annotations"]
        for result in annotation["result"]
    ]
    assert {(result["from_name"], result["to_name"]) for result in results} == set(controls.items())
    assert {node.get("alias") for node in tree.iter("Choice")} == set(KEYS)
    assert {node.get("alias") for node in tree.iter("Label")} == {"_none", *KEYS}


def test_argilla_has_a_response_of_each_person_to_each_question(
    store: ResultStore, marked: AnnotationQueue, tmp_path: Path
) -> None:
    record = document(store, marked, "argilla", tmp_path)[0]
    assert set(record) == {"id", "fields", "metadata", "suggestions", "responses", "vectors"}
    assert [item["value"] for item in record["responses"]["labels"]] == [["odd", "bad"]] * 2
    assert record["responses"]["spans"][0]["value"][0] == {"start": 18, "end": 22, "label": "bad"}
    assert [item["status"] for item in record["responses"]["labels"]] == ["submitted", "draft"]
    assert all(set(item) == {"value", "user_id", "status"} for part in record["responses"].values() for item in part)


def test_the_settings_for_argilla_have_the_questions_and_options_of_its_records(
    store: ResultStore, marked: AnnotationQueue, tmp_path: Path
) -> None:
    content = json.loads(SETUPS["argilla"].write(QueueStore(store).taxonomy_of(marked.id), 2))
    records = document(store, marked, "argilla", tmp_path)
    questions = {item["name"]: item["settings"] for item in content["questions"]}
    assert set(questions) == {name for record in records for name in record["responses"]}
    assert [option["value"] for option in questions["labels"]["options"]] == [*KEYS, "_none"]
    assert {field["name"] for field in content["fields"]} == {*records[0]["fields"], "golds", "documents"}


def test_inspector_raget_has_a_value_of_each_annotator_by_each_metric(
    store: ResultStore, marked: AnnotationQueue, tmp_path: Path
) -> None:
    content = document(store, marked, "inspectorraget", tmp_path)
    assert [metric["name"] for metric in content["metrics"]] == [*(f"label:{key}" for key in KEYS), "comment"]
    assert {metric["author"] for metric in content["metrics"]} == {"human"}
    first = content["evaluations"][0]
    assert first["annotations"]["label:good"] == {"Anna": {"value": "no"}, "Bèla": {"value": "no"}}
    assert first["annotations"]["label:bad"]["Bèla"] == {"value": "yes"}
    assert {item["task_id"] for item in content["evaluations"]} == {item["task_id"] for item in content["tasks"]}
    assert [item["text"] for item in content["documents"]] == [PASSAGE]


def mark(value: dict[str, Any]) -> Callable[[str, Any], None]:
    """The change of the first mark of the first text."""

    def change(kind: str, content: Any) -> None:
        if kind == "labelstudio":
            results = content[0]["annotations"][0]["result"]
            next(item for item in results if item["type"] == "labels")["value"].update(value)
        elif kind == "argilla":
            content[0]["responses"]["spans"][0]["value"][0].update(value)
        else:
            content["evaluations"][0]["mrag"]["people"]["Anna"]["spans"][0].update(value)

    return change


def labelled(key: str) -> Callable[[str, Any], None]:
    """The change of the first person's labels."""

    def change(kind: str, content: Any) -> None:
        if kind == "labelstudio":
            content[0]["annotations"][0]["result"][0]["value"]["choices"] = [key]
        elif kind == "argilla":
            content[0]["responses"]["labels"][0]["value"] = [key]
        else:
            content["evaluations"][0]["annotations"][f"label:{key}"] = {"Anna": {"value": "yes"}}

    return change


def version(number: int) -> Callable[[str, Any], None]:
    """The change of every version of the taxonomy."""

    def change(kind: str, content: Any) -> None:
        text = json.dumps(content).replace('taxonomy_version": 1', f'taxonomy_version": {number}')
        text = text.replace('taxonomy_version\\": 1', f'taxonomy_version\\": {number}')
        changed = json.loads(text)
        content.update(changed) if isinstance(content, dict) else content.__setitem__(slice(None), changed)

    return change


@pytest.mark.parametrize("kind", JSON_FORMATS)
@pytest.mark.parametrize(
    ("change", "sentences"),
    [
        (mark({"start": 19}), ["Row 1: "]),
        (mark({"end": 999}), ["Row 1: "]),
        (mark({"start": "18"}), ["Row 1: “{'start': '18'", "Row 1: “{'label': 'bad', 'start': '18'"]),
        (labelled("terrible"), ["Row 1: Unknown label “terrible”"]),
        (version(2), ["Row 1: It was labelled under version 2 of “team-errors”"]),
    ],
)
def test_what_does_not_fit_is_refused_by_row_in_each_format(
    change: Callable[[str, Any], None],
    sentences: list[str],
    kind: str,
    store: ResultStore,
    marked: AnnotationQueue,
    tmp_path: Path,
) -> None:
    content = document(store, marked, kind, tmp_path)
    change(kind, content)
    (tmp_path / "labels.json").write_text(json.dumps(content), encoding="utf-8")
    forget(store)
    with pytest.raises(LabelFileError) as caught:
        import_labels(store, tmp_path / "labels.json")
    assert any(sentence in str(caught.value) for sentence in sentences) and "\n" not in str(caught.value)
    assert not LabelStore(store).labels(marked.id)


@pytest.mark.parametrize("kind", JSON_FORMATS)
def test_every_row_of_another_version_is_named(
    kind: str, store: ResultStore, marked: AnnotationQueue, tmp_path: Path
) -> None:
    content = document(store, marked, kind, tmp_path)
    version(7)(kind, content)
    (tmp_path / "labels.json").write_text(json.dumps(content), encoding="utf-8")
    assert [number for number, _ in preview_labels(store, tmp_path / "labels.json").problems] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"[" * 100_000, "too deeply"),
        (b'[{"data": ' + b"[" * 50 + b"]" * 50 + b"}]", "more than 30 levels deep"),
        (b'[{"data": {}, "data": {}}]', "the key “data” twice"),
        (b'[{"data": {"text": "a\\u0000"}}]', "the character NUL"),
        (b"\x00", "It is not JSON"),
        (b'[{"data": {"item": NaN}}]', "NaN, which is not a number"),
        (b'[{"data": {"item": ' + b"9" * 5_000 + b"}}]", "It is not JSON"),
        (b"\xff\xfe[]", "is not text in UTF-8"),
        (b"{}", "not labels of InspectorRAGet, Argilla (records) or Label Studio"),
        (b"[1, 2]", "not labels of InspectorRAGet"),
        (b"[]", "not labels of InspectorRAGet"),
        (b'{"evaluations": []}', "has no rows"),
        (b'{"evaluations": [1, {"annotations": 1}]}', "Row 1: Its evaluation is not a JSON object"),
        (b'[{"data": 1}]', "Row 1: Its data is not a JSON object"),
        (b'[{"data": {}, "annotations": [{"result": [{"from_name": "x"}]}]}]', "Row 1: It has a result of “x”"),
        (b'[{"fields": {}, "responses": []}]', "Row 1: Its metadata is not a JSON object"),
        (b'[{"fields": {}, "metadata": {"mrag": "{"}, "responses": {}}]', "Row 1: It is not JSON"),
    ],
)
def test_a_hostile_file_is_refused_in_one_sentence(
    content: bytes, sentence: str, store: ResultStore, tmp_path: Path
) -> None:
    (tmp_path / "labels.json").write_bytes(content)
    with pytest.raises(DataError) as caught:
        import_labels(store, tmp_path / "labels.json")
    assert sentence in str(caught.value) and "\n" not in str(caught.value)


def test_a_file_larger_than_can_be_read_is_refused(
    store: ResultStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.annotation.files.label_files.JSON_LIMIT", 10)
    (tmp_path / "labels.json").write_bytes(b"[" + b" " * 20 + b"]")
    with pytest.raises(DataError, match="split it into several files"):
        read_rows(tmp_path / "labels.json")


JUNK: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, -1, 10**12, 1.5, "", "\u200f", "{", [], [[]], {}, {"a": 1}, "x" * 300]
)


def damaged(content: Any, data: st.DataObject) -> Any:
    """The content with one of its values replaced or left out, wherever that is."""
    parents, node = [], content
    while isinstance(node, dict | list) and node:
        key = data.draw(st.sampled_from(sorted(node) if isinstance(node, dict) else range(len(node))))
        parents.append((node, key))
        node = node[key]
    parent, key = parents[-1] if data.draw(st.booleans()) else data.draw(st.sampled_from(parents))
    if isinstance(node, str) and node.startswith("{"):
        # The rest of a label is JSON within the JSON.
        parent, key = parents[-1]
        parent[key] = json.dumps(damaged(json.loads(node), data))
        return content
    if data.draw(st.booleans()):
        del parent[key]
    else:
        parent[key] = data.draw(JUNK)
    return content


@pytest.mark.parametrize("kind", JSON_FORMATS)
@given(data=st.data())
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_file_is_imported_or_refused_in_one_sentence(
    kind: str, data: st.DataObject, store: ResultStore, marked: AnnotationQueue, tmp_path: Path
) -> None:
    content = damaged(document(store, marked, kind, tmp_path), data)
    (tmp_path / "damaged.json").write_text(json.dumps(content), encoding="utf-8")
    try:
        preview = preview_labels(store, tmp_path / "damaged.json")
    except DataError as error:
        assert "\n" not in str(error)
    else:
        assert all(sentence and "\n" not in sentence for _, sentence in preview.problems)


def saved_by(store: ResultStore, queue: AnnotationQueue, person: str) -> tuple[str, ...]:
    item: QueueItem = QueueStore(store).item(queue.id, 1)
    records = [record for record in LabelStore(store).current(item, person) if record.on == "answer"]
    return records[0].labels if records else ("nothing",)


def test_a_label_that_was_changed_in_label_studio_counts_as_saved_then(
    store: ResultStore, marked: AnnotationQueue, tmp_path: Path
) -> None:
    content = document(store, marked, "labelstudio", tmp_path)
    annotation = content[0]["annotations"][0]
    annotation["result"] = [item for item in annotation["result"] if item["type"] != "labels"]
    annotation["result"][0]["value"]["choices"] = ["good"]
    annotation["updated_at"] = "2999-01-01T00:00:00Z"
    (tmp_path / "labels.json").write_text(json.dumps(content), encoding="utf-8")
    assert import_labels(store, tmp_path / "labels.json").added == 1
    assert saved_by(store, marked, "Anna") == ("good",)


def test_an_annotation_that_was_added_in_label_studio_is_by_its_user(store: ResultStore, tmp_path: Path) -> None:
    queue = queue_of(store, [EMOJI])
    LabelStore(store).save(QueueStore(store).item(queue.id, 1), "Anna", ["bad"])
    content = document(store, queue, "labelstudio", tmp_path)
    choice = {"from_name": "labels", "to_name": "text", "type": "choices", "value": {"choices": ["good"]}}
    place = {"start": 18, "end": 22, "text": "1874", "labels": ["good"]}
    span = {"from_name": "spans", "to_name": "text", "type": "labels", "value": place}
    time = "2026-01-01T00:00:00Z"
    fresh = {"completed_by": {"email": "eva@example.org"}, "updated_at": time, "result": [choice, span]}
    content[0]["annotations"] += [fresh, {"was_cancelled": True, "result": []}]
    (tmp_path / "labels.json").write_text(json.dumps(content), encoding="utf-8")
    assert import_labels(store, tmp_path / "labels.json").added == 1
    assert saved_by(store, queue, "eva@example.org") == ("good",)


def test_a_span_that_was_marked_in_argilla_behind_an_emoji_is_refused(
    store: ResultStore, marked: AnnotationQueue, tmp_path: Path
) -> None:
    content = document(store, marked, "argilla", tmp_path)
    content[0]["responses"]["spans"][0]["value"] = [{"start": 19, "end": 23, "label": "bad"}]
    (tmp_path / "labels.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(LabelFileError, match="behind a character such as an emoji"):
        import_labels(store, tmp_path / "labels.json")


def test_a_preview_says_what_an_import_would_do_and_changes_nothing(
    store: ResultStore, marked: AnnotationQueue, tmp_path: Path
) -> None:
    export_labels(store, marked, "jsonl", tmp_path / "labels.jsonl")
    forget(store)
    preview = preview_labels(store, tmp_path / "labels.jsonl")
    assert (preview.rows, preview.result.added, preview.problems) == (4, 4, ())
    assert (preview.queues, preview.annotators) == ({"Answers": 4}, {"Anna": 3, "Bèla": 1})
    assert not LabelStore(store).labels(marked.id)


def import_changed(store: ResultStore, content: Any, tmp_path: Path) -> None:
    """Imports a changed document into a database that has forgotten its labels."""
    (tmp_path / "labels.json").write_text(json.dumps(content), encoding="utf-8")
    forget(store)
    import_labels(store, tmp_path / "labels.json")


def two_responses(content: Any) -> None:
    responses = content[0]["responses"]["labels"]
    responses.append(dict(responses[0]))


def cut_words(content: Any) -> None:
    metadata = content[0]["metadata"]
    people = json.loads(metadata["mrag"])
    next(iter(people.values()))["marked"] = [[18, 22]]
    metadata["mrag"] = json.dumps(people)


def two_labels(content: Any) -> None:
    mark({"labels": ["bad", "good"]})("labelstudio", content)


def another_answer(content: Any) -> None:
    content["evaluations"][0]["model_response"] = "It was never lit."


def no_span(content: Any) -> None:
    content["evaluations"][0]["mrag"]["people"]["Anna"]["spans"] = ["bad"]


def no_text(content: Any) -> None:
    content[0]["data"]["text"] = 1874


@pytest.mark.parametrize(
    ("kind", "change", "sentence"),
    [
        ("argilla", two_responses, "It has 2 responses of one person to “labels”: keep one of them."),
        ("argilla", cut_words, "does not have start, end and text of each span"),
        ("labelstudio", two_labels, "It has a span with 2 labels: give each span one."),
        ("labelstudio", no_text, "is not text: export the file again."),
        ("inspectorraget", another_answer, "Its model_response is not the answer that was labelled"),
        ("inspectorraget", no_span, "Its list of spans has something that is not a span"),
    ],
)
def test_what_another_program_left_inconsistent_is_refused_by_row(
    kind: str,
    change: Callable[[Any], None],
    sentence: str,
    store: ResultStore,
    marked: AnnotationQueue,
    tmp_path: Path,
) -> None:
    content = document(store, marked, kind, tmp_path)
    change(content)
    with pytest.raises(LabelFileError) as caught:
        import_changed(store, content, tmp_path)
    assert str(caught.value).startswith("Row 1: ") and sentence in str(caught.value)
    assert not LabelStore(store).labels(marked.id)


def test_a_response_that_was_added_in_argilla_is_by_its_user(store: ResultStore, tmp_path: Path) -> None:
    queue = queue_of(store, [EMOJI])
    LabelStore(store).save(QueueStore(store).item(queue.id, 1), "Anna", ["bad"])
    content = document(store, queue, "argilla", tmp_path)
    content[0]["responses"]["labels"].append({"user_id": "eva", "value": ["good"], "status": "submitted"})
    import_changed(store, content, tmp_path)
    assert (saved_by(store, queue, "eva"), saved_by(store, queue, "Anna")) == (("good",), ("bad",))
    assert [row["complete"] for row in rows_of(store, queue) if row["annotator"] == "eva"] == [True]


def test_a_user_of_label_studio_without_a_name_is_called_by_number(store: ResultStore, tmp_path: Path) -> None:
    queue = queue_of(store, [EMOJI])
    LabelStore(store).save(QueueStore(store).item(queue.id, 1), "Anna", ["bad"])
    content = document(store, queue, "labelstudio", tmp_path)
    choice = {"from_name": "labels", "to_name": "text", "type": "choices", "value": {"choices": ["good"]}}
    for user in (7, {"id": 8}):
        fresh = {"completed_by": user, "updated_at": "2026-01-01T00:00:00Z", "result": [choice]}
        content[0]["annotations"] = [fresh]
        import_changed(store, content, tmp_path)
        number = user["id"] if isinstance(user, dict) else user
        assert saved_by(store, queue, f"Label Studio user {number}") == ("good",)
