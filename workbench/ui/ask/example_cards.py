"""The examples as cards: a phenomenon, a question, what to look for, and a link that asks the question."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from workbench.pipeline import mode
from workbench.ui.ask.examples import EXAMPLES, Example
from workbench.ui.parts import safe_html
from workbench.ui.parts.badges import language_badge
from workbench.ui.parts.safe_html import Html, element, escaped, text_block

ACROSS = 4
"""Number of cards side by side on a wide screen."""

ASK = "pages/ask.py"


def cards(examples: Sequence[Example] = EXAMPLES) -> None:
    """The examples, side by side where there is room."""
    for start in range(0, len(examples), ACROSS):
        for column, example in zip(st.columns(ACROSS, gap="small"), examples[start : start + ACROSS], strict=False):
            with column, st.container(border=True, height="stretch", vertical_alignment="distribute"):
                _card(example)


def row() -> None:
    """The examples as one line of links."""
    with st.container(horizontal=True, gap="small"):
        for example in EXAMPLES:
            _link(example, f"{example.title} ({example.language})")


def _card(example: Example) -> None:
    safe_html.show(
        element(
            "div",
            element("div", _title(example), language_badge(example.language), css="wb-row"),
            text_block(example.question.text, example.language, "wb-ask"),
            text_block(example.look, "en", "wb-muted"),
            css="wb-example",
        )
    )
    _link(example, f"Ask with {mode(example.mode).title}")


def _title(example: Example) -> Html:
    return element("span", escaped(example.title), css="wb-label")


def _link(example: Example, label: str) -> None:
    st.page_link(ASK, label=label, icon=":material/arrow_forward:", query_params=example.choice.to_params())
