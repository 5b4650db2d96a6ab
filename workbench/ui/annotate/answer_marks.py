"""The answer of an item, in which its person marks what a label is about: by mouse, by keyboard or with a finger.

The browser draws the text with its marks and reports what a person selects. Its script is a constant, and what it is
given as data becomes text by `textContent` alone, never markup. Positions are counted in code points of the text that
it was given, so what Python reads is exact in any script; the text between them is sent along, so that Python can tell.
With the keyboard the arrows go from word to word in the direction in which the text is read, Shift extends, Enter
marks, Delete removes a mark and Escape leaves the text.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from workbench.annotation import LabelRecord, QueueItem, nfc
from workbench.experiments import gold_spans
from workbench.ui.annotate import labelling
from workbench.ui.annotate.labelling import LabellingDesk
from workbench.ui.parts.safe_html import plain_label

FRAME = '<div class="wb-marks"></div>'
"""What the script fills; it is ours alone."""

SCRIPT = Path(__file__).with_name("answer_marks.js").read_text("utf-8")


MARKS = "inspect_marks"
"""How the keys of the texts begin, one for each item."""
COMPONENT = st.components.v2.component("workbench_marks", html=FRAME, js=SCRIPT, isolate_styles=False)
NO_LABEL_YET = "Give a label first; then select the words that it is about."
HUES = (205, 20, 130, 280, 340, 50, 175, 235, 95)
"""The hues of the first nine labels; further ones begin again."""


def draw(desk: LabellingDesk, item: QueueItem, record: LabelRecord | None, code: str, golds: tuple[str, ...]) -> None:
    """The answer with its marks and with what matches a gold; a selection in it is saved under the active label.

    `code` is the answer's language.
    """
    text, active = nfc(item.answer), labelling.active_label(desk, item, record)
    labels = {label.key: (number, label.name) for number, label in enumerate(desk.taxonomy.labels, start=1)}
    marks = []
    for span in record.spans if record else ():
        number, name = labels.get(span.label, (0, "all labels"))
        hue = HUES[(number - 1) % len(HUES)]
        values = {"start": span.start, "end": span.end, "text": span.text, "label": span.label}
        marks.append({**values, "name": name, "number": str(number or ""), "hue": hue})
    key = f"{MARKS}_{item.queue}_{item.number}_{item.showing}"
    COMPONENT(
        key=key,
        data={
            "text": text,
            "lang": code,
            "name": "Answer",
            "marks": marks,
            "golds": [{"start": start, "end": end} for start, end in gold_spans(text, golds, item.language)],
            "label": active,
            "hint": f"Select words to mark what “{labels[active][1]}” is about." if active else NO_LABEL_YET,
        },
        on_marked_change=partial(_mark, desk, item, key),
        on_removed_change=partial(_remove, desk, item, key),
    )


def active_label(desk: LabellingDesk, item: QueueItem, record: LabelRecord | None) -> None:
    """Which of several labels the next mark is of; nothing is asked where there are fewer than two."""
    if record is None or len(record.labels) < 2:
        return
    key = labelling.active_key(item)
    st.session_state[key] = labelling.active_label(desk, item, record)
    st.segmented_control(
        "Label for the next mark",
        record.labels,
        key=key,
        format_func=lambda label: plain_label(desk.taxonomy.label(label).name),
        required=True,
        help="Words that you select in the answer are marked as what this label is about.",
    )


def _mark(desk: LabellingDesk, item: QueueItem, key: str) -> None:
    event: Any = st.session_state[key].get("marked")
    labelling.mark(desk, item, event)


def _remove(desk: LabellingDesk, item: QueueItem, key: str) -> None:
    event: Any = st.session_state[key].get("removed")
    labelling.remove_mark(desk, item, event)
