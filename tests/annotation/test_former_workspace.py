"""A workspace that the release before wrote, with a queue that two people labelled: it opens and loses nothing.

`former_workspace.sql` is the dump of a database that the code of that release made, at migration 5.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine, inspect

from tests.annotation.material import url
from workbench.annotation.adjudication import AdjudicationStore
from workbench.annotation.analysis.agreement import agreement
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue import AnnotationQueue
from workbench.annotation.queue_store import QueueStore
from workbench.experiments.results.result_store import ResultStore
from workbench.workspace.database import open_store

pytestmark = pytest.mark.sqlite

DUMP = Path(__file__).with_name("former_workspace.sql")
LABELS = {
    (1, "Anna"): (("good",), "comment 3 🙂 ﷺ"),
    (1, "Älva"): (("bad", "odd"), "comment 6 🙂 ﷺ"),
    (2, "Anna"): (("good",), "comment 1 🙂 ﷺ"),
    (2, "Älva"): (("bad", "odd"), "comment 7 🙂 ﷺ"),
    (3, "Anna"): (("bad",), "comment 2 🙂 ﷺ"),
    (3, "Älva"): (("bad", "odd"), "comment 5 🙂 ﷺ"),
    (4, "Anna"): (("good",), "comment 4 🙂 ﷺ"),
}
"""What counts in the dump, by item and person; a label of “odd” that Anna took back does not."""


@pytest.fixture
def store(tmp_path: Path) -> ResultStore:
    with closing(sqlite3.connect(tmp_path / "workbench.db")) as connection:
        connection.executescript(DUMP.read_text("utf-8"))
    return ResultStore.at(url(tmp_path))


@pytest.fixture
def queue(store: ResultStore) -> AnnotationQueue:
    (queue,) = QueueStore(store).queues()
    return queue


def _tables(engine: Engine) -> dict[str, tuple[object, ...]]:
    database = inspect(engine)
    return {
        name: (
            {column["name"]: (str(column["type"]), column["nullable"]) for column in database.get_columns(name)},
            {index["name"]: index["column_names"] for index in database.get_indexes(name)},
        )
        for name in database.get_table_names()
    }


def test_its_tables_are_those_of_a_new_workspace(store: ResultStore, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    assert _tables(store.engine) == _tables(open_store(url(tmp_path / "new")))


def test_every_label_is_there_as_it_was_given(store: ResultStore, queue: AnnotationQueue) -> None:
    records = LabelStore(store).labels(queue.id)
    assert {(row.number, row.annotator): (row.labels, row.comment) for row in records} == LABELS
    assert not any(record.translated for record in records)


def test_a_label_that_was_taken_back_stays_taken_back(store: ResultStore, queue: AnnotationQueue) -> None:
    history = LabelStore(store).history(QueueStore(store).item(queue.id, 1), "Anna")
    assert [row.labels for row in history] == [("good",), ("odd",)]


def test_what_people_completed_and_put_off_is_known(store: ResultStore, queue: AnnotationQueue) -> None:
    queues = QueueStore(store)
    assert queues.completed(queue.id) == set(LABELS)
    item = queues.next_item(queue.id, "Älva")
    assert item is not None and item.number == 4


def test_its_labels_can_be_compared_decided_on_and_continued(store: ResultStore, queue: AnnotationQueue) -> None:
    queues, labels, decisions = QueueStore(store), LabelStore(store), AdjudicationStore(store)
    first = decisions.disagreements(queue.id)[0]
    decisions.decide(first.item, first.on, ["good"], "text", "Bo")
    assert [row.labels for row in decisions.decisions(queue.id)] == [("good",)]
    assert [row.n for row in agreement(queues, labels, queue.id) if row.label == "bad" and not row.language] == [3]
    item = queues.item(queue.id, 4)
    labels.save(item, "Älva", ["good"])
    labels.complete(item, "Älva")
    assert [row.n for row in agreement(queues, labels, queue.id) if row.label == "bad" and not row.language] == [4]
