"""Selecting a language identifier and removing an endpoint, in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.languages.relabelled import relabelled
from workbench.components.endpoint_file import NamedEndpoint, save_endpoint

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.slow, pytest.mark.browser]

CARD = ".st-key-component_identifier_{}"


def section(page: Page, app_url: str, name: str) -> None:
    page.goto(f"{app_url}/settings")
    page.get_by_role("radio", name=name, exact=True).click(force=True)


def test_one_click_selects_an_identifier_and_another_the_built_in_one(
    page: Page, app_url: str, workspace: Path
) -> None:
    (workspace / "identifiers").mkdir()
    relabelled(workspace / "identifiers" / "lid.176.bin", lambda code: code)
    section(page, app_url, "Language identification")
    page.get_by_role("button", name="Use this one").click()
    page.locator(CARD.format("lid-176")).get_by_text("in use").wait_for()
    page.get_by_role("button", name="Use the built-in one").click()
    page.locator(CARD.format("builtin")).get_by_text("in use").wait_for()


def test_an_endpoint_is_removed_after_a_confirmation_that_can_be_left(
    page: Page, app_url: str, workspace: Path
) -> None:
    save_endpoint(workspace, "lab", NamedEndpoint(url="http://127.0.0.1:9/v1"))
    section(page, app_url, "Endpoints")
    remove = page.get_by_role("button", name="Remove", exact=True)
    confirm = page.get_by_role("button", name="Remove it")
    remove.click()
    confirm.wait_for()
    page.keyboard.press("Escape")
    confirm.wait_for(state="hidden")
    remove.click()
    confirm.click()
    page.get_by_text("The endpoint lab was removed.").wait_for()
