"""Agreement of people on a queue: against scikit-learn and krippendorff, with intervals that contain the truth."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

from tests.annotation.material import SEVERAL, SINGLE, add_answers
from workbench.annotation.analysis.agreement import LabelAgreement, agreement, self_agreement, table
from workbench.annotation.error_taxonomy import Taxonomy
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue import AnnotationQueue, LabelRecord
from workbench.annotation.queue_store import QueueStore
from workbench.experiments.results.result_store import ResultStore

KEYS = ("good", "bad", "odd")


def record(number: int, person: str, labels: Sequence[str], on: str = "answer") -> LabelRecord:
    return LabelRecord("q", number, person, 1, on, tuple(labels), "", (), "t", 1, 0.0)


def rows_of(
    taxonomy: Taxonomy, columns: dict[str, list[list[str]]], languages: dict[int, str] | None = None
) -> dict[tuple[str, str], LabelAgreement]:
    """Agreement over people's labels of items that all completed, by label and language."""
    count = len(next(iter(columns.values())))
    records = [record(n, person, sets[n]) for person, sets in columns.items() for n in range(count)]
    complete = [(n, person) for person in columns for n in range(count)]
    rows = table(taxonomy, records, languages or dict.fromkeys(range(count), "fi"), complete)
    return {(row.label, row.language): row for row in rows}


def random_labels(seed: int, people: int, count: int = 60) -> dict[str, list[list[str]]]:
    generator = random.Random(seed)
    truth = [generator.choice(KEYS) for _ in range(count)]
    return {
        f"p{person}": [[key if generator.random() < 0.7 else generator.choice(KEYS)] for key in truth]
        for person in range(people)
    }


@pytest.mark.parametrize("seed", range(5))
def test_kappa_equals_scikit_learns(seed: int) -> None:
    from sklearn.metrics import cohen_kappa_score

    columns = random_labels(seed, 2)
    one, other = ([labels[0] for labels in sets] for sets in columns.values())
    rows = rows_of(SINGLE, columns)
    assert rows["", ""].kappa.score.value == pytest.approx(cohen_kappa_score(one, other))
    for key in KEYS:
        binary = [[label == key for label in side] for side in (one, other)]
        assert rows[key, ""].kappa.score.value == pytest.approx(cohen_kappa_score(*binary))


@pytest.mark.parametrize("seed", range(5))
def test_alpha_equals_that_of_the_package(seed: int) -> None:
    peer = pytest.importorskip("krippendorff", reason="krippendorff is not installed")
    columns = random_labels(seed, 3)
    matrix = np.array([[KEYS.index(labels[0]) for labels in sets] for sets in columns.values()])
    rows = rows_of(SINGLE, columns)
    expected = peer.alpha(reliability_data=matrix, level_of_measurement="nominal")
    assert rows["", ""].alpha.score.value == pytest.approx(expected)
    for place, key in enumerate(KEYS):
        binary = peer.alpha(reliability_data=(matrix == place).astype(float), level_of_measurement="nominal")
        assert rows[key, ""].alpha.score.value == pytest.approx(binary)


@pytest.mark.parametrize("people", [2, 3])
def test_the_figures_of_each_label_in_each_language_equal_those_of_other_packages(people: int) -> None:
    from sklearn.metrics import cohen_kappa_score

    peer = pytest.importorskip("krippendorff", reason="krippendorff is not installed")
    columns = random_labels(7, people)
    languages = {number: ("th", "ar", "ja")[number % 3] for number in range(60)}
    rows = rows_of(SINGLE, columns, languages)
    for code in ("th", "ar", "ja"):
        for key in KEYS:
            sides = [
                [labels == [key] for number, labels in enumerate(sets) if languages[number] == code]
                for sets in columns.values()
            ]
            row = rows[key, code]
            expected = peer.alpha(reliability_data=np.array(sides, dtype=float), level_of_measurement="nominal")
            assert row.n == 20 and row.alpha.score.value == pytest.approx(expected)
            if people == 2:
                assert row.kappa.score.value == pytest.approx(cohen_kappa_score(*sides))


def test_raw_agreement_is_the_share_of_agreeing_pairs() -> None:
    rows = rows_of(SINGLE, {"a": [["good"], ["bad"], ["odd"]], "b": [["good"], ["bad"], ["bad"]]})
    assert rows["", ""].raw.score.value == pytest.approx(2 / 3)
    assert rows["good", ""].raw.score.value == 1.0


def test_kappa_is_for_two_people_and_says_so_for_three() -> None:
    row = rows_of(SINGLE, random_labels(1, 3))["", ""]
    assert row.kappa.score.value is None and row.kappa.score.reason.endswith("and 3 labelled these.")
    assert row.alpha.score.value is not None and row.annotators == 3


def test_several_labels_are_compared_one_by_one() -> None:
    rows = rows_of(SEVERAL, {"a": [["good", "odd"], ["bad"], []], "b": [["good"], ["bad"], ["bad"]]})
    assert ("", "") not in rows
    assert [rows[key, ""].raw.score.value for key in KEYS] == pytest.approx([1, 2 / 3, 2 / 3])


def test_each_language_has_rows() -> None:
    columns = random_labels(2, 2, 10)
    rows = rows_of(SINGLE, columns, {number: "th" if number < 4 else "ar" for number in range(10)})
    assert {code: rows["", code].n for code in ("", "th", "ar")} == {"": 10, "th": 4, "ar": 6}


def test_items_that_one_person_completed_do_not_count() -> None:
    records = [record(1, "a", ["good"]), record(1, "b", ["bad"]), record(2, "a", ["bad"]), record(2, "b", ["bad"])]
    rows = table(SINGLE, records, {1: "fi", 2: "fi"}, [(1, "a"), (2, "a"), (2, "b")])
    assert (rows[0].n, rows[0].raw.score.value) == (1, 1.0)


def test_parts_of_an_item_are_units_and_not_independent_of_each_other() -> None:
    generator = random.Random(3)
    records, apart = [], []
    for number in range(40):
        same = generator.random() < 0.5
        for part in range(5):
            for person, label in (("a", "good"), ("b", "good" if same else "bad")):
                records.append(record(number, person, [label], f"claim:{part}"))
                apart.append(record(number * 5 + part, person, [label]))
    people = ("a", "b")
    parts = table(SINGLE, records, dict.fromkeys(range(40), "fi"), [(n, p) for n in range(40) for p in people])[0]
    items = table(SINGLE, apart, dict.fromkeys(range(200), "fi"), [(n, p) for n in range(200) for p in people])[0]
    assert (parts.n, parts.items, parts.raw.score) == (200, 40, items.raw.score)
    widths = [(row.raw.high or 0) - (row.raw.low or 0) for row in (parts, items)]
    assert widths[0] > 1.8 * widths[1]
    widths = [(row.alpha.high or 0) - (row.alpha.low or 0) for row in (parts, items)]
    assert widths[0] > 1.8 * widths[1]


@pytest.mark.parametrize("figure", ["raw", "kappa", "alpha"])
def test_about_95_of_100_intervals_contain_the_truth(figure: str) -> None:
    generator = np.random.default_rng(1)

    def draw(count: int) -> LabelAgreement:
        truth = generator.integers(0, 3, count)
        sides = [np.where(generator.random(count) < 0.7, truth, generator.integers(0, 3, count)) for _ in range(2)]
        columns = {name: [[KEYS[int(value)]] for value in side] for name, side in zip("ab", sides, strict=True)}
        return rows_of(SINGLE, columns)["", ""]

    # Two people agree where both copy the truth, or else by chance: with 0.7² + (1 − 0.7²) / 3, beyond chance 0.7².
    true = 0.7**2 + (1 - 0.7**2) / 3 if figure == "raw" else 0.7**2
    figures = [getattr(draw(60), figure) for _ in range(200)]
    hits = sum(item.low <= true <= item.high for item in figures)
    assert 180 <= hits <= 200


def test_agreement_of_a_queue_is_over_first_showings(
    store: ResultStore, queues: QueueStore, labels: LabelStore
) -> None:
    queue = queues.create("Q", SINGLE, add_answers(store), per_language=1, twice_share=1.0)
    for person in ("Anna", "Bela"):
        while item := queues.next_item(queue.id, person):
            labels.save(item, person, ["good" if item.number % 2 or item.showing == 2 else "bad"])
            labels.complete(item, person)
    row = agreement(queues, labels, "Q")[0]
    assert (row.n, row.raw.score.value) == (13, 1.0)
    assert row.kappa.score.value == pytest.approx(1.0)


def test_who_was_shown_items_twice_is_compared_with_themselves(
    store: ResultStore, queues: QueueStore, labels: LabelStore
) -> None:
    queue = queues.create("Q", SINGLE, add_answers(store), per_language=1, twice_share=1.0)
    while item := queues.next_item(queue.id, "Anna"):
        labels.save(item, "Anna", ["bad" if (item.number, item.showing) == (1, 2) else "good"])
        labels.complete(item, "Anna")
    (row,) = self_agreement(queues, labels, queue.id)
    assert (row.annotator, row.raw.n) == ("Anna", 13)
    assert row.raw.score.value == pytest.approx(12 / 13)


def test_a_queue_that_nobody_labelled_has_reasons(
    queues: QueueStore, labels: LabelStore, queue: AnnotationQueue
) -> None:
    rows = agreement(queues, labels, queue.id)
    assert [row.language for row in rows] == ["", "", ""]
    assert {row.alpha.score.reason for row in rows} == {"No answer was labelled by two people."}
    assert self_agreement(queues, labels, queue.id) == ()
