"""A judge's mean corrected by people's labels: from random samples alone, and from enough of them."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from tests.annotation.labelled import VALUED, add_scored, label_all, noisy, truth
from workbench.annotation.analysis.metric_trust import (
    NOT_DRAWN,
    JudgeCorrection,
    LabelledScores,
    check_sample,
    judge_corrections,
)
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue import AnnotationQueue
from workbench.annotation.queue_store import QueueStore
from workbench.experiments.results.result_store import ResultStore
from workbench.workspace import annotation_tables as t

JUDGE = "correctness@openai-like:m+ul"


def corrections(store: ResultStore, queue: AnnotationQueue) -> dict[str, JudgeCorrection]:
    scores = LabelledScores(store, queue)
    check = check_sample(store, queue, list(scores.runs))
    return {row.language: row for row in judge_corrections(scores, JUDGE, check)}


def test_a_judge_that_is_too_kind_is_corrected_to_what_people_say(store: ResultStore) -> None:
    kind = noisy(2, 0.8)
    runs = add_scored(store, ["th", "fi"], 400, {JUDGE: lambda number: max(kind(number), float(number % 5 == 0))})
    rows = corrections(store, label_all(store, runs, 80))
    expected = sum(truth(number) for number in range(400)) / 400
    for code in ("", "th", "fi"):
        mean = rows[code].mean
        assert mean is not None and mean.low < expected < mean.high
        assert mean.high - mean.low < mean.labels_high - mean.labels_low
        assert mean.value == pytest.approx(mean.judge_mean + mean.rectifier)
    assert (rows["th"].labelled, rows["th"].judged, rows[""].labelled) == (80, 400, 160)


def test_too_few_labels_have_a_reason_and_no_interval(store: ResultStore) -> None:
    runs = add_scored(store, ["th"], 200, {JUDGE: noisy(2, 0.8)})
    row = corrections(store, label_all(store, runs, 49))["th"]
    assert row.mean is None and row.reason.startswith("At least 50 labelled and scored answers are needed")


def test_a_language_that_nobody_labelled_yet_is_not_left_out_of_all_languages(store: ResultStore) -> None:
    runs = add_scored(store, ["en", "fi"], 150, {JUDGE: noisy(2, 0.8)})
    queues, labels = QueueStore(store), LabelStore(store)
    queue = queues.create("Verdicts", VALUED, runs, per_language=60, annotators_per_item=1)
    while item := queues.next_item(queue.id, "Anna", languages=("en",)):
        labels.save(item, "Anna", ["right"])
        labels.complete(item, "Anna")
    rows = corrections(store, queue)
    assert rows["en"].mean is not None
    assert rows[""].mean is None and rows[""].judged == 300
    assert rows["fi"].reason.endswith("there are 0.")


def test_items_that_the_seed_did_not_draw_say_nothing_about_the_others(store: ResultStore) -> None:
    runs = add_scored(store, ["th"], 200, {JUDGE: noisy(2, 0.8)})
    queue = label_all(store, runs, 60)
    with store.engine.begin() as connection:
        condition = (t.items.c.queue == queue.id, t.items.c.number == 1)
        connection.execute(update(t.items).where(*condition).values(instance_key="picked/0/by-hand/th"))
    row = corrections(store, queue)["th"]
    assert row.mean is None and row.reason == NOT_DRAWN


def test_a_language_with_an_item_that_was_put_off_does_not_count_until_it_is_labelled(store: ResultStore) -> None:
    runs = add_scored(store, ["th", "fi"], 200, {JUDGE: noisy(2, 0.8)})
    queue = label_all(store, runs, 60)
    queues, labels = QueueStore(store), LabelStore(store)
    item = next(item for item in queues.items(queue.id) if item.language == "th")
    place = (t.places.c.queue == queue.id, t.places.c.number == item.number)
    with store.engine.begin() as connection:
        connection.execute(update(t.places).where(*place).values(complete=False, skipped=1.0))
    rows = corrections(store, queue)
    assert rows["th"].mean is None and rows["th"].reason.startswith("1 of its answers were put off")
    assert rows["fi"].mean is not None and rows[""].mean is None
    labels.complete(item, "Anna")
    assert corrections(store, queue)["th"].mean is not None


def test_undecided_answers_are_counted_and_in_neither_part(store: ResultStore) -> None:
    runs = add_scored(store, ["th"], 200, {JUDGE: noisy(2, 0.8)})
    queue = label_all(
        store, runs, 100, rule=lambda number: "unclear" if number % 7 == 0 else "right" if truth(number) else "wrong"
    )
    row = corrections(store, queue)["th"]
    assert row.mean is not None and row.undecided > 0
    assert row.labelled + row.undecided == 100 and row.judged == 200 - row.undecided


def test_where_every_answer_is_labelled_there_is_nothing_to_infer(store: ResultStore) -> None:
    runs = add_scored(store, ["th"], 60, {JUDGE: noisy(2, 0.8)})
    row = corrections(store, label_all(store, runs, 60))["th"]
    assert row.mean is None and row.reason.startswith("All scored answers are labelled")


def test_a_queue_that_nobody_labelled_has_no_rows(store: ResultStore, queues: QueueStore) -> None:
    runs = add_scored(store, ["th"], 60, {JUDGE: noisy(2, 0.8)})
    assert corrections(store, queues.create("Empty", VALUED, runs, per_language=10)) == {}
