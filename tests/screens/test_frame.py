"""What all screens share: each has a title of its own in the browser's tab."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st

from workbench.ui.parts import frame


def test_each_screen_has_its_title_in_the_browsers_tab(monkeypatch: pytest.MonkeyPatch) -> None:
    settings: dict[str, Any] = {}
    monkeypatch.setattr(st, "set_page_config", lambda **values: settings.update(values))
    monkeypatch.setattr(frame, "screens", list)
    monkeypatch.setattr(
        st, "navigation", lambda screens, position: SimpleNamespace(url_path="", title="Runs", run=lambda: None)
    )
    monkeypatch.setattr(st, "html", lambda styles, **_: None)
    frame.run()
    assert (settings["page_title"], settings["layout"]) == ("Runs · mRAG workbench", "wide")


def test_the_link_of_the_navigation_that_has_the_focus_is_visible() -> None:
    assert '[data-testid^="stTopNav"]:focus-visible' in frame.STYLES.read_text(encoding="utf-8")
