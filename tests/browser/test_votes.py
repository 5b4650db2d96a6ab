"""Blind votes in a real browser: cast by keyboard, taken back, and nothing tells which run is which until the end."""

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
from workbench.annotation.votes import Ballot, VoteStore, answers_as_shown
from workbench.core.records import Question
from workbench.experiments.experiment import experiment_to_yaml, make_experiment
from workbench.experiments.results.result_store import ResultStore
from workbench.experiments.results.writer import CellResult, RunRow, Writer, add_experiment
from workbench.workspace import settings

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.slow, pytest.mark.browser]

PERSON, COUNT = "Ada", 3
TITLES = ("crossrag", "monorag")


@pytest.fixture
def votes(workspace: Path, tmp_path: Path) -> VoteStore:
    """A ballot over three questions that two runs answered differently."""
    shutil.copytree(workspace / "corpora", tmp_path / "corpora", copy_function=os.link)
    store = ResultStore.at(settings.load(tmp_path).database_url)
    rows = [
        RunRow(number, mode, "sample", "sample", mode, "all", "p", "extractive", 5, "none", "", mode)
        for number, mode in enumerate(TITLES)
    ]
    spec = experiment_to_yaml(make_experiment({"modes": list(TITLES)}))
    experiment_id = add_experiment(store.engine, "Two", "matrix", spec, 2 * COUNT, "none", rows)
    cells = [
        CellResult(run, Question(f"q{number}", f"Question {number}?", "en"), f"Answer {run} to {number}", "en")
        for run in range(2)
        for number in range(COUNT)
    ]
    Writer(store.engine, experiment_id, ()).write("generate", 0, "sample", cells)
    first, second = store.of(experiment_id).runs()
    VoteStore(store).create("Which reads better", (first.id, second.id), TITLES)
    return VoteStore(store)


@pytest.fixture
def ballot(votes: VoteStore) -> Ballot:
    return votes.ballots()[0]


@pytest.fixture
def voting(ballot: Ballot, tmp_path: Path, page: Page) -> Iterator[Page]:
    """The first question of the ballot before a person who has typed their name."""
    with running_app(tmp_path) as url:
        page.goto(f"{url}/compare?view=votes")
        page.get_by_label("Your name").fill(PERSON)
        page.get_by_role("button", name="Start").click()
        expect(page.get_by_role("button", name="A is better")).to_be_visible()
        settled(page)
        yield page


def _stored(votes: VoteStore, ballot: Ballot, count: int) -> None:
    """Waits until the database has `count` votes."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and len(votes.votes(ballot.id)) != count:
        time.sleep(0.1)
    assert len(votes.votes(ballot.id)) == count


def _press(page: Page, key: str) -> None:
    """Presses a key as a person does who has read the question: keys during a save are dropped on purpose."""
    settled(page)
    page.wait_for_timeout(500)
    page.keyboard.press(key)


def test_votes_are_cast_and_taken_back_by_keyboard(voting: Page, votes: VoteStore, ballot: Ballot) -> None:
    page = voting
    first, second, third = votes.items(ballot.id)
    answer_a, _ = answers_as_shown(ballot, first, PERSON)
    expect(page.get_by_text(answer_a)).to_be_visible()
    for title in TITLES:
        expect(page.locator(".stMain").get_by_text(title)).to_have_count(0)
    _press(page, "a")
    expect(page.get_by_text(second.question)).to_be_visible()
    _stored(votes, ballot, 1)
    assert votes.votes(ballot.id)[0].choice == ("first" if answer_a == first.first_answer else "second")
    _press(page, "u")
    expect(page.get_by_text(first.question)).to_be_visible()
    _stored(votes, ballot, 0)
    for key, after in (("ArrowRight", second.question), ("t", third.question), ("x", "Nothing is left for you")):
        _press(page, key)
        expect(page.get_by_text(after)).to_be_visible()
    _stored(votes, ballot, COUNT)
    assert [vote.choice for vote in votes.votes(ballot.id)][1:] == ["tie", "both_bad"]
    settled(page)
    page.get_by_text("Results", exact=True).click()
    expect(page.locator(".stMain").get_by_text(TITLES[0]).first).to_be_visible()
