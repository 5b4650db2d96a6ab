"""Queues: what is drawn, who gets what next, and how far everything is."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest

from tests.annotation.material import LABELS, SEVERAL, SINGLE, TEXTS, add_answers, complete_all, url
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue import AnnotationQueue
from workbench.annotation.queue_store import APART, RESERVATION, QueueStore
from workbench.core.errors import UsageError
from workbench.core.records import Question
from workbench.experiments.results.result_store import ResultStore
from workbench.experiments.results.writer import CellResult, RunRow, Writer, add_experiment, remove

NOW = 1_000_000.0


def test_a_queue_holds_answers_of_each_language(queues: QueueStore, queue: AnnotationQueue) -> None:
    items = queues.items(queue.id)
    assert sorted(item.language for item in items) == sorted(TEXTS)
    assert [item.number for item in items] == list(range(1, 14))


def test_an_items_texts_are_in_nfc(store: ResultStore, queues: QueueStore, queue: AnnotationQueue) -> None:
    for item in queues.items(queue.id):
        assert item.answer == unicodedata.normalize("NFC", TEXTS[item.language][1])


def test_a_queue_is_stored_as_it_was_created(queues: QueueStore, queue: AnnotationQueue) -> None:
    assert queues.queues() == (queue,)
    assert queues.queue("Lights") == queues.queue(queue.id) == queue


def test_the_same_seed_draws_the_same_answers_in_another_workspace(tmp_path: Path) -> None:
    drawn = []
    for place in ("one", "other"):
        store = ResultStore.at(url(tmp_path / place))
        queues = QueueStore(store)
        queue = queues.create("Q", SEVERAL, add_answers(store, questions=6, runs=2), per_language=3, seed=7)
        drawn.append([(item.language, item.question_name, item.run_number) for item in queues.items(queue.id)])
    assert drawn[0] == drawn[1]


def test_another_seed_draws_other_answers(store: ResultStore, queues: QueueStore) -> None:
    runs = add_answers(store, questions=6)
    one, other = (queues.create(f"Q{seed}", SEVERAL, runs, per_language=2, seed=seed) for seed in (1, 2))
    keys = [{item.instance_key for item in queues.items(queue.id)} for queue in (one, other)]
    assert keys[0] != keys[1] and {len(some) for some in keys} == {26}


def test_drawing_more_adds_to_what_was_drawn(store: ResultStore, queues: QueueStore) -> None:
    runs = add_answers(store, questions=6)
    few, many = (queues.create(f"Q{n}", SEVERAL, runs, per_language=n, seed=1) for n in (2, 4))
    keys = [{item.instance_key for item in queues.items(queue.id)} for queue in (few, many)]
    assert keys[0] < keys[1]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"name": "Lights"}, "There is a queue called “Lights” already"),
        ({"name": " "}, "cannot be the name of the queue"),
        ({"per_language": 0}, "The answers per language cannot be 0: type a number from 1 to 10,000."),
        ({"annotators_per_item": 51}, "The annotators per item cannot be 51"),
        ({"twice_share": 1.5}, "The share of items shown twice cannot be 1.5"),
        ({"runs": [999]}, "These runs have no answers to label"),
    ],
)
def test_a_queue_that_cannot_be_is_refused_and_not_stored(
    change: dict[str, object], sentence: str, queues: QueueStore, queue: AnnotationQueue
) -> None:
    values = {"name": "Other", "taxonomy": SEVERAL, "runs": [1], "per_language": 1, **change}
    with pytest.raises(UsageError, match=sentence):
        queues.create(**values)  # type: ignore[arg-type]
    assert queues.queues() == (queue,)


def test_an_unknown_queue_is_answered_with_the_known(queues: QueueStore, queue: AnnotationQueue) -> None:
    with pytest.raises(UsageError, match="Unknown queue “x”. Allowed: Lights."):  # noqa: RUF043
        queues.queue("x")


def test_asking_again_gives_the_same_item(queues: QueueStore, queue: AnnotationQueue) -> None:
    assert queues.next_item(queue.id, "Anna", now=NOW) == queues.next_item(queue.id, "Anna", now=NOW + 60)


def test_each_person_has_an_order_of_their_own(queues: QueueStore, labels: LabelStore, queue: AnnotationQueue) -> None:
    orders = []
    for person in ("Anna", "Bela"):
        numbers = []
        while item := queues.next_item(queue.id, person):
            numbers.append(item.number)
            labels.complete(item, person)
        orders.append(numbers)
    assert orders[0] != orders[1] and sorted(orders[0]) == sorted(orders[1]) == list(range(1, 14))


def test_a_person_gets_only_languages_that_they_read(
    queues: QueueStore, labels: LabelStore, queue: AnnotationQueue
) -> None:
    codes = set()
    while item := queues.next_item(queue.id, "Anna", ("th", "ar")):
        codes.add(item.language)
        labels.complete(item, "Anna")
    assert codes == {"th", "ar"}


def test_a_third_person_gets_nothing_of_what_two_have(queues: QueueStore, queue: AnnotationQueue) -> None:
    for person in ("Anna", "Bela"):
        assert queues.next_item(queue.id, person, ("th",), NOW)
    assert queues.next_item(queue.id, "Carl", ("th",), NOW) is None


def test_a_reservation_lapses(queues: QueueStore, queue: AnnotationQueue) -> None:
    for person in ("Anna", "Bela"):
        queues.next_item(queue.id, person, ("th",), NOW)
    item = queues.next_item(queue.id, "Carl", ("th",), NOW + RESERVATION + 1)
    assert item is not None and item.language == "th"


def test_a_renewed_reservation_lapses_later(queues: QueueStore, queue: AnnotationQueue) -> None:
    for person in ("Anna", "Bela"):
        item = queues.next_item(queue.id, person, ("th",), NOW)
        assert item
        queues.renew(item, person, NOW + RESERVATION - 1)
    assert queues.next_item(queue.id, "Carl", ("th",), NOW + RESERVATION + 1) is None


def test_a_place_with_a_label_never_lapses(queues: QueueStore, labels: LabelStore, queue: AnnotationQueue) -> None:
    for person in ("Anna", "Bela"):
        item = queues.next_item(queue.id, person, ("th",), NOW)
        assert item
        labels.save(item, person, ["bad"], now=NOW)
    assert queues.next_item(queue.id, "Carl", ("th",), NOW + 1e9) is None


def test_who_comes_back_too_late_is_told_and_nothing_is_saved(
    queues: QueueStore, labels: LabelStore, queue: AnnotationQueue
) -> None:
    item = queues.next_item(queue.id, "Anna", ("th",), NOW)
    assert item
    for person in ("Bela", "Carl"):
        queues.next_item(queue.id, person, ("th",), NOW + RESERVATION + 1)
    with pytest.raises(UsageError, match=r"Your reservation of item .* lapsed, and others"):
        labels.save(item, "Anna", ["bad"], now=NOW + RESERVATION + 2)
    assert labels.current(item, "Anna") == ()


def test_an_item_that_was_put_off_comes_back_last(
    queues: QueueStore, labels: LabelStore, queue: AnnotationQueue
) -> None:
    first = queues.next_item(queue.id, "Anna", now=NOW)
    assert first
    queues.skip(first, "Anna", NOW + 1)
    numbers = []
    while item := queues.next_item(queue.id, "Anna"):
        numbers.append(item.number)
        labels.complete(item, "Anna")
    assert (len(numbers), numbers[-1]) == (13, first.number)


def test_an_item_that_was_put_off_is_free_for_others(queues: QueueStore, queue: AnnotationQueue) -> None:
    for person in ("Anna", "Bela"):
        item = queues.next_item(queue.id, person, ("th",), NOW)
        assert item
        queues.skip(item, person, NOW)
    assert queues.next_item(queue.id, "Carl", ("th",), NOW + 1)


def test_a_share_of_the_items_is_shown_twice_to_the_same_person(
    store: ResultStore, queues: QueueStore, labels: LabelStore
) -> None:
    queue = queues.create("Q", SEVERAL, add_answers(store, 4), per_language=4, annotators_per_item=1, twice_share=0.5)
    shown = []
    while item := queues.next_item(queue.id, "Anna"):
        shown.append((item.number, item.showing))
        labels.complete(item, "Anna")
    twice = [number for number, showing in shown if showing == 2]
    assert 13 < len(twice) < 39 and len(shown) == len(set(shown)) == 52 + len(twice)
    gaps = [shown.index((number, 2)) - shown.index((number, 1)) for number in twice]
    assert sum(gap > APART for gap in gaps) > 0.8 * len(gaps)


def test_a_second_showing_begins_without_the_labels_of_the_first(
    store: ResultStore, queues: QueueStore, labels: LabelStore
) -> None:
    queue = queues.create("Q", SEVERAL, add_answers(store), per_language=1, twice_share=1.0)
    complete_all(queues, labels, queue, "Anna", "bad")
    second = queues.item(queue.id, 1, showing=2)
    for _ in range(2):  # that the last item is complete, then its label
        labels.undo(queue.id, "Anna")
    assert {len(labels.current(queues.item(queue.id, number, 2), "Anna")) for number in range(1, 14)} == {0, 1}
    assert labels.current(replace(second, showing=1), "Anna")[0].showing == 1


def test_previous_goes_back_item_by_item(queues: QueueStore, labels: LabelStore, queue: AnnotationQueue) -> None:
    numbers = []
    for _ in range(3):
        item = queues.next_item(queue.id, "Anna")
        assert item
        numbers.append(item.number)
        labels.complete(item, "Anna")
    back, item = [], queues.previous(queue.id, "Anna")
    while item:
        back.append(item.number)
        item = queues.previous(queue.id, "Anna", item)
    assert back == numbers[::-1]


def test_progress_counts_places_people_and_languages(
    queues: QueueStore, labels: LabelStore, queue: AnnotationQueue
) -> None:
    complete_all(queues, labels, queue, "Anna")
    queues.next_item(queue.id, "Bela", ("th",))
    progress = queues.progress(queue.id)
    assert (progress.items, progress.places, progress.complete, progress.reserved) == (13, 26, 13, 1)
    assert progress.languages["th"] == (1, 2)
    assert progress.annotators == {"Anna": 13, "Bela": 0}


def test_an_item_leads_to_its_cell(queues: QueueStore, queue: AnnotationQueue) -> None:
    for item in queues.items(queue.id):
        cell = queues.instance(item)
        assert cell and (cell.language, cell.output) == (item.language, TEXTS[item.language][1])


def test_labels_outlive_the_experiment(
    store: ResultStore, queues: QueueStore, labels: LabelStore, queue: AnnotationQueue
) -> None:
    complete_all(queues, labels, queue, "Anna")
    remove(store.engine, queue.runs[0].partition("/")[0])
    assert queues.instance(queues.item(queue.id, 1)) is None
    assert len(labels.labels(queue.id)) == 13 and queues.item(queue.id, 1).answer


def test_a_newer_version_marks_the_labels_that_it_touches(
    queues: QueueStore, labels: LabelStore, queue: AnnotationQueue
) -> None:
    for number, key in ((1, "good"), (2, "bad"), (3, "bad")):
        labels.save(queues.item(queue.id, number), "Anna", [key])
    changed = (LABELS[0], replace(LABELS[1], definition="Half of it is wrong."), LABELS[2])
    assert queues.use_version(queue.id, replace(SEVERAL, version=2, labels=changed)) == 2
    assert [record.number for record in labels.to_review(queue.id, "Anna")] == [2, 3]
    assert queues.progress(queue.id).to_review == 2 and queues.queue(queue.id).version == 2


def test_a_label_saved_again_under_the_newer_version_is_settled(
    queues: QueueStore, labels: LabelStore, queue: AnnotationQueue
) -> None:
    item = queues.item(queue.id, 1)
    labels.save(item, "Anna", ["bad"])
    changed = (LABELS[0], replace(LABELS[1], definition="Half of it is wrong."), LABELS[2])
    queues.use_version(queue.id, replace(SEVERAL, version=2, labels=changed))
    labels.save(item, "Anna", ["bad"])
    assert labels.to_review(queue.id) == ()
    assert [record.version for record in labels.history(item, "Anna")] == [1, 2]


def test_a_changed_taxonomy_with_the_same_version_is_refused(queues: QueueStore, queue: AnnotationQueue) -> None:
    with pytest.raises(UsageError, match="write “version: 2” into its file"):
        queues.use_version(queue.id, replace(SEVERAL, labels=LABELS[:2]))
    assert queues.taxonomy_of(queue.id) == SEVERAL


def test_an_older_version_and_another_taxonomy_are_refused(queues: QueueStore, queue: AnnotationQueue) -> None:
    queues.use_version(queue.id, replace(SEVERAL, version=3))
    with pytest.raises(UsageError, match="uses version 3 of “team-errors”, and this is version 2"):
        queues.use_version(queue.id, replace(SEVERAL, version=2))
    with pytest.raises(UsageError, match="is labelled by “team-errors”, not “team-verdict”"):
        queues.use_version(queue.id, SINGLE)


def test_answers_in_languages_that_a_person_does_not_read_wait_for_others_and_are_counted(
    store: ResultStore, queues: QueueStore
) -> None:
    run = RunRow(0, "run", "lights", "lights", "multirag", "all", "p", "extractive", 5, "none", "{}", "f0")
    experiment = add_experiment(store.engine, "Lights", "matrix", "", 4, "none", [run])
    languages = [("q1", "fi"), ("q2", "en"), ("q3", "sv"), ("q4", "")]
    cells = [CellResult(0, Question(name, "Milloin?", "fi"), "1874", code) for name, code in languages]
    Writer(store.engine, experiment, ()).write("generate", 0, "lights", cells)
    runs = [row.id for row in store.of(experiment).runs()]
    queue = queues.create("Finnish", SEVERAL, runs, per_language=9, annotators_per_item=3)
    assert queues.languages(queue.id) == ("en", "fi", "sv")
    assert queues.other_answers(queue.id, ["fi", "en"]) == {"sv": 1}
    given = {name: _names(queues, queue, name, codes) for name, codes in (("Anna", ["fi"]), ("Bela", ["fi", "en"]))}
    assert given == {"Anna": {"q1", "q4"}, "Bela": {"q1", "q2", "q4"}}
    assert _names(queues, queue, "Carl", ["fi"], any_answer=True) == {"q1", "q2", "q3", "q4"}


def _names(
    queues: QueueStore, queue: AnnotationQueue, person: str, codes: list[str], *, any_answer: bool = False
) -> set[str]:
    """The questions that a person is given, who puts off each of them once."""
    names: set[str] = set()
    while (
        item := queues.next_item(queue.id, person, codes, any_answer=any_answer)
    ) and item.question_name not in names:
        names.add(item.question_name)
        queues.skip(item, person)
    return names
