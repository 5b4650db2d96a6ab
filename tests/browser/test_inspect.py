"""Annotate in a real browser: by keyboard alone, through reloads, a killed server and a lost connection, and by two."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import krippendorff
import pytest
from playwright.sync_api import expect
from sklearn.metrics import cohen_kappa_score

from benchmarks.screens.running import PATIENCE, AppServer
from tests.browser.annotating import add_answers, add_queue, annotate
from tests.browser.controls import settled
from workbench.annotation.analysis.agreement import agreement
from workbench.annotation.label_store import LabelStore
from workbench.annotation.queue import AnnotationQueue
from workbench.annotation.queue_store import QueueStore
from workbench.experiments.results.result_store import ResultStore

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.slow, pytest.mark.browser]

COUNT = 20
NAME = "Ada"
COMMENT = "Comment"


@pytest.fixture
def store(tmp_path: Path) -> ResultStore:
    """The results of a workspace with twenty answers to label."""
    return add_answers(
        tmp_path, {f"en:q{number:02}": f"The lamp was lit in {1874 + number}." for number in range(COUNT)}
    )


@pytest.fixture
def server(tmp_path: Path, store: ResultStore) -> Iterator[AppServer]:
    """The app over that workspace."""
    app = AppServer(tmp_path)
    app.start()
    yield app
    app.stop()


def test_an_answer_is_read_from_its_beginning_and_those_beside_it_have_room(
    page: Page, tmp_path: Path, visitor: Callable[[], Page]
) -> None:
    words = "The lamp was lit in the old harbour. " * 8
    add_answers(tmp_path, {f"{code}:q{number}": words for code in ("en", "fi") for number in range(8)})
    app = AppServer(tmp_path)
    app.start()
    try:
        page.goto(f"{app.url}/inspect")
        settled(page)
        page.locator("[class*=st-key-inspect_open_] button").last.click()
        expect(page.get_by_role("button", name="Next", exact=True)).to_be_in_viewport()
        page.get_by_text("The same question in other languages and recipes").click()
        text = page.locator("[class*=st-key-sibling_] .wb-run-said").first.bounding_box()
        assert text is not None and text["width"] > 300

        phone = visitor()
        phone.set_viewport_size({"width": 390, "height": 844})
        phone.goto(page.url)
        for name in ("List", "Next"):
            expect(phone.get_by_role("button", name=name, exact=True)).to_be_in_viewport(ratio=1)
        boxes = [phone.get_by_role("button", name=name, exact=True).bounding_box() for name in ("List", "Next")]
        assert len({box["y"] for box in boxes if box is not None}) == 1
    finally:
        app.stop()


def test_on_a_phone_labels_follow_the_answer_and_documents_the_labels(
    page: Page, server: AppServer, store: ResultStore, tmp_path: Path
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    annotate(page, server.url, add_queue(store, tmp_path), NAME)
    boxes = [page.locator(f".st-key-inspect_{part}").bounding_box() for part in ("item", "panel", "documents")]
    tops = [box["y"] for box in boxes if box is not None]
    assert tops == sorted(tops) and len(tops) == 3


def test_nothing_is_lost_by_keyboard_through_a_reload_a_killed_server_and_ten_undone_steps(
    page: Page, server: AppServer, store: ResultStore, tmp_path: Path
) -> None:
    queue, labels = add_queue(store, tmp_path), LabelStore(store)
    annotate(page, server.url, queue, NAME)
    _label(page, range(8))
    page.keyboard.press("2")
    expect(page.get_by_role("button", name="2 Not supported ✓")).to_be_visible()

    page.reload()
    expect(page.get_by_role("button", name="2 Not supported ✓")).to_be_visible()
    settled(page)
    page.keyboard.press("Enter")
    _expect_complete(page, 9)

    page.keyboard.press("3")
    expect(page.get_by_role("button", name="3 Hard to decide ✓")).to_be_visible()
    server.kill()
    server.start()
    page.reload()
    expect(page.get_by_role("button", name="3 Hard to decide ✓")).to_be_visible()
    settled(page)
    page.keyboard.press("Enter")
    _expect_complete(page, 10)
    _label(page, range(10, COUNT))
    expect(page.get_by_text("Nothing is left for you in this queue")).to_be_visible()
    keys = [record.labels for record in labels.labels(queue.id)]
    assert len(keys) == COUNT
    assert sorted(keys) == [("not-supported",), *[("supported",)] * (COUNT - 2), ("unclear",)]

    for step in range(10):
        page.keyboard.press("u")
        # First that the answer is complete, then its label.
        _expect_complete(page, COUNT - 1 - step // 2)
        given = page.get_by_role("button", name="1 Supported ✓")
        expect(given).to_have_count(1 - step % 2)
    assert sum(bool(record.labels) for record in labels.labels(queue.id)) == COUNT - 5


def test_keys_do_nothing_while_a_line_says_that_the_connection_is_lost(
    page: Page, server: AppServer, store: ResultStore, tmp_path: Path
) -> None:
    queue = add_queue(store, tmp_path)
    annotate(page, server.url, queue, NAME)
    page.keyboard.press("3")
    expect(page.get_by_role("button", name="3 Hard to decide ✓")).to_be_visible()
    line = page.get_by_text("Connection lost: nothing is being saved.")
    expect(line).to_have_count(0)
    server.kill()
    expect(line).to_be_visible()
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    server.start()
    expect(line).to_have_count(0)
    # In step again: the next key is the only one that counts.
    page.keyboard.press("Enter")
    _expect_complete(page, 1)
    assert [record.labels for record in LabelStore(store).labels(queue.id)] == [("unclear",)]


def test_keys_are_letters_while_somebody_types(
    page: Page, server: AppServer, store: ResultStore, tmp_path: Path
) -> None:
    queue = add_queue(store, tmp_path)
    annotate(page, server.url, queue, NAME)
    comment = page.get_by_label(COMMENT)
    comment.press_sequentially("1 u?")
    page.keyboard.press("Escape")
    expect(comment).not_to_be_focused()
    expect(comment).to_have_value("1 u?")
    _expect_comment(store, queue, "1 u?")


def test_arrows_go_from_field_to_field_and_back(
    page: Page, server: AppServer, store: ResultStore, tmp_path: Path
) -> None:
    annotate(page, server.url, add_queue(store, tmp_path), NAME)
    answer, label = page.locator(".wb-marks-text"), page.get_by_role("button", name="1 Supported")
    for key, field in (
        ("ArrowDown", answer),
        ("ArrowDown", label),
        ("ArrowDown", page.get_by_label(COMMENT)),
        ("Escape", None),
        ("ArrowUp", page.get_by_role("button", name="Complete and next")),
        ("ArrowUp", page.get_by_label(COMMENT)),
    ):
        page.keyboard.press(key)
        if field is not None:
            expect(field).to_be_focused()


def test_a_comment_that_was_being_typed_when_the_connection_was_lost_is_saved_afterwards(
    page: Page, server: AppServer, store: ResultStore, tmp_path: Path
) -> None:
    queue = add_queue(store, tmp_path)
    annotate(page, server.url, queue, NAME)
    comment = page.get_by_label(COMMENT)
    comment.press_sequentially("Before ")
    server.kill()
    # Streamlit locks its fields until the server is back.
    expect(comment).to_be_disabled()
    server.start()
    expect(comment).to_be_enabled()
    settled(page)
    expect(comment).to_have_value("Before ")
    comment.press("End")
    comment.press_sequentially("and after")
    comment.press("Escape")
    _expect_comment(store, queue, "Before and after")


def test_two_people_at_one_queue_lose_nothing_and_their_agreement_is_that_of_the_reference(
    visitor: Callable[[], Page], server: AppServer, store: ResultStore, tmp_path: Path
) -> None:
    queue, pages = add_queue(store, tmp_path), {"Ada": visitor(), "Bea": visitor()}
    given: dict[str, dict[int, str]] = {"Ada": {}, "Bea": {}}
    for person, page in pages.items():
        annotate(page, server.url, queue, person)
    keys = QueueStore(store).taxonomy_of(queue.id).keys
    for turn in range(COUNT):
        for place, (person, page) in enumerate(pages.items()):
            number = int(page.url.partition("item=")[2].partition("&")[0])
            digit = 1 + (number * (1 + place) + number // 5) % 3
            # The run's title would name the system, and a tick somebody else's label.
            assert "Other system" not in (words := page.locator("body").inner_text()) and "✓" not in words
            given[person][number] = keys[digit - 1]
            page.keyboard.press(str(digit))
            page.keyboard.press("Enter")
        for page in pages.values():
            expect(page.get_by_text(f"{turn + 1} of {COUNT} answers complete by you")).to_be_visible()
            settled(page)

    records = LabelStore(store).labels(queue.id)
    assert {(record.annotator, record.number): record.labels for record in records} == {
        (person, number): (key,) for person, labels in given.items() for number, key in labels.items()
    }
    assert all(len(labels) == COUNT for labels in given.values())
    columns = [[given[person][number] for number in range(1, COUNT + 1)] for person in given]
    total = next(row for row in agreement(QueueStore(store), LabelStore(store), queue.id) if not row.label)
    assert total.kappa.score.value == pytest.approx(cohen_kappa_score(*columns))
    codes = [[keys.index(key) for key in column] for column in columns]
    assert total.alpha.score.value == pytest.approx(krippendorff.alpha(codes, level_of_measurement="nominal"))


def test_nobody_is_one_annotator_too_many(
    visitor: Callable[[], Page], server: AppServer, store: ResultStore, tmp_path: Path
) -> None:
    queue, pages = add_queue(store, tmp_path, people=1), {"Ada": visitor(), "Bea": visitor()}
    for person, page in pages.items():
        annotate(page, server.url, queue, person)
    for turn in range(COUNT // 2):
        for page in pages.values():
            page.keyboard.press("1")
            page.keyboard.press("Enter")
        for page in pages.values():
            expect(page.get_by_text(f"{turn + 1} of {COUNT} answers complete by you")).to_be_visible()
            settled(page)
    records = LabelStore(store).labels(queue.id)
    assert sorted(record.number for record in records) == list(range(1, COUNT + 1))
    assert {record.annotator for record in records} == set(pages)


def test_the_first_label_is_four_clicks_from_home(page: Page, server: AppServer, store: ResultStore) -> None:
    page.goto(server.url)
    clicks = (
        page.get_by_role("link", name="Read and label answers"),
        page.get_by_role("button", name="answers per language of your latest run"),
        page.get_by_role("button", name="Start"),
        page.get_by_role("button", name="1 Documents lack the answer"),
    )
    for control in clicks:
        if control is clicks[2]:
            page.get_by_label("Your name").fill(NAME)
        control.click()
    expect(page.get_by_role("button", name="1 Documents lack the answer ✓")).to_be_visible()
    (queue,) = QueueStore(store).queues()
    assert [record.labels for record in LabelStore(store).labels(queue.id)] == [("retrieval-lacks-answer",)]


def _label(page: Page, numbers: range) -> None:
    """Labels items by keyboard; `numbers` count those that are complete before each."""
    for number in numbers:
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        _expect_complete(page, number + 1)


def _expect_complete(page: Page, count: int) -> None:
    expect(page.get_by_text(f"{count} of {COUNT} answers complete by you")).to_be_visible()
    settled(page)


def _expect_comment(store: ResultStore, queue: AnnotationQueue, comment: str) -> None:
    """Waits for the record of a comment without labels: it is on its way after its field has lost the focus."""
    until = time.monotonic() + PATIENCE
    while True:
        records = [(record.labels, record.comment) for record in LabelStore(store).labels(queue.id)]
        if records == [((), comment)] or time.monotonic() > until:
            break
        time.sleep(0.1)
    assert records == [((), comment)]
