"""Which metric to trust: how well each tells what people labelled right from wrong, by language."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sqlalchemy import func, select, update

from tests.annotation.labelled import VALUED, add_scored, label_all, noisy
from workbench.annotation.analysis.metric_trust import LabelledScores, MetricTrust, metric_trust, valued_taxonomy
from workbench.annotation.error_taxonomy import Taxonomy, TaxonomyLabel, taxonomies
from workbench.annotation.queue import AnnotationQueue
from workbench.annotation.queue_store import QueueStore
from workbench.experiments.results.result_store import ResultStore
from workbench.experiments.results.writer import remove
from workbench.workspace import result_tables as results


def rows_of(store: ResultStore, queue: AnnotationQueue) -> dict[tuple[str, str], MetricTrust]:
    return {(row.metric, row.language): row for row in metric_trust(LabelledScores(store, queue))}


def test_the_metric_that_tells_right_from_wrong_leads_and_a_random_one_does_not(store: ResultStore) -> None:
    chance = np.random.default_rng(3).random(200)
    runs = add_scored(store, ["th", "fi"], 60, {"em": noisy(1, 0.95), "f1": lambda number: float(chance[number])})
    rows = rows_of(store, label_all(store, runs, 60))
    for code in ("th", "fi"):
        assert (rows["em", code].n, rows["em", code].right, rows["em", code].wrong) == (60, 40, 20)
        assert (rows["em", code].trusted, rows["f1", code].trusted) == (True, False)
        assert (rows["f1", code].auc.low or 1) < 0.5
    assert rows["em", ""].n == 120


def test_values_of_an_answer_that_replaced_the_labelled_one_are_not_compared_with_its_labels(
    store: ResultStore,
) -> None:
    runs = add_scored(store, ["fi"], 60, {"em": noisy(1, 0.95)})
    queue = label_all(store, runs, 60)
    with store.engine.begin() as connection:
        last = select(func.max(results.answers.c.id)).scalar_subquery()
        connection.execute(update(results.answers).where(results.answers.c.id == last).values(text="Another."))
    row = rows_of(store, queue)["em", "fi"]
    assert row.n == 59


def test_a_metric_of_which_lower_is_better_is_turned_round(store: ResultStore) -> None:
    runs = add_scored(store, ["fi"], 60, {"hallucination": lambda number: 1 - noisy(1, 0.95)(number)})
    assert (rows_of(store, label_all(store, runs, 60))["hallucination", "fi"].auc.value or 0) > 0.9


def test_metrics_that_are_not_told_apart_are_both_trusted(store: ResultStore) -> None:
    runs = add_scored(store, ["th"], 60, {"em": noisy(1, 0.9), "f1": noisy(2, 0.88)})
    rows = rows_of(store, label_all(store, runs, 60))
    assert rows["em", "th"].trusted and rows["f1", "th"].trusted


def test_unscored_answers_stay_unscored_and_are_counted(store: ResultStore) -> None:
    runs = add_scored(store, ["th"], 60, {"em": lambda number: None if number < 20 else noisy(1, 0.9)(number)})
    row = rows_of(store, label_all(store, runs, 60))["em", "th"]
    assert (row.n, row.unscored) == (40, 20)


def test_too_few_answers_have_a_reason_instead_of_figures(store: ResultStore) -> None:
    runs = add_scored(store, ["th"], 60, {"em": noisy(1, 0.9)})
    row = rows_of(store, label_all(store, runs, 29))["em", "th"]
    assert row.auc.value is None and not row.trusted
    assert row.reason.startswith("29 labelled and scored answers") and "at least 30 with 5 of each" in row.reason


def test_too_few_of_one_side_have_a_reason(store: ResultStore) -> None:
    runs = add_scored(store, ["th"], 60, {"em": noisy(1, 0.9)})
    queue = label_all(store, runs, 60, rule=lambda number: "wrong" if number < 4 else "right")
    assert "56 right and 4 wrong" in rows_of(store, queue)["em", "th"].reason


def test_a_constant_metric_has_a_reason(store: ResultStore) -> None:
    runs = add_scored(store, ["th"], 60, {"em": lambda _: 1.0})
    assert "the same value" in rows_of(store, label_all(store, runs, 60))["em", "th"].reason


def test_labels_without_a_value_leave_an_answer_undecided(store: ResultStore) -> None:
    runs = add_scored(store, ["th"], 60, {"em": noisy(1, 0.9)})
    queue = label_all(store, runs, 60, rule=lambda number: "unclear" if number < 10 else "right")
    scores = LabelledScores(store, queue)
    assert sum(item.mark is None for item in scores.labelled) == 10
    assert rows_of(store, queue)["em", "th"].n == 50


def test_people_who_are_divided_leave_an_answer_in_the_middle(store: ResultStore) -> None:
    runs = add_scored(store, ["th"], 40, {"em": noisy(1, 0.9)})
    turns = iter(range(1_000))
    queue = label_all(store, runs, 40, rule=lambda _: "right" if next(turns) < 40 else "wrong", people=("A", "B"))
    assert {item.mark for item in LabelledScores(store, queue).labelled} == {0.5}
    row = rows_of(store, queue)["em", "th"]
    assert (row.n, row.right, row.wrong) == (40, 0, 0)


def test_kappa_is_for_metrics_of_0_and_1_alone(store: ResultStore) -> None:
    runs = add_scored(
        store, ["th"], 60, {"em": noisy(1, 0.95), "f1": lambda number: noisy(1, 0.95)(number) * (0.5 + number / 200)}
    )
    rows = rows_of(store, label_all(store, runs, 60))
    assert rows["em", "th"].kappa.value is not None and rows["f1", "th"].kappa.value is None


def test_results_that_were_deleted_leave_no_figures(store: ResultStore, queues: QueueStore) -> None:
    runs = add_scored(store, ["th"], 40, {"em": noisy(1, 0.9)})
    queue = label_all(store, runs, 40)
    for row in store.experiments():
        remove(store.engine, row.id)
    assert metric_trust(LabelledScores(store, queue)) == []


def test_values_of_a_newer_version_count_where_the_labels_mean_the_same() -> None:
    plain = tuple(TaxonomyLabel(item.key, item.name, item.definition, item.example) for item in VALUED.labels)
    former = Taxonomy("verdicts", 1, "Verdicts", "a test", "Is it right?", plain, False)
    newer = Taxonomy("verdicts", 2, "Verdicts", "a test", "Is it right?", VALUED.labels, False)
    assert valued_taxonomy(former, [newer]) is newer
    other = Taxonomy("verdicts", 2, "Verdicts", "a test", "Is it wrong?", VALUED.labels, False)
    assert valued_taxonomy(former, [other]) is former


def test_the_shipped_taxonomies_of_answers_have_values(tmp_path: Path) -> None:
    valued = {item.name for item in taxonomies(tmp_path) if item.has_values}
    assert {"abstention", "answer-faithfulness", "answer-relevance", "chirkova-table-8"} <= valued


def test_labels_together_have_the_least_of_their_values(tmp_path: Path) -> None:
    (table,) = [item for item in taxonomies(tmp_path) if item.name == "chirkova-table-8"]
    assert table.value(["fluency"]) == 1.0 and table.value(["fluency", "wrong-answer"]) == 0.0
    assert table.value(["typo-in-question"]) is None and table.value([]) == 1.0
