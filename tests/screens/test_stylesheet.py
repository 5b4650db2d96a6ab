"""The stylesheet reaches the browser, and knows what it sets anew."""

from __future__ import annotations

from workbench.ui.parts.chart_style import GREY
from workbench.ui.parts.frame import STYLES


def test_no_sign_in_it_makes_the_browsers_cleaner_drop_it() -> None:
    # DOMPurify, through which Streamlit passes it, takes "<" before a letter for a way to smuggle in a tag.
    assert "<" not in STYLES.read_text(encoding="utf-8")


def test_it_finds_the_texts_of_figures_by_the_colour_that_charts_give_them() -> None:
    red, green, blue = (int(GREY[place : place + 2], 16) for place in (1, 3, 5))
    assert f"rgb({red}, {green}, {blue})" in STYLES.read_text(encoding="utf-8")
