"""Inspect in a real browser: answers labelled by keyboard alone, with a reload in the middle and three steps undone."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from benchmarks.screens.running import PATIENCE, running_app
from tests.browser.controls import settled
from tests.screens.results import METRICS
from workbench import settings
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue_store import QueueStore
from workbench.experiments.experiment import experiment_to_yaml, make_experiment
from workbench.metrics.measure import Score
from workbench.records import Question
from workbench.results.result_store import ResultStore
from workbench.results.writer import CellResult, RunRow, Writer, add_experiment
from workbench.storage.database import opened_store

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

COUNT = 10
NAME = "Ada"


@pytest.fixture
def results(workspace: Path, tmp_path: Path) -> ResultStore:
    """A workspace with the sample and ten answers to label."""
    shutil.copytree(workspace / "corpora", tmp_path / "corpora", copy_function=os.link)
    url = settings.load(tmp_path).database_url
    recipe = ("sample", "sample", "multirag", "all", "reply-short-en", "extractive", 5, "none", "", "f")
    spec = experiment_to_yaml(make_experiment({"modes": ["multirag"]}))
    experiment_id = add_experiment(
        opened_store(url), "Ten answers", "matrix", spec, COUNT, "none", [RunRow(0, "a run", *recipe)]
    )
    cells = [
        CellResult(
            0,
            Question(f"q{number}", f"Question {number}?", "en", ("Marconi",)),
            f"Marconi {number}",
            "en",
            (),
            0.1,
            1,
            1,
            scores={"char3_recall": Score(1.0)},
        )
        for number in range(COUNT)
    ]
    Writer(opened_store(url), experiment_id, METRICS).write("detect language", 0, "sample", cells)
    return ResultStore.at(url)


@pytest.fixture
def labelling(results: ResultStore, tmp_path: Path, page: Page) -> Iterator[Page]:
    """The page with the first item, reached from Home in three clicks, as somebody who was never here would."""
    with running_app(tmp_path) as url:
        page.goto(url)
        page.get_by_role("link", name="Read and label answers").click()
        page.get_by_role("button", name=f"Label {COUNT} answers per language of your latest run").click()
        page.get_by_label("Your name").fill(NAME)
        page.get_by_role("button", name="Start").click()
        expect(page.get_by_role("button", name="1 Supported")).to_be_visible()
        settled(page)
        yield page


def test_ten_answers_are_labelled_by_keyboard_alone_and_nothing_is_lost(labelling: Page, results: ResultStore) -> None:
    page, labels, queues = labelling, LabelStore(results), QueueStore(results)
    (queue,) = queues.queues()

    for number in range(4):
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        _expect_complete(page, number + 1)
    page.keyboard.press("2")
    expect(page.get_by_role("button", name="✓ 2 Not supported")).to_be_visible()

    page.reload()
    expect(page.get_by_role("button", name="✓ 2 Not supported")).to_be_visible()
    _expect_complete(page, 4)
    page.keyboard.press("Enter")
    _expect_complete(page, 5)

    for _ in range(3):
        page.keyboard.press("u")
    expect(page.get_by_text("2 of 20 complete")).to_be_visible()
    settled(page)
    assert sum(bool(record.labels) for record in labels.labels(queue.id)) == 2

    for number in range(2, COUNT):
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        _expect_complete(page, number + 1)
    expect(page.get_by_text("Nothing is left for you in this queue")).to_be_visible()
    assert [record.labels for record in labels.labels(queue.id)] == [("supported",)] * COUNT


def test_keys_are_letters_while_somebody_types(labelling: Page, results: ResultStore) -> None:
    comment = labelling.get_by_label("Comment")
    comment.press_sequentially("1 u?")
    comment.blur()
    settled(labelling)
    expect(comment).to_have_value("1 u?")
    (queue,) = QueueStore(results).queues()
    until = time.monotonic() + PATIENCE
    # The comment is on its way to the server after the field has lost the focus.
    while not (records := LabelStore(results).labels(queue.id)) and time.monotonic() < until:
        labelling.wait_for_timeout(100)
    assert [(record.labels, record.comment) for record in records] == [((), "1 u?")]


def _expect_complete(page: Page, count: int) -> None:
    expect(page.get_by_text(f"{count} of {2 * COUNT} complete")).to_be_visible()
    settled(page)
