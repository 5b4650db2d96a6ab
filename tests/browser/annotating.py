"""A workspace with answers to label, and Annotate as a person uses it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from playwright.sync_api import expect

from tests.browser.controls import settled
from workbench.annotation.error_taxonomy import Taxonomy, TaxonomyLabel, taxonomy
from workbench.annotation.queue import AnnotationQueue
from workbench.annotation.queue_store import QueueStore
from workbench.app.workbench import Workbench
from workbench.core.records import Question
from workbench.data.datasets.dataset_library import DatasetLibrary
from workbench.experiments.results.filters import Filter
from workbench.experiments.results.predictions import import_predictions
from workbench.experiments.results.result_store import ResultStore
from workbench.workspace import settings

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

FAITHFULNESS = "answer-faithfulness"
SEVERAL = Taxonomy(
    "browser-errors",
    1,
    "Errors",
    "a test",
    "What is wrong with it?",
    (
        TaxonomyLabel("word", "Wrong word", "A word is wrong.", "A lamp is called a lens."),
        TaxonomyLabel("year", "Wrong year", "A year is wrong.", "1875 instead of 1874."),
    ),
    several=True,
)
FIND = """(text, [target, nth]) => {
  const place = (unit, inside) => {
    const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    let node = walker.nextNode();
    while (node && unit + inside > node.length) { unit -= node.length; node = walker.nextNode(); }
    return [node, unit];
  };
  let at = -1;
  for (let turn = 0; turn <= nth; turn += 1) at = text.textContent.indexOf(target, at + 1);
  if (at < 0) return null;
  const range = document.createRange();
  range.setStart(...place(at, 1));
  range.setEnd(...place(at + target.length, 0));
  const box = range.getBoundingClientRect();
  const rtl = getComputedStyle(text).direction === 'rtl';
  const [left, right, y] = [box.left + 1, box.right - 1, box.top + box.height / 2];
  return rtl ? [right, left, y] : [left, right, y];
}"""
"""Where a text begins and ends on the screen, in the direction in which it is read."""


def add_answers(home: Path, answers: Mapping[str, str], name: str = "Other system") -> ResultStore:
    """Imports one prediction of another system for each language; keys may be “<language>” or “<language>:<id>”."""
    cells = [(key.partition(":")[0], key.partition(":")[2] or "q1", text) for key, text in answers.items()]
    library = DatasetLibrary(settings.load(home).datasets)
    questions = [Question(question, f"Which light is it? ({question})", code, ("1874",)) for code, question, _ in cells]
    library.add("lights", "", questions, aligned=False)
    file = home / "predictions.jsonl"
    rows = [json.dumps({"id": question, "language": code, "answer": text}) + "\n" for code, question, text in cells]
    file.write_text("".join(rows), encoding="utf-8")
    workbench = Workbench(settings.load(home))
    import_predictions(workbench, file, "lights", title=name, metrics=("char3_recall",))
    return ResultStore.at(settings.load(home).database_url)


def add_queue(
    store: ResultStore, home: Path, *, people: int = 2, kind: Taxonomy | None = None, name: str = "Lights"
) -> AnnotationQueue:
    """A queue of all answers."""
    runs = [run.id for run in store.where(Filter()).runs()]
    kind = kind or taxonomy(FAITHFULNESS, home)
    return QueueStore(store).create(name, kind, runs, per_language=100, annotators_per_item=people)


def annotate(page: Page, url: str, queue: AnnotationQueue, person: str, **values: str) -> None:
    """Opens Annotate as a person, as a link does."""
    params = {"view": "annotate", "queue": queue.id, "annotator": person, **values}
    page.goto(f"{url}/inspect?{urlencode(params)}")
    expect(page.get_by_role("button", name=re.compile("Complete and next|None of these"))).to_be_visible()
    settled(page)


def answer(page: Page) -> Locator:
    """The text in which words are marked."""
    return page.locator(".wb-marks-text")


def drag_over(page: Page, target: str, nth: int = 0) -> None:
    """Selects a text of the answer with the mouse."""
    text = answer(page)
    text.scroll_into_view_if_needed()
    start, end, height = text.evaluate(FIND, [target, nth])
    page.mouse.move(start, height)
    page.mouse.down()
    page.mouse.move((start + end) / 2, height, steps=3)
    page.mouse.move(end, height, steps=3)
    page.mouse.up()
