"""Search by meaning without waiting, in a real browser: an import, its job, and a question in another language."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from playwright.sync_api import expect

from tests.browser.test_data import _choose, _form

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.slow, pytest.mark.browser]

FACTS = (
    ("Ferries", "The last ferry to the island leaves the harbour at nine in the evening."),
    ("Bread", "Rye bread is baked from sourdough and keeps fresh for a week."),
    ("Chess", "A knight moves two squares in one direction and one to the side."),
    ("Weather", "Snow fell on the mountains in the first days of October."),
    ("Library", "Books may be borrowed for four weeks and renewed twice."),
)
QUESTION = "Wie lange darf man ein Buch ausleihen?"
LONG = 120_000
"""Milliseconds that a job may take on a busy machine; it needs three seconds on a quiet one."""


def squad(folder: Path) -> Path:
    """A paragraph for each fact, in SQuAD's format."""
    data = [
        {"title": title, "paragraphs": [{"context": text, "qas": [_question(number, title)]}]}
        for number, (title, text) in enumerate(FACTS)
    ]
    file = folder / "facts.json"
    file.write_text(json.dumps({"version": "1", "data": data}), encoding="utf-8")
    return file


def _question(number: int, title: str) -> dict[str, object]:
    return {"id": str(number), "question": f"What about {title}?", "answers": [{"text": title, "answer_start": 0}]}


def test_an_import_is_indexed_in_the_background_and_then_answers_by_meaning(
    page: Page, app_url: str, tmp_path: Path
) -> None:
    name = f"facts-{uuid4().hex[:6]}"
    _form(page, app_url, "SQuAD")
    page.locator("[class*=st-key-data_files_squad] input[type=file]").set_input_files(str(squad(tmp_path)))
    _choose(page, "data_language_squad", "English")
    page.locator(".st-key-import_name input").fill(name)
    page.keyboard.press("Enter")
    page.locator(".st-key-data_take button").click()
    box = page.locator("[class*=st-key-index_imported]")
    expect(box).to_contain_text("Search by words")
    # Nobody reloads the page: the box watches the job.
    expect(box.locator(".wb-row", has_text="Search by meaning")).to_contain_text("ready", timeout=LONG)
    query = urlencode({"q": QUESTION, "lang": "de", "corpus": name, "ask": "1"})
    page.goto(f"{app_url}/ask?{query}")
    first = page.locator(".wb-doc").first
    expect(first).to_contain_text("Books may be borrowed for four weeks", timeout=LONG)
    expect(page.get_by_text("has no vectors")).to_have_count(0)
