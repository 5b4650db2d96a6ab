"""The scripts of the Ask screen: it reads a new answer out, and copies a link.

They are constants: what they need from a page they read there, so that no data is ever part of a script.
"""

from __future__ import annotations

from pathlib import Path

from workbench.ui.parts import safe_html
from workbench.ui.parts.safe_html import COPY, copy_button, element

ANSWER = "answer"
"""The anchor of the answer."""

HEAR_ANSWER = Path(__file__).with_name("hear_answer.js").read_text("utf-8")
"""A screen reader hears each new answer, once it is drawn."""


def copy_link() -> None:
    """A button that copies the page's address, where `listen` was called."""
    text = element("span", css="wb-address wb-unseen")
    safe_html.show(element("div", copy_button("Copy link"), text, css="wb-copy"))


def listen() -> None:
    """Makes the buttons that copy work, and new answers heard: once on the page, so that no answer brings a script."""
    safe_html.run_script(f"{COPY}\n{HEAR_ANSWER}")
