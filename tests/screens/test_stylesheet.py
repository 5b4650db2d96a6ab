"""The stylesheet reaches the browser, and knows what it sets anew."""

from __future__ import annotations

import re

from starlette.applications import Starlette
from starlette.testclient import TestClient

from workbench.ui.parts import frame
from workbench.ui.parts.chart_style import GREY
from workbench.ui.parts.frame import STYLES


def test_it_is_fetched_once_below_the_apps_path_and_kept() -> None:
    browser = TestClient(Starlette(routes=[frame.sheet_route("/lab")]), base_url="http://app.example/lab/")
    reply = browser.get(frame.SHEET)
    assert reply.text == STYLES.read_text(encoding="utf-8")
    assert reply.headers["content-type"].startswith("text/css")
    assert "immutable" in reply.headers["cache-control"]


def test_a_page_names_it_by_its_content() -> None:
    style, _, script = frame._style().partition("<script>")
    assert re.fullmatch(rf'<style>@import url\("{frame.SHEET}\?v=[0-9a-f]{{12}}"\);</style>', style)
    assert script == f"{frame.MENU}</script>"


def test_it_finds_the_texts_of_figures_by_the_colour_that_charts_give_them() -> None:
    red, green, blue = (int(GREY[place : place + 2], 16) for place in (1, 3, 5))
    assert f"rgb({red}, {green}, {blue})" in STYLES.read_text(encoding="utf-8")
