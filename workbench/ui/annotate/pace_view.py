"""Who has done how much of a queue, in which language and how fast, as a table and as a file."""

from __future__ import annotations

import streamlit as st

from workbench.annotation import PAUSE, pace_frame, paces
from workbench.ui.annotate.labelling import LabellingDesk
from workbench.ui.dashboard import result_frames
from workbench.ui.parts import figure, safe_html

COLUMNS = {
    "annotator": "Annotator",
    "language": "Language",
    "labels": "Labels",
    "items": "Items completed",
    "median_seconds": st.column_config.NumberColumn("Median time", format="%.1f s"),
    "timed": "Timed",
    "pauses_left_out": "Pauses left out",
    "last_active": "Last active (UTC)",
}
EXPLANATION = (
    "An item’s time is from the completion of the item before to its own; “Timed” counts them. Times over "
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
        st.dataframe(pace_frame(rows), hide_index=True, column_config=COLUMNS, key="inspect_pace_table")
        st.caption(EXPLANATION)
        figure.csv_button("Progress and pace (CSV)", lambda: pace_frame(rows), "pace", "csv_label_pace")
