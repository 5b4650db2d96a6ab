"""What every screen shares: the list of screens, the page's title and look."""

from __future__ import annotations

import streamlit as st
from streamlit.navigation.page import Page

from workbench.ui.shared import theme

TITLE = "mRAG workbench"
INSIDE = "inside_frame"


def run() -> None:
    """Draws the frame and the screen asked for."""
    page = _navigation()
    theme.apply()
    st.session_state[INSIDE] = True
    page.run()


def screens() -> list[Page]:
    """The screens, in the order of the menu."""
    return [
        st.Page("pages/home.py", title="Home", icon=":material/home:", url_path="home", default=True),
        st.Page("pages/ask.py", title="Ask", icon=":material/search:", url_path="ask"),
        st.Page("pages/data.py", title="Data", icon=":material/database:", url_path="data"),
        st.Page("pages/runs.py", title="Runs", icon=":material/play_circle:", url_path="runs"),
        st.Page("pages/dashboard.py", title="Dashboard", icon=":material/leaderboard:", url_path="dashboard"),
        st.Page("pages/settings.py", title="Settings", icon=":material/settings:", url_path="settings"),
    ]


def _navigation() -> Page:
    # The icon is set here because a screen's own would be fetched from Google as a favicon.
    st.set_page_config(page_title=TITLE, page_icon="🌐", layout="wide")
    return st.navigation(screens(), position="top")


def required(*, goes_on: bool = False) -> None:
    """Called first by every screen: goes back through the frame where Streamlit came around it.

    An answer that is being written on Ask is stopped, unless it `goes_on`: whoever is elsewhere does not wait for it.

    Until `st.navigation` has been called once in a server's life, Streamlit runs a file of `pages/` that an address
    names on its own. Calling it ends that, and the rerun starts at app.py.
    """
    if not st.session_state.get(INSIDE):
        _navigation()
        st.rerun()
    if not goes_on:
        # Imported here: the first page needs nothing of it.
        from workbench.ui.ask import asking

        asking.leave()
