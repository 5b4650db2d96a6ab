"""Ask in a real browser: the way to Compare, the link to copy, the presentation, and a phone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.browser.controls import settled, unfold
from workbench.pipeline.choices import MODES

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

RADIO = {"q": "Who invented radio?", "lang": "en", "mode": "drag", "ask": "1"}


def test_compare_leads_to_all_modes_and_a_file_holds_their_answers(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{app_url}/ask?{urlencode(RADIO, doseq=True)}")
    page.locator(".st-key-answer_actions").get_by_role("button", name="Compare").click()
    # The first tRAG of a workspace learns the words of every language; beside other tests that takes a while.
    expect(page.get_by_role("button", name="Answers in full (JSON)")).to_be_visible(timeout=120_000)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    settled(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Answers in full (JSON)").click()
    report = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert [answer["mode"] for answer in report] == [mode.name for mode in MODES]


def test_the_copied_link_is_complete_and_opens_the_same_answer(page: Page, app_url: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{app_url}/ask?{urlencode(RADIO, doseq=True)}")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(f"{app_url}/ask?q=Who+invented+radio")
    page.goto(link)
    page.wait_for_selector(".wb-said")
    expect(page.locator(".st-key-ask_with")).to_contain_text("D-RAG")


def test_a_claim_leads_to_its_sentence_a_citation_to_its_document_and_both_keep_the_answer(
    page: Page, app_url: str
) -> None:
    page.goto(f"{app_url}/ask?{urlencode(RADIO, doseq=True)}")
    page.locator(".wb-said .wb-jump", has_text="[3]").first.click()
    expect(page.locator("#document-3 mark:target")).to_be_in_viewport()
    page.locator(".wb-part .wb-jump", has_text="[2]").first.click()
    expect(page.locator("#document-2")).to_be_in_viewport()
    page.go_back()
    settled(page)
    expect(page.locator(".wb-said")).to_be_visible()


@pytest.mark.parametrize(("width", "height", "limit"), [(1280, 900, 300), (390, 844, 420)])
def test_the_answer_is_seen_without_scrolling_and_read_out(
    page: Page, app_url: str, width: int, height: int, limit: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{app_url}/ask")
    page.locator("input[aria-label='Question']").fill("Who invented radio?")
    page.keyboard.press("Enter")
    answer = page.locator(".wb-said")
    expect(answer).to_be_in_viewport()
    settled(page)
    assert answer.evaluate("one => one.getBoundingClientRect().top") <= limit
    expect(page.locator("#wb-live")).to_contain_text("inventor of radio")
    # On a phone the question is the answer's heading, and its field is folded with the settings.
    field = page.locator("input[aria-label='Question']")
    expect(field).to_be_visible(visible=width > 640)
    unfold(page, "Change")
    expect(field).to_be_visible()


def test_the_presentation_hides_all_else_and_esc_closes_it(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/ask?{urlencode(RADIO, doseq=True)}")
    page.get_by_role("button", name="Presentation view").click()
    page.wait_for_url("**presentation=1**")
    page.wait_for_selector(".wb-slide-sources")
    settled(page)
    expect(page.get_by_role("link", name="Dashboard")).to_be_hidden()
    expect(page.locator(".wb-slide-sources")).to_be_visible()
    assert len(page.locator(".wb-slide-claim").all()) > 1
    sizes = page.locator(".wb-slide-claim").evaluate_all(
        "all => all.map(one => parseFloat(getComputedStyle(one).fontSize))"
    )
    assert min(sizes) >= 40
    page.keyboard.press("ArrowRight")
    expect(page.locator(".wb-slide-method")).to_contain_text("Pivot")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".wb-slide-method")).to_contain_text("D-RAG")
    page.keyboard.press("Escape")
    expect(page.locator("input[aria-label='Question']")).to_have_value("Who invented radio?")
    expect(page.get_by_role("link", name="Dashboard")).to_be_visible()
