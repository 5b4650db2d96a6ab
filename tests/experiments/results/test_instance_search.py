"""Listing cells by text in any script, by the language of the answer, and by whether somebody labelled them."""

from __future__ import annotations

import pytest
from sqlalchemy import ColumnElement
from sqlalchemy.dialects import postgresql

from tests.screens.results import add_results
from workbench.annotation.error_taxonomy import taxonomy
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue import QueueItem
from workbench.annotation.queue_store import QueueStore
from workbench.app.workbench import Workbench
from workbench.experiments.results.filters import Filter
from workbench.experiments.results.queries.instances import contains_text, without_label, wrong_language
from workbench.experiments.results.result_store import ResultStore

LABEL = "supported"


@pytest.fixture
def store(workbench: Workbench) -> ResultStore:
    """Four cells, one of them failed; the answers are in English."""
    add_results(workbench)
    return ResultStore.at(workbench.settings.database_url)


@pytest.fixture
def item(store: ResultStore, workbench: Workbench) -> QueueItem:
    """The first item of a queue of all answers."""
    runs = [run.id for run in store.where(Filter()).runs()]
    kind = taxonomy("answer-faithfulness", workbench.settings.home)
    queue = QueueStore(store).create("Pilot", kind, runs, per_language=5)
    return QueueStore(store).items(queue.id)[0]


def _count(store: ResultStore, conditions: list[ColumnElement[bool]]) -> int:
    return store.where(Filter()).count(conditions=conditions)


@pytest.mark.parametrize(
    ("text", "count"),
    [("keksijänä", 2), ("KEKSIJÄNÄ", 2), ("MARCONI", 4), ("STRANGER.example", 3), ("100%", 0), ("_", 0), (" ", 4)],
    ids=["as written", "capitals beyond ASCII", "a gold", "an answer", "a sign of LIKE", "another one", "blank"],
)
def test_a_text_is_searched_in_questions_golds_and_answers(store: ResultStore, text: str, count: int) -> None:
    assert _count(store, contains_text(text)) == count


def test_another_database_folds_case_itself() -> None:
    (condition,) = contains_text("Marconi")
    assert "lower(answers.text)" in str(condition.compile(dialect=postgresql.dialect()))  # type: ignore[no-untyped-call]


def test_an_answer_in_another_language_than_its_question_is_in_the_wrong_one(store: ResultStore) -> None:
    rows = store.where(Filter()).instances(conditions=wrong_language())
    assert [(row.language, row.answer_language) for row in rows] == [("fi", "en")]


def test_without_any_queue_no_answer_has_a_label(store: ResultStore) -> None:
    assert _count(store, without_label()) == 4


def test_an_answer_that_somebody_labelled_is_left_out(store: ResultStore, item: QueueItem) -> None:
    LabelStore(store).save(item, "Ada", [LABEL])
    rows = store.where(Filter()).instances(conditions=without_label())
    labelled = (item.run_number, item.language)
    assert len(rows) == 3
    assert labelled not in {(row.run.number, row.language) for row in rows}


def test_a_label_that_was_taken_back_does_not_count(store: ResultStore, item: QueueItem) -> None:
    labels = LabelStore(store)
    labels.save(item, "Ada", [LABEL])
    labels.save(item, "Ada", [])
    assert _count(store, without_label()) == 4


def test_a_label_that_was_undone_does_not_count(store: ResultStore, item: QueueItem) -> None:
    LabelStore(store).save(item, "Ada", [LABEL])
    LabelStore(store).undo(item.queue, "Ada")
    assert _count(store, without_label()) == 4


def test_an_answer_completed_without_a_label_counts_as_labelled(store: ResultStore, item: QueueItem) -> None:
    LabelStore(store).complete(item, "Ada")
    assert _count(store, without_label()) == 3
