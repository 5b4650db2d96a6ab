"""The screens in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, get_args
from urllib.parse import urlencode, urlsplit

import pytest
import regex

from tests.browser.controls import settled, unfold, write
from tests.browser.payloads import HOST, PAYLOADS
from workbench.ui.ask import page_scripts
from workbench.ui.ask.ask_state import link
from workbench.ui.ask.examples import EXAMPLES
from workbench.ui.parts import frame, safe_html

if TYPE_CHECKING:
    from playwright.sync_api import Dialog, Page

pytestmark = pytest.mark.browser

OURS = set(get_args(safe_html.Tag))
SCRIPTS = (page_scripts.HEAR_ANSWER, safe_html.COPY, frame.MENU)


def _address(app_url: str, language: str) -> str:
    return f"{app_url}/{link(next(item for item in EXAMPLES if item.language == language).choice)}"


def _external_requests(page: Page, app_url: str) -> list[str]:
    """Collects every request that leaves the app."""
    urls: list[str] = []

    def note(url: str) -> None:
        if urlsplit(url).scheme not in ("data", "blob") and urlsplit(url).netloc != urlsplit(app_url).netloc:
            urls.append(url)

    page.on("request", lambda request: note(request.url))
    page.on("websocket", lambda socket: note(socket.url))
    return urls


def test_payloads_in_question_documents_and_address_are_shown_as_text_and_do_nothing(page: Page, app_url: str) -> None:
    strangers = _external_requests(page, app_url)
    dialogs: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    question = "Radio? " + " ".join(PAYLOADS)
    choices = {"q": question, "lang": "en", "corpus": "payloads", "mode": "multirag", "retriever": "dense", "k": "20"}
    bad = {"prompt": f"![x]({HOST}/a.png)", "balance": "<img src=x onerror=alert(6)>", "ask": "1"}
    page.goto(f"{app_url}/ask?{urlencode({**choices, **bad})}")
    page.wait_for_selector(".wb-doc")

    documents = page.locator(".wb-doc").evaluate_all("all => all.map(one => one.textContent)")
    assert len(documents) == len(PAYLOADS)
    assert [payload for payload in PAYLOADS if not any(f": {payload}" in text for text in documents)] == []
    titles = page.locator(".wb-title").all_text_contents()
    assert sorted(titles) == sorted(PAYLOADS)
    assert question in page.locator(".wb-answer").evaluate("one => one.textContent")
    errors = " ".join(page.locator(".wb-error").all_text_contents())
    assert f"![x]({HOST}/a.png)" in errors
    assert "<img src=x" in errors

    unfold(page, "Exact prompt")
    page.wait_for_selector(".wb-exact pre")
    prompt = "".join(page.locator(".wb-exact pre").evaluate_all("all => all.map(one => one.textContent)"))
    assert [payload for payload in PAYLOADS if payload not in prompt] == []
    unfold(page, "Steps and timings")
    page.wait_for_selector(".wb-table")

    tags = page.evaluate(
        "() => [...document.querySelectorAll('.stMain .stHtml *')].map(one => one.tagName.toLowerCase())"
    )
    assert set(tags) <= OURS | {"script", "style"}
    styles = page.locator(".stMain .stHtml style").evaluate_all("all => all.map(one => one.textContent)")
    assert [
        style for style in styles if not regex.fullmatch(r'@import url\("[\w/.-]+\?v=[0-9a-f]{12}"\);', style)
    ] == []
    scripts = page.locator(".stMain .stHtml script").evaluate_all("all => all.map(one => one.textContent)")
    assert [script for script in scripts if not any(ours in script for ours in SCRIPTS)] == []
    dangerous = ("form", "iframe", "object", "embed", "img", "svg[onload]", "a[href^='javascript']", "meta", "link")
    assert page.locator(", ".join(f".stMain {one}" for one in dangerous)).count() == 0
    assert page.evaluate("() => window.pwned") is None
    assert dialogs == []
    assert strangers == []


def test_an_arabic_answer_is_set_right_to_left_and_the_address_restores_the_choice(page: Page, app_url: str) -> None:
    strangers = _external_requests(page, app_url)
    page.goto(_address(app_url, "ar"))
    page.wait_for_selector(".wb-said")
    assert page.locator(".wb-said").evaluate("one => getComputedStyle(one).direction") == "rtl"
    assert page.locator(".wb-doc .wb-text").first.evaluate("one => getComputedStyle(one).direction") == "rtl"
    assert "monoRAG · user's language" in page.locator(".st-key-ask_with").inner_text()
    assert page.locator("input[aria-label='Question']").input_value().endswith("؟")
    assert page.get_by_role("link", name="Home").is_visible()
    assert strangers == []


def test_a_typed_question_is_answered_and_put_into_the_address(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/ask")
    page.locator("input[aria-label='Question']").fill("Who won the London chess tournament of 1851?")
    page.keyboard.press("Enter")
    page.wait_for_selector(".wb-said")
    assert "Anderssen" in page.locator(".wb-said").inner_text()
    page.wait_for_url("**/ask?q=Who+won**")


@pytest.mark.slow
def test_examples_lead_to_their_answers_and_back_leads_back(page: Page, app_url: str) -> None:
    page.goto(app_url)
    page.get_by_role("link", name="Ask with D-RAG").click()
    page.wait_for_selector(".wb-part")
    assert page.locator(".wb-part").count() == 3
    unfold(page, "More examples")
    page.get_by_role("link", name="Scope matters (ar)").click()
    page.wait_for_selector(".wb-said:lang(ar)")
    page.wait_for_url("**mode=monorag**")
    unfold(page, "Change")
    page.get_by_role("radio", name="English", exact=True).click(force=True)
    page.wait_for_url("**scope=en**")
    page.go_back()
    page.wait_for_url("**scope=ul**")
    page.go_back()
    page.wait_for_selector(".wb-part")


def test_after_the_dashboard_back_still_leads_to_the_earlier_question(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/dashboard")
    settled(page)
    page.get_by_role("link", name="Ask", exact=True).click()
    for question in ("Who invented radio?", "Who won the London chess tournament of 1851?"):
        write(page, "Question", question)
        page.wait_for_url(f"**/ask?q={question.replace(' ', '+').replace('?', '%3F')}**")
        settled(page)
    page.go_back()
    page.wait_for_url("**/ask?q=Who+invented+radio**")


@pytest.mark.parametrize("language", ["th", "zh"])
def test_nothing_overflows_on_a_narrow_screen(page: Page, app_url: str, language: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(_address(app_url, language))
    page.wait_for_selector(".wb-doc")
    parts = ".stMain .wb-text, .stMain .wb-doc, .stMain .wb-answer, .stMain .stButtonGroup, .stMain input"
    edges = page.locator(parts).evaluate_all("all => all.map(one => one.getBoundingClientRect().right)")
    widest = max(edges)
    assert widest <= 390


def test_the_server_logged_no_error(app_url: str, workspace: Path) -> None:
    log = (workspace / "app.log").read_text(encoding="utf-8")
    assert "Traceback" not in log
