"""What labels say about metrics, judges and labels, on the Annotate page: empty states, sentences, tables."""

from __future__ import annotations

import itertools

from streamlit.testing.v1 import AppTest

from tests.annotation.labelled import VALUED, add_scored, label_all, noisy, truth
from tests.annotation.material import SINGLE
from tests.screens.conftest import html, open_page
from workbench.annotation.analysis.metric_trust import MetricTrust
from workbench.annotation.queue import AnnotationQueue
from workbench.annotation.queue_store import QueueStore
from workbench.app.workbench import Workbench
from workbench.experiments.results.result_store import ResultStore
from workbench.metrics.statistics.agreement import AssociationFigure
from workbench.ui.annotate.label_measures import trust_frame, trust_words

TRUST, MERGING = "inspect_trust", "inspect_merging"
JUDGE = "correctness@openai-like:m"


def _store(bench: Workbench) -> ResultStore:
    return ResultStore.at(bench.settings.database_url)


def _open(queue: AnnotationQueue, fold: str) -> AppTest:
    return open_page("inspect", fold, view="annotate", queue=queue.id)


def test_labels_that_are_too_few_are_asked_for_with_their_number(bench: Workbench) -> None:
    store = _store(bench)
    runs = add_scored(store, ["th"], 40, {"em": noisy(1, 0.9)})
    app = _open(QueueStore(store).create("New", VALUED, runs, per_language=40), TRUST)
    assert not app.exception
    assert (
        "once one language has at least 30 labelled answers, 5 of them right and 5 wrong. None is complete yet."
        in html(app)
    )


def test_a_taxonomy_without_values_says_what_to_write(bench: Workbench) -> None:
    store = _store(bench)
    runs = add_scored(store, ["th"], 10, {"em": noisy(1, 0.9)})
    app = _open(QueueStore(store).create("New", SINGLE, runs, per_language=5), TRUST)
    assert "value: 1" in html(app) and not app.exception


def test_the_metric_to_trust_is_named_for_a_language(bench: Workbench) -> None:
    store = _store(bench)
    chance = noisy(3, 0.5)
    runs = add_scored(store, ["th", "fi"], 120, {"em": noisy(1, 0.95), JUDGE: chance, f"{JUDGE}+ul": noisy(4, 0.7)})
    queue = label_all(store, runs, 60)
    app = _open(queue, TRUST)
    assert not app.exception
    assert "Most reliable for all languages together: em." in html(app)
    app.selectbox(key="inspect_trust_language").set_value("th").run()
    assert "Most reliable for Thai: em." in html(app)
    assert app.selectbox(key="inspect_correction_metric").value == JUDGE
    assert app.selectbox(key="inspect_judge_languages").value == JUDGE


def test_a_judge_that_cannot_be_corrected_yet_says_what_is_needed(bench: Workbench) -> None:
    store = _store(bench)
    runs = add_scored(store, ["th"], 120, {"em": noisy(1, 0.95)})
    app = _open(label_all(store, runs, 40), TRUST)
    assert "once one language has at least 50 labelled and scored answers; the most in one language is 40." in html(app)


def test_exchanged_labels_are_named_with_advice(bench: Workbench) -> None:
    store = _store(bench)
    runs = add_scored(store, ["th"], 40, {"em": noisy(1, 0.95)})
    turns = itertools.count()
    queue = label_all(
        store,
        runs,
        40,
        rule=lambda number: "unclear" if next(turns) % 3 == 0 else "right" if truth(number) else "wrong",
        people=("A", "B"),
    )
    app = _open(queue, MERGING)
    assert not app.exception
    assert "Most often confused: “Right” and “Unclear”" in html(app) and "define them better" in html(app)


def test_nothing_to_merge_without_two_people(bench: Workbench) -> None:
    store = _store(bench)
    app = _open(label_all(store, add_scored(store, ["th"], 20, {"em": noisy(1, 0.95)}), 20), MERGING)
    assert "This needs at least 20 answers that two people have completed" in html(app) and not app.exception


def test_where_nothing_beats_chance_nothing_is_to_be_trusted() -> None:
    row = MetricTrust("em", "th", 60, 40, 20, 0, auc=AssociationFigure(0.55, 0.42, 0.66))
    assert trust_words([row], "th").startswith("For Thai no metric tells right from wrong better than chance")


def test_the_table_has_n_the_interval_and_the_reason_of_each_metric() -> None:
    rows = [
        MetricTrust("em", "th", 60, 40, 20, 3, auc=AssociationFigure(0.9, 0.8, 0.95), trusted=True),
        MetricTrust("g_eval@m+ul", "th", 9, 5, 4, 0, reason="Too few."),
    ]
    frame = trust_frame(rows)
    assert frame["kind"].tolist() == ["metric", "judge"]
    first, second = frame.to_dict("records")
    assert [first[name] for name in ("n", "unscored", "auc", "auc_low", "auc_high")] == [60, 3, 0.9, 0.8, 0.95]
    assert second["reason"] == "Too few."
