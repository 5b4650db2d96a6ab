"""Labels: saved, kept, undone, refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.annotation.material import SINGLE, add_answers, complete_all
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue import AnnotationQueue, QueueItem
from workbench.annotation.queue_store import QueueStore
from workbench.annotation.text_spans import TextSpan, text_span
from workbench.core.errors import UsageError
from workbench.experiments.results.result_store import ResultStore


@pytest.fixture
def item(queues: QueueStore, queue: AnnotationQueue) -> QueueItem:
    item = queues.next_item(queue.id, "Anna", ("th",))
    assert item
    return item


def test_what_was_saved_is_what_is_read(labels: LabelStore, item: QueueItem) -> None:
    spans = (text_span(item.answer, 1, 4), text_span(item.answer, 9, 12))
    record = labels.save(item, "Anna", ["bad", "odd"], "Why?\n\tความเห็น", spans, taxonomy_version=1)
    assert labels.current(item, "Anna") == (record,)
    assert (record.labels, record.comment, record.spans) == (("bad", "odd"), "Why?\n\tความเห็น", spans)


def test_a_change_keeps_what_was_there(labels: LabelStore, item: QueueItem) -> None:
    for key in ("bad", "good"):
        labels.save(item, "Anna", [key])
    assert [record.labels for record in labels.current(item, "Anna")] == [("good",)]
    assert [record.labels for record in labels.history(item, "Anna")] == [("bad",), ("good",)]


def test_saving_the_same_again_adds_nothing(labels: LabelStore, item: QueueItem) -> None:
    first = labels.save(item, "Anna", ["bad"])
    assert labels.save(item, "Anna", ["bad"]) == first
    assert len(labels.history(item, "Anna")) == 1


def test_each_part_of_an_item_has_labels(labels: LabelStore, item: QueueItem) -> None:
    passage = "The keeper’s house burned."
    labels.save(item, "Anna", ["bad"], on="claim:2", spans=[text_span(item.answer, 0, 3)])
    labels.save(item, "Anna", ["odd"], on="question", spans=[text_span(item.question, 0, 3)])
    labels.save(item, "Anna", ["good"], on="passage:doc.1", spans=[text_span(passage, 4, 10)], text=passage)
    assert [record.on for record in labels.current(item, "Anna")] == ["claim:2", "passage:doc.1", "question"]


def test_two_people_do_not_see_each_others_labels(labels: LabelStore, item: QueueItem) -> None:
    labels.save(item, "Anna", ["bad"])
    labels.save(item, "Bela", ["good"])
    assert [labels.current(item, name)[0].labels for name in ("Anna", "Bela")] == [("bad",), ("good",)]


def test_a_label_keeps_whether_a_translation_was_shown(labels: LabelStore, item: QueueItem) -> None:
    labels.save(item, "Anna", ["bad"])
    labels.save(item, "Bela", ["bad"], translated=True)
    assert [labels.current(item, name)[0].translated for name in ("Anna", "Bela")] == [False, True]


def test_a_name_is_the_same_in_both_forms(labels: LabelStore, item: QueueItem) -> None:
    labels.save(item, "Andre\u0301 ", ["bad"])
    assert labels.current(item, "André")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"labels": ["x"]}, "Unknown label “x”. Allowed: good, bad, odd."),
        ({"labels": ["bad", "bad"]}, "listed twice"),
        ({"taxonomy_version": 2}, "is at version 1 now, and this label was given under version 2"),
        ({"on": "colour"}, "“colour” is not a part of an item. Allowed: answer, question, claim"),
        ({"on": "claim:x"}, "is not a part of an item"),
        ({"on": "claim:٣"}, "is not a part of an item"),
        ({"on": "claim:" + "1" * 300}, "is not a part of an item"),
        ({"on": "passage:"}, "is not a part of an item"),
        ({"comment": "x" * 5_001}, "The comment has 5,001 characters: shorten it to 5,000"),
        ({"comment": "half \ud800"}, "The comment contains an invalid character"),
        ({"spans": [TextSpan(0, 1, "I", "", "t")] * 201}, "There are 201 spans: mark 200 or fewer."),
        ({"annotator": ""}, "cannot be the name of the annotator"),
        ({"annotator": "a\x00b"}, "cannot be the name of the annotator"),
    ],
)
def test_a_label_that_cannot_be_is_refused_and_nothing_is_saved(
    change: dict[str, object], sentence: str, labels: LabelStore, item: QueueItem
) -> None:
    values = {"item": item, "annotator": "Anna", "labels": ["bad"], **change}
    with pytest.raises(UsageError) as caught:
        labels.save(**values)  # type: ignore[arg-type]
    assert sentence in str(caught.value) and labels.history(item, "Anna") == ()


def test_a_span_that_does_not_fit_is_refused(labels: LabelStore, item: QueueItem) -> None:
    with pytest.raises(UsageError, match="The text at"):
        labels.save(item, "Anna", ["bad"], spans=[replace(text_span(item.answer, 0, 3), text="other")])


def test_a_span_of_a_label_that_is_not_given_is_refused(labels: LabelStore, item: QueueItem) -> None:
    span = replace(text_span(item.answer, 0, 3), label="odd")
    labels.save(item, "Anna", ["odd"], spans=[span])
    with pytest.raises(UsageError, match="A span is of the label “odd”, which is not given"):
        labels.save(item, "Anna", ["bad"], spans=[span])


def test_a_span_in_a_passage_whose_text_is_unknown_is_refused(labels: LabelStore, item: QueueItem) -> None:
    with pytest.raises(UsageError, match="The text of passage:doc.1 is not stored here"):  # noqa: RUF043
        labels.save(item, "Anna", ["bad"], on="passage:doc.1", spans=[text_span("Some text", 0, 4)])


def test_a_span_in_a_passage_is_checked_against_its_first_text(labels: LabelStore, item: QueueItem) -> None:
    labels.save(item, "Anna", ["bad"], on="passage:doc.1", spans=[text_span("Some text", 0, 4)], text="Some text")
    with pytest.raises(UsageError, match="The text at"):
        labels.save(item, "Bela", ["bad"], on="passage:doc.1", spans=[text_span("Other text", 0, 5)], text="Other text")


def test_one_label_alone_where_the_taxonomy_allows_one(store: ResultStore) -> None:
    queues, labels = QueueStore(store), LabelStore(store)
    queue = queues.create("Q", SINGLE, add_answers(store), per_language=1)
    with pytest.raises(UsageError, match="allows one: choose one of them"):
        labels.save(queues.item(queue.id, 1), "Anna", ["good", "bad"])


def test_undo_goes_back_ten_steps_and_more(labels: LabelStore, item: QueueItem) -> None:
    steps = [labels.save(item, "Anna", ["bad"], f"comment {number}") for number in range(12)]
    for number in range(11, 0, -1):
        assert labels.undo(item.queue, "Anna") == item
        assert labels.current(item, "Anna") == (steps[number - 1],)
    labels.undo(item.queue, "Anna")
    assert labels.current(item, "Anna") == () and labels.undo(item.queue, "Anna") is None
    assert len(labels.history(item, "Anna")) == 12


def test_undo_goes_back_over_items_and_opens_them_again(
    queues: QueueStore, labels: LabelStore, queue: AnnotationQueue
) -> None:
    order = []
    while item := queues.next_item(queue.id, "Anna"):
        order.append(item)
        labels.save(item, "Anna", ["good"])
        labels.complete(item, "Anna")
    for expected in order[:-11:-1]:
        assert labels.undo(queue.id, "Anna") == expected
        assert not labels.is_complete(expected, "Anna")
        assert labels.current(expected, "Anna")[0].labels == ("good",)
        assert labels.undo(queue.id, "Anna") == expected
        assert labels.current(expected, "Anna") == ()
    assert queues.progress(queue.id).complete == 3


def test_a_choice_of_none_that_completing_wrote_is_undone_with_it(labels: LabelStore, item: QueueItem) -> None:
    labels.complete(item, "Anna")
    assert labels.undo(item.queue, "Anna") == item
    assert labels.current(item, "Anna") == () and not labels.is_complete(item, "Anna")
    assert labels.undo(item.queue, "Anna") is None


def test_a_change_after_completing_is_undone_alone(labels: LabelStore, item: QueueItem) -> None:
    labels.save(item, "Anna", ["good"])
    labels.complete(item, "Anna")
    labels.save(item, "Anna", ["bad"])
    labels.undo(item.queue, "Anna")
    assert labels.current(item, "Anna")[0].labels == ("good",) and labels.is_complete(item, "Anna")


def test_what_was_done_before_a_session_began_is_not_undone_in_it(labels: LabelStore, item: QueueItem) -> None:
    labels.save(item, "Anna", ["good"], now=100.0)
    labels.complete(item, "Anna", now=101.0)
    assert labels.undo(item.queue, "Anna", since=102.0) is None
    assert labels.is_complete(item, "Anna")
    labels.save(item, "Anna", ["bad"], now=103.0)
    assert labels.undo(item.queue, "Anna", since=102.0) == item
    assert labels.current(item, "Anna")[0].labels == ("good",)


def test_undo_leaves_others_alone(labels: LabelStore, item: QueueItem) -> None:
    labels.save(item, "Anna", ["bad"])
    labels.save(item, "Bela", ["good"])
    labels.undo(item.queue, "Anna")
    assert labels.current(item, "Bela")[0].labels == ("good",) and labels.undo(item.queue, "Anna") is None


def test_after_undo_a_new_label_follows_what_is_left(labels: LabelStore, item: QueueItem) -> None:
    for key in ("good", "bad"):
        labels.save(item, "Anna", [key])
    labels.undo(item.queue, "Anna")
    labels.save(item, "Anna", ["odd"])
    labels.undo(item.queue, "Anna")
    assert labels.current(item, "Anna")[0].labels == ("good",)


def test_an_item_completed_without_a_label_has_none_of_them(labels: LabelStore, item: QueueItem) -> None:
    labels.complete(item, "Anna")
    assert [record.labels for record in labels.current(item, "Anna")] == [()]
    assert labels.is_complete(item, "Anna")


def test_the_labels_of_a_queue_are_listed_with_those_who_gave_them(
    queues: QueueStore, labels: LabelStore, queue: AnnotationQueue
) -> None:
    for person in ("Anna", "Bela"):
        complete_all(queues, labels, queue, person)
    assert [(record.number, record.annotator) for record in labels.labels(queue.id)][:3] == [
        (1, "Anna"),
        (1, "Bela"),
        (2, "Anna"),
    ]
