"""Which labels people exchange, and what a merge would do to agreement."""

from __future__ import annotations

import numpy as np
import pytest

from tests.annotation.labelled import VALUED, add_scored, label_all, noisy
from tests.annotation.material import SEVERAL, SINGLE
from workbench.annotation.analysis.agreement import label_merging, merging_of
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue_store import QueueStore
from workbench.experiments.results.result_store import ResultStore
from workbench.metrics.statistics.agreement import krippendorff_alpha


def sets(*answers: str) -> list[list[frozenset[str]]]:
    """Answers as “good bad|odd”: people apart by |, the labels of one by blanks."""
    return [[frozenset(person.split()) for person in answer.split("|")] for answer in answers]


CONFUSED = [*["good|bad"] * 12, *["bad|good"] * 12, *["good|good"] * 6, *["bad|bad"] * 6, *["odd|odd"] * 30]


def test_exchanges_are_counted_by_pairs_of_people_and_by_answers() -> None:
    result = merging_of(SINGLE, sets("good|bad|bad", "good|bad", "good|good", "odd|good", "good"))
    rows = {(row.first, row.second): (row.exchanged, row.pairs, row.together) for row in result.pairs}
    assert rows == {("good", "bad"): (2, 3, 4), ("good", "odd"): (1, 1, 4)}
    assert result.n == 4


def test_merging_labels_that_nobody_tells_apart_raises_alpha_with_an_interval_above_0() -> None:
    (row,) = merging_of(SINGLE, sets(*CONFUSED)).pairs
    assert (row.first, row.second) == ("good", "bad")
    assert row.after.value == pytest.approx(1.0)
    assert row.change.low is not None and row.change.low > 0


def test_alpha_before_and_after_is_that_of_the_labels_and_of_the_merged_labels() -> None:
    answers = sets(*CONFUSED, *["good|odd"] * 5)
    singles = [[next(iter(labels)) for labels in unit] for unit in answers]
    merged = [["good" if label == "bad" else label for label in unit] for unit in singles]
    row = merging_of(SINGLE, answers).pairs[0]
    assert row.before.value == pytest.approx(krippendorff_alpha(singles).score.value)
    assert row.after.value == pytest.approx(krippendorff_alpha(merged).score.value)
    assert row.change.value == pytest.approx((row.after.value or 0) - (row.before.value or 0))


def test_merging_labels_that_people_tell_apart_is_no_gain() -> None:
    answers = [*["good|good"] * 30, *["bad|bad"] * 30, *["odd|good"] * 6, *["odd|odd"] * 2, "good|bad"]
    (row,) = [row for row in merging_of(SINGLE, sets(*answers)).pairs if (row.first, row.second) == ("good", "bad")]
    assert (row.change.value or 0) < 0 and row.change.low is not None and row.change.low < 0


def test_where_several_labels_are_allowed_one_that_both_gave_is_not_exchanged() -> None:
    result = merging_of(SEVERAL, sets(*["good odd|bad odd"] * 24, *["odd|odd"] * 20))
    assert [(row.first, row.second) for row in result.pairs] == [("good", "bad")]
    assert result.pairs[0].after.value == pytest.approx(1.0)


def test_few_answers_are_counted_without_alpha() -> None:
    (row,) = merging_of(SINGLE, sets("good|bad", "good|good")).pairs
    assert (row.exchanged, row.before.value, row.change.value, row.change.low) == (1, None, None, None)


def test_a_queue_is_looked_at_by_language(store: ResultStore, queues: QueueStore, labels: LabelStore) -> None:
    runs = add_scored(store, ["th", "fi"], 12, {"em": noisy(1, 0.9)})
    turns = iter(np.arange(10_000))
    queue = label_all(
        store, runs, 12, rule=lambda _: "right" if next(turns) < 24 else "wrong", people=("A", "B"), taxonomy=VALUED
    )
    assert label_merging(queues, labels, queue.id).n == 24
    thai = label_merging(queues, labels, queue.id, "th")
    assert thai.n == 12 and thai.pairs[0].exchanged == 12


@pytest.mark.filterwarnings("error")
def test_resamples_without_an_answer_of_two_labels_have_no_alpha_and_no_warning() -> None:
    answers = [*([[frozenset(), frozenset({"good"})]] * 19), [frozenset({"good"}), frozenset({"bad"})]]
    (row,) = merging_of(SINGLE, answers).pairs
    assert row.n == 20 and (row.change.low is None or row.change.low <= 0)
