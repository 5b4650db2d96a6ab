"""Answers that stream, Stop, permission to send, and Settings, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from tests.browser.controls import settled
from tests.models.llm.conftest import Served, served_smollm2, smollm2
from tests.servers.misbehaving import MisbehavingServer, misbehaving

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["served_smollm2", "smollm2"]

pytestmark = [pytest.mark.slow, pytest.mark.browser]

QUESTION = "Who won the London chess tournament of 1851?"
WRITING = ".wb-writing"
PATIENCE = 20.0


@pytest.fixture
def server() -> Iterator[MisbehavingServer]:
    with misbehaving() as running:
        yield running


def ask(page: Page, app_url: str, generator: str, **choices: str) -> None:
    """Open Ask with a generator and press Ask."""
    page.goto(f"{app_url}/ask?{urlencode({'q': QUESTION, 'lang': 'en', 'generator': generator, **choices})}")
    page.wait_for_selector(".wb-example")
    page.get_by_role("button", name="Ask", exact=True).click()


def test_a_real_server_streams_its_tokens_onto_the_screen(page: Page, app_url: str, served_smollm2: Served) -> None:
    ask(page, app_url, f"openai-like:{served_smollm2.model}@{served_smollm2.url}", prompt="reply-short-en")
    page.wait_for_selector(".wb-answer .wb-said")
    page.wait_for_selector(".wb-doc")
    assert page.locator(WRITING).count() == 0
    assert "read, " in (page.locator(".wb-answer").text_content() or "")


def test_stop_ends_the_answer_and_keeps_the_part_that_came(page: Page, app_url: str, server: MisbehavingServer) -> None:
    ask(page, app_url, f"openai-like:m@{server.url('writes-on')}")
    page.wait_for_function("() => document.querySelector('.wb-writing')?.textContent.includes('word5')")
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_text("Stopped: this is only part of the answer.").wait_for()
    assert server.gone.wait(PATIENCE)
    page.wait_for_selector(".wb-doc")
    text = page.locator(".wb-said").inner_text()
    assert text.startswith("word0 word1 word2")
    assert page.locator(WRITING).count() == 0


def test_leaving_the_page_ends_the_answer(page: Page, app_url: str, server: MisbehavingServer) -> None:
    ask(page, app_url, f"openai-like:m@{server.url('writes-on')}")
    page.wait_for_selector(WRITING)
    page.get_by_role("link", name="Home").click()
    assert server.gone.wait(PATIENCE)


def test_a_stream_that_breaks_off_keeps_its_part_of_the_answer_and_says_so(
    page: Page, app_url: str, server: MisbehavingServer
) -> None:
    ask(page, app_url, f"openai-like:m@{server.url('cuts')}")
    page.wait_for_selector(".wb-error")
    assert "broke off within the answer" in page.locator(".wb-error").inner_text()
    assert "Pa" in page.locator(".wb-answer").inner_text()


def test_nothing_is_sent_before_permission_is_given(page: Page, app_url: str) -> None:
    ask(page, app_url, "openai-like:gpt-4o-mini")
    page.get_by_role("button", name="Send to api.openai.com").wait_for()
    assert "Nothing has been sent yet." in page.locator(".wb-message").all_inner_texts()[-1]


@pytest.mark.parametrize("width", [1280, 390])
def test_settings_shows_every_section_without_overflow(page: Page, app_url: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{app_url}/settings")
    for name in ("Rerankers", "Generators", "Translators", "Language identification", "Endpoints", "Keys", "Encoders"):
        page.get_by_role("radio", name=name, exact=True).click(force=True)
        page.wait_for_selector(".wb-component" if name not in ("Endpoints", "Keys") else ".stDataFrame")
        edges = page.locator(".stMain .wb-component, .stMain .stDataFrame, .stMain .stCode").evaluate_all(
            "all => all.map(one => one.getBoundingClientRect().right)"
        )
        assert max(edges) <= width


def test_a_component_is_tested_from_the_screen(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}/settings")
    settled(page)
    page.get_by_role("radio", name="Language identification").click(force=True)
    page.locator(".st-key-component_identifier_builtin").wait_for()
    settled(page)  # a click while the page is drawn again is lost
    page.locator(".st-key-component_identifier_builtin").get_by_role("button", name="Test").first.click()
    page.get_by_text("is in the language “en”").wait_for()
