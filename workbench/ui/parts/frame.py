"""What every screen shares: the list of screens, the titles of the browser's tabs, and the style sheet."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route
from streamlit.navigation.page import Page

from workbench.models import key_policy
from workbench.ui.parts import safe_html, signed_in

TITLE = "mRAG workbench"
STYLES = Path(__file__).with_name("screen.css")
"""The look that Streamlit's theme cannot give: a style sheet of ours, put on every page."""
SHEET = "look/static/screen.css"
"""Its address below that of the app. Pages lie there, too, so that it is found from each, also behind a proxy."""
HOME, CLOSED = "home", "Sign in"
"""The path of the first screen, and the title of all while nobody is signed in."""
PRESENTING = f"<style>{Path(__file__).with_name('presenting.css').read_text('utf-8')}</style>"
"""The look of a slide, for the `SLIDES`: the paths of pages that show some."""
SLIDES = ("ask", "tour")
ABOVE = '<style>[data-testid="stHeader"] { padding-inline-end: 13rem; }</style>'
"""Leaves room in the menu for what is drawn at its end."""
MENU = Path(__file__).with_name("menu.js").read_text("utf-8")
"""Closes the menu of a narrow screen once a screen is chosen in it."""
INSIDE = "inside_frame"
OPEN, VISIT = "open_page", "visit"
"""The session's keys for the path of the page that is open, and for how many were opened: a page tells by it whether
somebody comes from another one."""
BACKGROUND = "asking"
"""The session's key for an answer that Ask is writing in the background; it can be stopped."""


def run(above: Callable[[], None] | None = None) -> None:
    """Draws the frame and the screen that was opened, with what `above` draws at its top."""
    key_policy.serve_at(str(st.get_option("server.address") or ""))
    page = _navigation()
    st.html(_style(), unsafe_allow_javascript=True)
    if page.url_path in SLIDES:
        st.html(PRESENTING)
    if above is not None:
        st.html(ABOVE)
        above()
    st.session_state[INSIDE] = True
    if st.session_state.get(OPEN) != page.url_path:
        st.session_state[OPEN] = page.url_path
        st.session_state[VISIT] = st.session_state.get(VISIT, 0) + 1
    page.run()


def run_closed(draw: Callable[[], None]) -> None:
    """In place of every screen draws the same, under the address that was opened: no menu, no screen's name."""
    _closed_navigation()
    st.html(_style(), unsafe_allow_javascript=True)
    draw()


def sheet_route(root: str) -> Route:
    """The route of the style sheet below a path. A browser asks once: another sheet has another address."""

    async def reply(_: Request) -> Response:
        return FileResponse(STYLES, headers={"Cache-Control": "public, max-age=31536000, immutable"})

    return Route(f"{root.rstrip('/')}/{SHEET}", reply)


@cache
def _style() -> str:
    version = sha256(STYLES.read_bytes()).hexdigest()[:12]
    return f'<style>@import url("{SHEET}?v={version}");</style><script>{MENU}</script>'


def problem(sentence: str) -> None:
    """All that is shown where the workspace cannot be read."""
    st.title(TITLE)
    safe_html.message(sentence, "error")


def screens() -> list[Page]:
    """The screens, in the order of the menu."""
    return [
        st.Page("pages/home.py", title="Home", icon=":material/home:", url_path=HOME, default=True),
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


def _closed_navigation() -> None:
    st.set_page_config(page_icon="🌐", page_title=f"{CLOSED} · {TITLE}", layout="wide")
    # A page is known by its path, so the one that was opened is still open once its screen is drawn.
    pages = [
        st.Page(_nothing, title=CLOSED, url_path=page.url_path or HOME, default=not page.url_path) for page in screens()
    ]
    st.navigation(pages, position="hidden")


def _nothing() -> None:
    """What a page of the closed navigation has; what is shown does not depend on it."""


def enter(*, keeps_answer: bool = False) -> None:
    """Called first by every screen: starts again from the frame if Streamlit bypassed it, or nobody is signed in.

    An answer that Ask is writing is stopped unless the screen `keeps_answer`: nobody on another screen waits for it.

    Until `st.navigation` has been called once in a server's life, Streamlit runs a file of `pages/` that a URL names
    by itself. Calling it ends that, and the rerun starts at app.py.
    """
    if not st.session_state.get(INSIDE) or not signed_in.is_anybody():
        _closed_navigation()
        st.rerun()
    signed_in.note_use()
    if not keeps_answer:
        stop_background()


def stop_background() -> None:
    """Stops the answer that is being written in the background, if any."""
    background = st.session_state.get(BACKGROUND)
    if background is not None:
        background.stop()
