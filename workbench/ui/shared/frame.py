"""What every screen shares: the list of screens, the titles of the browser's tabs, and the style sheet."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from streamlit.navigation.page import Page

from workbench.models import key_policy

TITLE = "mRAG workbench"
STYLES = Path(__file__).with_name("screen.css")
"""The look that Streamlit's theme cannot give: a style sheet of ours, put on every page."""
INSIDE = "inside_frame"
BACKGROUND = "asking"
"""The session's key for an answer that Ask is writing in the background; it can be stopped."""


def run() -> None:
    """Draws the frame and the screen that was opened."""
    key_policy.serve_at(str(st.get_option("server.address") or ""))
    page = _navigation()
    st.html(STYLES)
    st.session_state[INSIDE] = True
    page.run()


def screens() -> list[Page]:
    """The screens, in the order of the menu."""
    return [
        st.Page("pages/home.py", title="Home", icon=":material/home:", url_path="home", default=True),
        st.Page("pages/ask.py", title="Ask", icon=":material/search:", url_path="ask"),
        st.Page("pages/compare.py", title="Compare", icon=":material/compare:", url_path="compare"),
        st.Page("pages/data.py", title="Data", icon=":material/database:", url_path="data"),
        st.Page("pages/runs.py", title="Runs", icon=":material/play_circle:", url_path="runs"),
        st.Page("pages/optimise.py", title="Optimise", icon=":material/tune:", url_path="optimise"),
        st.Page("pages/dashboard.py", title="Dashboard", icon=":material/leaderboard:", url_path="dashboard"),
        st.Page("pages/inspect.py", title="Inspect", icon=":material/fact_check:", url_path="inspect"),
        st.Page("pages/tour.py", title="Tour", icon=":material/tour:", url_path="tour"),
        st.Page("pages/settings.py", title="Settings", icon=":material/settings:", url_path="settings"),
    ]


def _navigation() -> Page:
    # The icon is set here because a screen's icon would be fetched from Google as a favicon.
    st.set_page_config(page_icon="🌐", layout="wide")
    page = st.navigation(screens(), position="top")
    st.set_page_config(page_title=f"{page.title} · {TITLE}")
    return page


def enter(*, keeps_answer: bool = False) -> None:
    """Called first by every screen: starts again from the frame if Streamlit bypassed it.

    An answer that Ask is writing is stopped unless the screen `keeps_answer`: nobody on another screen waits for it.

    Until `st.navigation` has been called once in a server's life, Streamlit runs a file of `pages/` that a URL names
    by itself. Calling it ends that, and the rerun starts at app.py.
    """
    if not st.session_state.get(INSIDE):
        _navigation()
        st.rerun()
    if not keeps_answer:
        stop_background()


def stop_background() -> None:
    """Stops the answer that is being written in the background, if any."""
    background = st.session_state.get(BACKGROUND)
    if background is not None:
        background.stop()
