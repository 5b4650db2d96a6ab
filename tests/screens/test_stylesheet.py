"""The stylesheet reaches the browser."""

from __future__ import annotations

from workbench.ui.theme import STYLES


def test_no_sign_in_it_makes_the_browsers_cleaner_drop_it() -> None:
    # DOMPurify, through which Streamlit passes it, takes "<" before a letter for a way to smuggle in a tag.
    assert "<" not in STYLES.read_text(encoding="utf-8")
