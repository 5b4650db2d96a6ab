"""Labels as files: out and in unchanged in each format, and refused row by row."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow.parquet as pq
import pytest
from sqlalchemy import delete

from tests.annotation.material import LABELS, SEVERAL, SINGLE, TEXTS, add_answers, url
from workbench.annotation.files.label_files import COLUMNS, LABEL_FORMATS, TYPES, export_labels, read_rows
from workbench.annotation.files.label_import import LabelFileError, LabelImport, import_labels
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue import AnnotationQueue
from workbench.annotation.queue_store import QueueStore
from workbench.annotation.text_spans import text_span
from workbench.core.errors import DataError, UsageError
from workbench.core.records import Passage
from workbench.experiments.results.result_store import ResultStore
from workbench.workspace import annotation_tables as t, move_database

COMMENTS = ("=1+1", 'Say “hm”, "quoted"; and\r\nnew line\u2028', "'tis", "véhémence नमस्ते\t؟")
FORMATS = sorted(LABEL_FORMATS)


@pytest.fixture(scope="module")
def all_labelled(tmp_path_factory: pytest.TempPathFactory) -> ResultStore:
    """Both people labelled every item, with comments, spans and claims; not all is complete. To be read only."""
    store = ResultStore.at(url(tmp_path_factory.mktemp("labelled")))
    queues, labels = QueueStore(store), LabelStore(store)
    queue = queues.create("Lights", SEVERAL, add_answers(store), per_language=1)
    passage = "Le gardien\nâgé vit la lumière; =2+2"
    for person in ("Anna", "Bèla;"):
        for item in queues.items(queue.id):
            spans = [text_span(item.answer, start, start + 3) for start in (0, 7)]
            labels.save(item, person, ["good", "odd"], COMMENTS[item.number % 4], spans)
            labels.save(item, person, [], on="claim:1", translated=True)
            labels.save(item, person, ["bad"], on="passage:d.1", spans=[text_span(passage, 11, 14)], text=passage)
            if item.number % 3:
                labels.complete(item, person)
    return store


@pytest.fixture
def labelled(all_labelled: ResultStore, store: ResultStore, queues: QueueStore) -> AnnotationQueue:
    """The queue of `all_labelled`, in the test's own database."""
    move_database(all_labelled.engine, store.engine)
    return queues.queues()[0]


def forget(store: ResultStore) -> None:
    with store.engine.begin() as connection:
        for table in (t.labels, t.places, t.part_texts):
            connection.execute(delete(table))


def written(store: ResultStore, queue: AnnotationQueue, tmp_path: Path, change: Callable[[list[Any]], Any]) -> Path:
    """An exported file of JSON lines whose rows were changed."""
    path = tmp_path / "labels.jsonl"
    export_labels(store, queue, "jsonl", path)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    change(rows)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", FORMATS)
def test_everything_goes_out_and_comes_back_unchanged(
    kind: str, store: ResultStore, queues: QueueStore, labels: LabelStore, labelled: AnnotationQueue, tmp_path: Path
) -> None:
    before = labels.labels(labelled.id)
    complete = queues.completed(labelled.id)
    first, second = (tmp_path / f"{name}{LABEL_FORMATS[kind].suffix}" for name in ("first", "second"))
    assert export_labels(store, labelled, kind, first) == len(before) == 78
    forget(store)
    assert import_labels(store, first) == LabelImport(added=78, unchanged=0, older=0)
    assert labels.labels(labelled.id) == before and queues.completed(labelled.id) == complete
    export_labels(store, labelled, kind, second)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("kind", FORMATS)
def test_a_second_import_changes_nothing(
    kind: str, store: ResultStore, labels: LabelStore, labelled: AnnotationQueue, tmp_path: Path
) -> None:
    path = tmp_path / f"labels{LABEL_FORMATS[kind].suffix}"
    export_labels(store, labelled, kind, path)
    assert import_labels(store, path) == LabelImport(added=0, unchanged=78, older=0)
    item = QueueStore(store).item(labelled.id, 1)
    assert len(labels.history(item, "Anna")) == 3


@pytest.mark.parametrize("kind", FORMATS)
def test_a_file_has_a_row_per_label_with_its_origin(
    kind: str, store: ResultStore, labelled: AnnotationQueue, tmp_path: Path
) -> None:
    path = tmp_path / f"labels{LABEL_FORMATS[kind].suffix}"
    export_labels(store, labelled, kind, path)
    rows = read_rows(path)
    assert {row["language"] for row in rows} == set(TEXTS)
    row = rows[0]
    assert list(row) == list(TYPES)
    assert (row["queue"], row["taxonomy"], row["taxonomy_version"]) == ("Lights", "team-errors", 1)
    assert (row["annotator"], row["recipe_fingerprint"], row["labels"]) == ("Anna", "f0", ["good", "odd"])
    assert row["saved"].endswith("+00:00")


def test_no_cell_of_csv_begins_a_formula(store: ResultStore, labelled: AnnotationQueue, tmp_path: Path) -> None:
    export_labels(store, labelled, "csv", tmp_path / "labels.csv")
    with (tmp_path / "labels.csv").open(encoding="utf-8-sig", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in cells if cell.lstrip().startswith(("=", "+", "-", "@"))]


def test_parquet_has_a_column_of_its_type_for_each(
    store: ResultStore, labelled: AnnotationQueue, tmp_path: Path
) -> None:
    export_labels(store, labelled, "parquet", tmp_path / "labels.parquet")
    schema = pq.read_schema(tmp_path / "labels.parquet")
    assert schema.names == list(COLUMNS)
    assert [str(schema.field(name).type) for name in ("item", "complete", "answer")] == ["int64", "bool", "string"]


def test_a_file_carries_what_is_needed_to_judge_elsewhere_golds_documents_and_names_of_labels(
    store: ResultStore, labelled: AnnotationQueue, tmp_path: Path
) -> None:
    text = "It was lit in 1874."
    passages = {"doc.1": Passage("doc.1", "doc", "A light", "en", text)}
    corpus: Any = SimpleNamespace(passages_named=lambda ids: {name: passages[name] for name in ids if name in passages})
    for kind in LABEL_FORMATS:
        path = tmp_path / f"{kind}{LABEL_FORMATS[kind].suffix}"
        export_labels(store, labelled, kind, path, lambda name, _version: corpus)
        shown = path.read_bytes() if kind != "parquet" else json.dumps(pq.read_table(path).to_pylist()).encode()
        assert text.encode() in shown and b"A light" in shown, kind
        assert import_labels(store, path) == LabelImport(added=0, unchanged=78, older=0)
    with (tmp_path / "csv.csv").open(encoding="utf-8-sig", newline="") as file:
        row = next(csv.DictReader(file))
    assert (row["labels"], row["label_names"]) == ('["good", "odd"]', "Good; Odd")
    assert (row["golds"], row["documents"]) == ("1874", f"1. A light (en)\n{text}")


def test_undone_labels_do_not_go_out(
    store: ResultStore, queues: QueueStore, labels: LabelStore, queue: AnnotationQueue, tmp_path: Path
) -> None:
    item = queues.item(queue.id, 1)
    for key in ("good", "bad"):
        labels.save(item, "Anna", [key])
    labels.undo(queue.id, "Anna")
    export_labels(store, queue, "jsonl", tmp_path / "labels.jsonl")
    assert [row["labels"] for row in read_rows(tmp_path / "labels.jsonl")] == [["good"]]


def test_the_later_of_two_labels_stays(
    store: ResultStore, queues: QueueStore, labels: LabelStore, queue: AnnotationQueue, tmp_path: Path
) -> None:
    item, path = queues.item(queue.id, 1), tmp_path / "labels.jsonl"
    labels.save(item, "Anna", ["good"])
    export_labels(store, queue, "jsonl", path)
    labels.save(item, "Anna", ["bad"])
    assert import_labels(store, path) == LabelImport(added=0, unchanged=0, older=1)
    assert labels.current(item, "Anna")[0].labels == ("bad",)


def set_value(name: str, value: object) -> Callable[[list[Any]], None]:
    """The change of one column of the third row."""

    def change(rows: list[Any]) -> None:
        rows[2][name] = value

    return change


def set_span(**values: object) -> Callable[[list[Any]], None]:
    """The change of the first row's first span."""

    def change(rows: list[Any]) -> None:
        rows[0]["spans"][0].update(values)

    return change


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (set_span(start=1), "Row 1: The text at 1 to 3"),
        (set_span(end=999), "Row 1: The offsets 0 to 999 do not lie in the text"),
        (set_span(text="other"), "Row 1: The text at 0 to 3 is “"),
        (set_span(before="x"), "Row 1: The text around 0 to 3"),
        (set_span(start="0"), "Row 1: “{'start': '0'"),
        (set_span(start=-1), "is not a span"),
        (set_value("labels", ["good", "terrible"]), "Row 3: Unknown label “terrible”. Allowed: good, bad, odd."),
        (set_value("labels", [1]), "Row 3: The labels are not a list of keys."),
        (set_value("taxonomy_version", 2), "Row 3: It was labelled under version 2 of “team-errors”"),
        (set_value("taxonomy", "abstention"), "Row 3: The queue “Lights” is labelled by “team-errors”, not “abst"),
        (set_value("taxonomy_fingerprint", "0"), "Row 3: Its version 1 of “team-errors” has other definitions"),
        (set_value("queue", "Elsewhere"), "Row 3: There is no queue called “Elsewhere” here"),
        (set_value("item", 99), "Row 3: The queue has no item 99"),
        (set_value("item", 10**30), "Row 3: item is “1000"),
        (set_value("item", "1"), "Row 3: item is “1”, and must be a whole number."),
        (set_value("complete", 1), "Row 3: complete is “1”, and must be true or false."),
        (set_value("answer", "Another answer."), "Row 3: Item 1 of “Lights” is another answer here."),
        (set_value("recipe_fingerprint", "x"), "Row 3: Item 1 of “Lights” is another answer here."),
        (set_value("translated", "maybe"), "Row 3: translated is “maybe”, and must be true or false."),
        (set_value("showing", 3), "Row 3: An item is shown once or twice"),
        (set_value("on", "somewhere"), "Row 3: “somewhere” is not a part"),
        (set_value("annotator", " "), "Row 3: “” cannot be the name of the annotator"),
        (set_value("annotator", "Carl"), "Row 3: Item 1 of “Lights” is for 2 annotators, and “Carl” would be one more"),
        (set_value("saved", "yesterday"), "Row 3: “yesterday” is not a time with its zone"),
        (set_value("saved", "2026-01-01T10:00:00"), "is not a time with its zone"),
        (set_value("saved", "0001-01-01T00:00:00+00:00"), "is not a time with its zone"),
        (set_value("comment", "half \ud800"), "Row 3: It contains an invalid character"),
        (lambda rows: rows.append(rows[0]), "Row 79: It repeats row 1: keep one of the two."),
        (lambda rows: rows[2].pop("labels"), "Row 3: It lacks the column labels"),
    ],
)
def test_a_row_that_does_not_fit_is_named_and_nothing_is_imported(
    change: Callable[[list[Any]], Any],
    sentence: str,
    store: ResultStore,
    labels: LabelStore,
    labelled: AnnotationQueue,
    tmp_path: Path,
) -> None:
    path = written(store, labelled, tmp_path, change)
    if "Carl" not in sentence:
        forget(store)
    before = labels.labels(labelled.id)
    with pytest.raises(DataError) as caught:
        import_labels(store, path)
    assert sentence in str(caught.value) and "\n" not in str(caught.value)
    assert labels.labels(labelled.id) == before


def test_every_wrong_row_is_listed(store: ResultStore, labelled: AnnotationQueue, tmp_path: Path) -> None:
    def change(rows: list[Any]) -> None:
        for number in (1, 4, 9):
            rows[number]["labels"] = ["terrible"]

    with pytest.raises(LabelFileError) as caught:
        import_labels(store, written(store, labelled, tmp_path, change))
    assert [number for number, _ in caught.value.rows] == [2, 5, 10]
    assert str(caught.value).endswith("2 more rows have errors. Nothing was imported.")


def test_labels_of_an_older_version_that_was_used_here_come_back(
    store: ResultStore, queues: QueueStore, labels: LabelStore, labelled: AnnotationQueue, tmp_path: Path
) -> None:
    changed = (replace(LABELS[0], definition="It is right."), *LABELS[1:])
    queues.use_version(labelled.id, replace(SEVERAL, version=2, labels=changed))
    review = labels.to_review(labelled.id)
    export_labels(store, queues.queue(labelled.id), "csv", tmp_path / "labels.csv")
    forget(store)
    import_labels(store, tmp_path / "labels.csv")
    assert labels.to_review(labelled.id) == review and len(review) == 26


def test_several_labels_are_refused_where_one_is_allowed(
    store: ResultStore, queues: QueueStore, labels: LabelStore, queue: AnnotationQueue, tmp_path: Path
) -> None:
    single = queues.create("Single", SINGLE, [1], per_language=1)
    labels.save(queues.item(single.id, 1), "Anna", ["good"])
    path = written(store, single, tmp_path, lambda rows: rows[0].update(labels=["good", "bad"]))
    with pytest.raises(LabelFileError, match="Row 1: good, bad are 2 labels"):
        import_labels(store, path)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("labels.txt", b"", "is not a file of labels: choose a .csv, .jsonl, .parquet or .json file."),
        ("labels.csv", b"", "has no rows"),
        ("labels.csv", b"a,b\n1,2\n", "Row 1: It lacks the column queue"),
        ("labels.csv", b"\xff\xfe", "is not text in UTF-8"),
        ("labels.csv", b'queue\n"open', "is not CSV"),
        ("labels.csv", b"item\nx\n", "Row 1: item is “x”, which cannot be read"),
        ("labels.jsonl", b"[1]\n", "Row 1: Its line is not a JSON object"),
        ("labels.jsonl", b"{\n{}\n", "Row 1: It is not JSON ("),
        ("labels.parquet", b"no", "The file is not Parquet"),
    ],
)
def test_a_file_that_is_not_one_of_labels_is_refused_in_one_sentence(
    name: str, content: bytes, sentence: str, store: ResultStore, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError) as caught:
        import_labels(store, tmp_path / name)
    assert sentence in str(caught.value) and "\n" not in str(caught.value)


def test_a_file_that_does_not_exist_is_named(store: ResultStore, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There is no file"):
        read_rows(tmp_path / "no.csv")


def test_a_queue_without_labels_and_an_unknown_format_write_no_file(
    store: ResultStore, queue: AnnotationQueue, tmp_path: Path
) -> None:
    for kind, sentence in (("csv", "Nothing is labelled in “Lights” yet"), ("xlsx", "Unknown format of labels")):
        with pytest.raises(UsageError, match=sentence):
            export_labels(store, queue, kind, tmp_path / "labels.csv")
    assert not (tmp_path / "labels.csv").exists()


def test_a_character_that_no_label_has_is_refused_in_each_format(
    store: ResultStore, queues: QueueStore, labels: LabelStore, queue: AnnotationQueue, tmp_path: Path
) -> None:
    labels.save(queues.item(queue.id, 1), "Anna", ["good"], "as it is")
    export_labels(store, queue, "csv", tmp_path / "labels.csv")
    export_labels(store, queue, "parquet", tmp_path / "labels.parquet")
    text = (tmp_path / "labels.csv").read_text(encoding="utf-8")
    (tmp_path / "labels.csv").write_text(text.replace("as it is", "as it\0is"), encoding="utf-8")
    table = pq.read_table(tmp_path / "labels.parquet")
    place = table.schema.get_field_index("comment")
    pq.write_table(table.set_column(place, "comment", [["as it\0is"]]), tmp_path / "labels.parquet")
    for name in ("labels.csv", "labels.parquet"):
        with pytest.raises(LabelFileError, match="Row 1: It contains the character NUL"):
            import_labels(store, tmp_path / name)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.annotation.files.label_files.SIZE_LIMIT", 1 << 20)
    (tmp_path / "labels.csv").write_bytes(b"\xff" * ((1 << 20) + 1))
    with pytest.raises(DataError, match=r"“labels\.csv” has more than 1 MiB: split it into several files"):
        read_rows(tmp_path / "labels.csv")
