"""The look that Streamlit's own theme cannot give: one style sheet of ours, put on every page."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

STYLES = Path(__file__).with_name("screen.css")


def apply() -> None:
    """Puts the style sheet on the page."""
    st.html(STYLES)
