"""The keyboard of Annotate: each label has a digit or letter, ← → turn, Enter completes, U takes back, M marks words.

What a key writes counts, and on a keyboard of another script where it lies: an Arabic one labels too.

Keys that are pressed while an earlier one is still being saved wait for their turn. While the connection is lost,
when Streamlit disables its buttons, a line at the top of the page says that nothing is saved, and keys do nothing,
until the server has drawn the page again. The keyboard is off while somebody types in a field, which Escape leaves, and
on pages without labels.
"""

from __future__ import annotations

import time
from pathlib import Path

import streamlit as st

from workbench.ui.inspect import instance_page
from workbench.ui.parts import keyboard
from workbench.ui.parts.safe_html import Html

LABEL, BACK, FORWARD = "inspect_label_", "inspect_back", "inspect_forward"
COMPLETE, UNDO, GUIDELINE = "inspect_complete", "inspect_undo", "inspect_guideline"
ITEM = "inspect_item"
"""The keys of the controls that the keyboard presses, and of the item; a label's ends in its number, from 1."""
KEYS = "1234567890ABDEFGHIJKLNOPQSTVWXYZ"
"""The keys of the labels in their order: digits, then letters but for C and R, which Streamlit takes, M and U."""

KEYBOARD = Path(__file__).with_name("label_keys.js").read_text("utf-8")


REJOIN = Path(__file__).with_name("rejoin.js").read_text("utf-8")
"""Has a server that comes back draw the page, and sees by the run's time that it did.

Until it has done so once, it knows no button and loses the press.
"""
REJOINING = st.components.v2.component("workbench_rejoin", js=REJOIN, isolate_styles=False)


def listen(number: int) -> None:
    """Makes the keyboard work on this page; `number` differs from item to item."""
    keyboard.listen(KEYBOARD)
    instance_page.show_beginning(number)
    REJOINING(key="inspect_rejoin", data={"run": time.time()}, on_back_change=lambda: None)


def key_of(number: int) -> str:
    """The key of the label with a number, from 0; "" for those after the last key."""
    return KEYS[number : number + 1]


def cap(key: str) -> str:
    """A key in the label of a button, which the style sheet draws as one, and hides where there is no keyboard."""
    return f"`{key}`" if key else ""


def keys_line(labels: int) -> Html:
    """The keys, as a line of small print; of a number of `labels`."""
    last = KEYS[min(labels, len(KEYS)) - 1]
    letters = "1–9, 0" + (f", {KEYS[10]}–{last}" if labels > 10 else "")
    return keyboard.keys_line(
        (letters if labels > 9 else f"1–{last}", "label"),
        ("← →", "previous, next"),
        ("↑ ↓", "fields"),
        ("Enter", "completes the answer and opens the next; without a label where none applies"),
        ("U", "undo"),
        ("?", "guideline"),
        ("M", "mark words of the answer: ← → go, Shift + ← → extend, Enter marks, Delete removes"),
        ("Esc", "out of a field"),
    )
