"""The stored answers that belong next to another: the same question in other languages and under other runs."""

from __future__ import annotations

import pytest

from tests.screens.results import add_results
from workbench.app.workbench import Workbench
from workbench.experiments.replays.comparison import beside, siblings, stored_sides
from workbench.experiments.results.queries.instances import Instance
from workbench.experiments.results.result_store import ResultStore


@pytest.fixture
def store(workbench: Workbench) -> ResultStore:
    return ResultStore.at(workbench.settings.database_url)


@pytest.fixture
def item(workbench: Workbench, store: ResultStore) -> Instance:
    """The English answer of the first run; a second experiment asks the same question."""
    experiment_id = add_results(workbench)
    add_results(workbench, "Another")
    return store.of(experiment_id).instances(limit=1)[0]


def test_the_siblings_are_the_experiments_answers_in_every_language_and_run(store: ResultStore, item: Instance) -> None:
    rows = siblings(store, item)
    assert {(row.run.number, row.language) for row in rows} == {(0, "en"), (0, "fi"), (1, "en"), (1, "fi")}
    assert {row.run.experiment_id for row in rows} == {item.run.experiment_id}


def test_beside_an_answer_one_thing_differs(store: ResultStore, item: Instance) -> None:
    rows = siblings(store, item)
    assert {(row.run.number, row.language) for row in beside(rows, item, "languages")} == {(0, "en"), (0, "fi")}
    assert {(row.run.number, row.language) for row in beside(rows, item, "recipes")} == {(0, "en"), (1, "en")}


def test_a_stored_answer_keeps_its_scores_and_its_reasons(
    workbench: Workbench, store: ResultStore, item: Instance
) -> None:
    (side,) = stored_sides(workbench, [item], {item.answer: "English"})
    assert side.scores["char3_recall"].value == 0.5
    assert side.scores["clr"].value is None
    assert side.scores["clr"].reason == "Too short to tell."
    assert side.answer == item.answer


def test_a_passage_that_the_corpus_lacks_is_named_by_its_id(workbench: Workbench, item: Instance) -> None:
    (side,) = stored_sides(workbench, [item], {item.answer: "English"})
    assert [(document.id, document.unit, document.rank) for document in side.documents] == [
        ("radio.en.1", "radio.en.1", 1),
        ("radio.fr.1", "radio.fr.1", 2),
    ]
