"""People's files in a real browser: uploaded, asked about in another language, cited to the page and the place."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.browser.controls import SOON, again, settled
from tests.data.documents.sample_files import FERRY, LIBRARY, LIGHTHOUSE, OBSERVATORY, RIVER, docx, printed_pdf
from workbench.data.corpora.build import file_of
from workbench.data.corpora.corpus_library import CorpusLibrary
from workbench.data.documents.isolated_reading import FileRequest
from workbench.data.documents.pdf.pdf_pages import open_pdf

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.slow, pytest.mark.browser]

SLOW = 180_000
"""Milliseconds for reading and indexing on a busy machine."""


def _add(page: Page, app_url: str, corpus: str, files: Sequence[Path]) -> None:
    """Uploads files, names a new corpus for them, and adds them."""
    page.goto(f"{app_url}/data")
    control = page.locator(".st-key-data_documents input[type=file]")
    control.wait_for(state="attached")
    settled(page)
    control.set_input_files([str(path) for path in files])
    page.locator(".st-key-documents_actions button").first.wait_for(timeout=SLOW)
    page.locator(".st-key-documents_options summary").click()
    name = page.locator(".st-key-data_documents").get_by_label("Name of the corpus", exact=True)
    again(page, lambda: _choose_new(page), lambda: expect(name).to_be_visible(timeout=1000 * SOON))
    name.fill(corpus)
    name.press("Enter")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("button", name="Ask about these").wait_for(timeout=SLOW)


def _choose_new(page: Page) -> None:
    """Chooses a corpus of their own, not the one of files that were added before."""
    page.get_by_role("combobox", name="Add to", exact=True).click()
    page.get_by_role("option", name="A new corpus", exact=True).click()


def _ask(page: Page, question: str) -> None:
    """Asks about what was added: the second and the third click."""
    page.get_by_role("button", name="Ask about these").click()
    field = page.get_by_label("Question", exact=True)
    field.fill(question)
    page.get_by_role("button", name="Ask", exact=True).click()
    page.locator(".wb-doc").first.wait_for(timeout=SLOW)
    settled(page)


def _shown_page(page: Page, place: str) -> Image.Image:
    """The image of the page of the document with this place in its file."""
    document = page.locator("[class*='st-key-ask_document_']").filter(has_text=place)
    document.get_by_role("button", name="Show the page").click()
    image = document.locator("img")
    image.wait_for(timeout=SLOW)
    response = page.request.get(str(image.evaluate("image => image.src")))
    return Image.open(io.BytesIO(response.body())).convert("RGB")


def _under_the_mark(image: Image.Image, file: Path, number: int) -> str:
    """The letters of the page whose middles are marked, as docling reads them, in the file's order."""
    letters = []
    with open_pdf(FileRequest(file, file.name)) as pages:
        width, height = pages.size(number)
        for glyph in pages.page(number).glyphs:
            left, bottom, right, top = glyph.box
            column = (left + right) / 2 / width * image.width
            rows = [(1 - (bottom + share * (top - bottom)) / height) * image.height for share in (0.1, 0.5, 0.9)]
            if any(_is_marked(image, column, row) for row in rows):
                letters += [letter for letter in glyph.text if letter.isalnum()]
    return "".join(letters)


def _is_marked(image: Image.Image, column: float, row: float) -> bool:
    red, _, blue = image.getpixel((int(column), int(row)))  # type: ignore[misc]
    return bool(red > 200 and blue < 150)


def _letters(text: str) -> str:
    return "".join(letter for letter in text if letter.isalnum())


def _file(workspace: Path, corpus: str, document: str) -> Path:
    file = file_of(CorpusLibrary(workspace / "corpora").open(corpus).folder, document)
    assert file is not None
    return file


def test_files_in_three_languages_answer_a_question_in_a_fourth_with_file_and_page(
    page: Page, browser: Browser, app_url: str, workspace: Path, tmp_path: Path
) -> None:
    text = tmp_path / "buecherei.txt"
    text.write_text(LIBRARY, encoding="utf-8")
    word = docx(tmp_path / "observatoire.docx", OBSERVATORY)
    _add(page, app_url, "three-files", [printed_pdf(browser, tmp_path / "harbour.pdf", *FERRY), word, text])
    _ask(page, "¿Qué diseñó Hilda Rautavaara?")
    expect(page.locator(".wb-said")).to_contain_text("lighthouse")
    expect(page.locator(".wb-doc").first).to_contain_text("harbour.pdf, page 2")
    image = _shown_page(page, "harbour.pdf, page 2")
    marked = _under_the_mark(image, _file(workspace, "three-files", "harbour.pdf"), 2)
    assert _letters(LIGHTHOUSE) in marked
    assert marked == _letters("".join(page.locator(".wb-doc").first.locator("mark").all_inner_texts()))


def test_a_sentence_written_from_right_to_left_is_marked_where_it_stands(
    page: Page, browser: Browser, app_url: str, workspace: Path, tmp_path: Path
) -> None:
    pdf = printed_pdf(browser, tmp_path / "river.pdf", RIVER, lang="ar", direction="rtl")
    _add(page, app_url, "river", [pdf])
    _ask(page, "من بنى الجسر الحجري؟")
    image = _shown_page(page, "river.pdf, page 1")
    marked = _under_the_mark(image, _file(workspace, "river", "river.pdf"), 1)
    quoted = "".join(page.locator(".wb-doc").first.locator("mark").all_inner_texts())
    assert "سليم" in quoted
    # The file has the letters in the order in which they are drawn.
    assert sorted(marked) == sorted(_letters(quoted))
