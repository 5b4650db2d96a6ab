"""What people have done and how fast: counted by person and language, without their pauses."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.annotation.material import SEVERAL
from workbench.annotation.analysis.pace import PAUSE, AnnotatorPace, pace_frame, paces
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue import AnnotationQueue, QueueItem
from workbench.annotation.queue_store import QueueStore
from workbench.experiments.results.result_store import ResultStore

START = 1_800_000_000.0


def complete(labels: LabelStore, item: QueueItem, person: str, at: float, *keys: str) -> None:
    """Labels and completes an item that many seconds after the start."""
    labels.save(item, person, keys or ["good"], now=START + at)
    labels.complete(item, person, now=START + at)


def total(store: ResultStore, queue: AnnotationQueue, person: str) -> AnnotatorPace:
    """A person's row for all languages."""
    return next(row for row in paces(store, queue.id) if (row.annotator, row.language) == (person, ""))


@pytest.fixture
def items(queues: QueueStore, queue: AnnotationQueue) -> tuple[QueueItem, ...]:
    return queues.items(queue.id)


def test_the_time_of_an_item_is_from_the_completion_before_to_its_own(
    store: ResultStore, labels: LabelStore, queue: AnnotationQueue, items: tuple[QueueItem, ...]
) -> None:
    for item, at in zip(items, (0, 10, 40, 60), strict=False):
        complete(labels, item, "Ada", at)
    row = total(store, queue, "Ada")
    assert (row.items, row.timed, row.seconds) == (4, 3, 20)


def test_a_pause_is_left_out_and_counted(
    store: ResultStore, labels: LabelStore, queue: AnnotationQueue, items: tuple[QueueItem, ...]
) -> None:
    for item, at in zip(items, (0, PAUSE, 2 * PAUSE + 1), strict=False):
        complete(labels, item, "Ada", at)
    row = total(store, queue, "Ada")
    assert (row.seconds, row.timed, row.pauses) == (PAUSE, 1, 1)


def test_a_first_item_has_no_time(
    store: ResultStore, labels: LabelStore, queue: AnnotationQueue, items: tuple[QueueItem, ...]
) -> None:
    complete(labels, items[0], "Ada", 0)
    row = total(store, queue, "Ada")
    assert (row.items, row.seconds, row.timed) == (1, None, 0)


def test_others_at_the_same_time_do_not_shorten_a_persons_times(
    store: ResultStore, labels: LabelStore, queue: AnnotationQueue, items: tuple[QueueItem, ...]
) -> None:
    for number, item in enumerate(items[:3]):
        complete(labels, item, "Ada", 30 * number)
        complete(labels, item, "Bea", 30 * number + 7)
    assert total(store, queue, "Ada").seconds == total(store, queue, "Bea").seconds == 30


def test_each_language_has_its_row_with_the_labels_that_are_given_now(
    store: ResultStore, labels: LabelStore, queue: AnnotationQueue, items: tuple[QueueItem, ...]
) -> None:
    complete(labels, items[0], "Ada", 0, "good", "odd")
    complete(labels, items[1], "Ada", 12, "bad")
    labels.save(items[2], "Ada", ["bad"], now=START + 20)
    labels.undo(queue.id, "Ada", now=START + 25)
    rows = {row.language: (row.labels, row.items, row.seconds) for row in paces(store, queue.id)}
    first, second, third = (item.language for item in items[:3])
    assert rows == {"": (3, 2, 12), first: (2, 1, None), second: (1, 1, 12), third: (0, 0, None)}


def test_taking_back_counts_as_activity(
    store: ResultStore, labels: LabelStore, queue: AnnotationQueue, items: tuple[QueueItem, ...]
) -> None:
    labels.save(items[0], "Ada", ["bad"], now=START)
    labels.undo(queue.id, "Ada", now=START + 25)
    assert total(store, queue, "Ada").last_active == START + 25


def test_another_queue_is_not_counted(
    store: ResultStore, queues: QueueStore, labels: LabelStore, queue: AnnotationQueue, items: tuple[QueueItem, ...]
) -> None:
    other = queues.create("Other", SEVERAL, [run.id for run in store.of(items[0].experiment_id).runs()], per_language=1)
    complete(labels, items[0], "Ada", 0)
    assert paces(store, other.id) == ()


def test_the_file_names_the_time_zone_and_all_languages(
    store: ResultStore, labels: LabelStore, queue: AnnotationQueue, items: tuple[QueueItem, ...]
) -> None:
    complete(labels, items[0], "Ada", 0)
    frame = pace_frame(paces(store, queue.id))
    assert list(frame["language"]) == ["all", items[0].language]
    assert set(frame["last_active"]) == {"2027-01-15T08:00:00+00:00"}


def test_an_answer_that_is_shown_twice_counts_once_as_it_does_in_the_bar(
    store: ResultStore, queues: QueueStore, labels: LabelStore, queue: AnnotationQueue, items: tuple[QueueItem, ...]
) -> None:
    for at, item in enumerate((items[0], replace(items[0], showing=2), items[1])):
        complete(labels, item, "Ada", 10.0 * at)
    row = total(store, queue, "Ada")
    assert (row.items, row.labels, row.timed) == (2, 2, 2)
    assert queues.progress(queue.id).annotators == {"Ada": 2}
