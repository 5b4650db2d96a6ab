"""The answer of an item, in which its person marks what a label is about: by mouse, by keyboard or with a finger."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from workbench.annotation import LabelRecord, QueueItem, nfc
from workbench.experiments import gold_spans
from workbench.ui.annotate import labelling
from workbench.ui.annotate.labelling import LabellingDesk
from workbench.ui.annotate.mark_script import FRAME, SCRIPT
from workbench.ui.parts.safe_html import plain_label

MARKS = "inspect_marks"
"""How the keys of the texts begin, one for each item."""
COMPONENT = st.components.v2.component("workbench_marks", html=FRAME, js=SCRIPT, isolate_styles=False)
NO_LABEL_YET = "Give a label first; then select the words that it is about."
HUES = (205, 20, 130, 280, 340, 50, 175, 235, 95)
"""The hues of the first nine labels; further ones begin again."""


def draw(place: LabellingDesk, item: QueueItem, record: LabelRecord | None, golds: tuple[str, ...]) -> None:
    """The answer with its marks and with what matches a gold; a selection in it is saved under the active label."""
    text, active = nfc(item.answer), labelling.active_label(place, item, record)
    labels = {label.key: (number, label.name) for number, label in enumerate(place.taxonomy.labels, start=1)}
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
            "lang": item.language,
            "name": "Answer",
            "marks": marks,
            "golds": [{"start": start, "end": end} for start, end in gold_spans(text, golds, item.language)],
            "label": active,
            "hint": f"Select words to mark what “{labels[active][1]}” is about." if active else NO_LABEL_YET,
        },
        on_marked_change=partial(_mark, place, item, key),
        on_removed_change=partial(_remove, place, item, key),
    )


def active_label(place: LabellingDesk, item: QueueItem, record: LabelRecord | None) -> None:
    """Which of several labels the next mark is of; nothing is asked where there are fewer than two."""
    if record is None or len(record.labels) < 2:
        return
    key = labelling.active_key(item)
    st.session_state[key] = labelling.active_label(place, item, record)
    st.segmented_control(
        "Marks are of",
        record.labels,
        key=key,
        format_func=lambda label: plain_label(place.taxonomy.label(label).name),
        required=True,
        help="Words that you select in the answer are marked as what this label is about.",
    )


def _mark(place: LabellingDesk, item: QueueItem, key: str) -> None:
    event: Any = st.session_state[key].get("marked")
    labelling.mark(place, item, event)


def _remove(place: LabellingDesk, item: QueueItem, key: str) -> None:
    event: Any = st.session_state[key].get("removed")
    labelling.remove_mark(place, item, event)
