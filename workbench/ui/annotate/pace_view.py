"""Who has done how much of a queue, in which language and how fast, as a table and as a file."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import streamlit as st

from workbench.annotation import PAUSE, AnnotatorPace, pace_frame, paces
from workbench.ui.annotate.labelling import LabellingDesk
from workbench.ui.dashboard import result_frames
from workbench.ui.parts import figure, safe_html
from workbench.ui.parts.badges import language_badge
from workbench.ui.parts.safe_html import Html, element, escaped, inline, joined, table

EXPLANATION = (
    "An item’s time is from the completion of the item before to its own, in brackets how many were timed. Times over "
    f"{PAUSE / 60:.0f} minutes are pauses and left out; a person’s first item has no time."
)


def draw(place: LabellingDesk) -> None:
    """The table so far; computed only while it is open."""
    with st.expander(
        "Progress and pace", icon=":material/timer:", key="inspect_pace", on_change="rerun", expanded=False
    ) as fold:
        if not fold.open:
            return
        rows = paces(result_frames.store(), place.queue.id)
        if not rows:
            safe_html.message("Nobody has labelled in this queue yet.")
            return
        safe_html.show(pace_table(rows))
        st.caption(EXPLANATION)
        figure.csv_button("Progress and pace (CSV)", lambda: pace_frame(rows), "pace", "csv_label_pace")


def pace_table(rows: Sequence[AnnotatorPace]) -> Html:
    """One row per person and language: items, labels, median time with what it rests on, and the last activity."""
    cells = [
        [
            inline(row.annotator, css="wb-title"),
            language_badge(row.language) if row.language else escaped("all languages"),
            _named("items completed", f"{row.items:,}"),
            _named("labels", f"{row.labels:,}"),
            _named("median time", _time(row)),
            _named("pauses left out", f"{row.pauses:,}"),
            _named("last active", f"{datetime.fromtimestamp(row.last_active, UTC):%Y-%m-%d %H:%M} UTC"),
        ]
        for row in rows
    ]
    head = ["Annotator", "Language", "Items completed", "Labels", "Median time", "Pauses left out", "Last active"]
    return table(head, cells, "wb-stacked")


def _time(row: AnnotatorPace) -> str:
    """The median with the number that it is of."""
    if row.seconds is None:
        return "–"
    words = f"{row.seconds:.0f} s" if row.seconds >= 10 else f"{row.seconds:.1f} s"
    return f"{words} ({row.timed:,})"


def _named(name: str, words: str) -> Html:
    """A value, on a phone after its name."""
    label = element("span", escaped(f"{name} "), css="wb-phone")
    return joined([label, element("span", escaped(words), css="wb-once")])
