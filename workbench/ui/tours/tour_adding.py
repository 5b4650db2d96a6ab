"""“Add to a tour”: keeps the answer on the screen as a stop, in a tour that exists or a new one."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from workbench.experiments import NOTE_LIMIT, TourLibrary, TourStop
from workbench.ui.parts import access, permitted, safe_html

NEW = ""
"""The option for a new tour."""
FIRST_NAME = "my-tour"
PLAYER = "pages/tour.py"


def library() -> TourLibrary:
    """The tours of the workspace."""
    return TourLibrary(access.workbench().settings.home)


@permitted.form("tours.save")
def draw(stop: Callable[[str], TourStop], key: str) -> None:
    """The form in a closed expander; `stop` makes the stop of the presenter's note. `key` begins its controls' keys."""
    with st.expander("Add to a tour", icon=":material/tour:", key=f"{key}_tour", type="compact"), access.guarded():
        tours = library()
        names = [info.name for info in tours.list() if not info.problem]
        with st.form(f"{key}_tour_form", border=False):
            left, right = st.columns(2, gap="medium")
            with left:
                name = st.selectbox(
                    "Tour",
                    [*names, NEW],
                    key=f"{key}_tour_name",
                    format_func=lambda item: item or "New tour",
                    help="A tour shows answers one by one, also offline.",
                )
            with right:
                new = st.text_input(
                    "Name of the new tour",
                    key=f"{key}_tour_new",
                    placeholder=FIRST_NAME,
                    max_chars=63,
                    help="Only for a new tour: lower-case letters, digits, “-” and “_”.",
                )
            note = st.text_area(
                "Presenter's note", key=f"{key}_tour_note", max_chars=NOTE_LIMIT, placeholder="What to point out here"
            )
            pressed = st.form_submit_button(
                "Add", key=f"{key}_tour_add", icon=":material/add:", **permitted.control("tours.save")
            )
        if pressed:
            target = name or new.strip() or FIRST_NAME
            count = tours.add_stop(target, stop(note.strip()))
            safe_html.message(f"Added to the tour “{target}” as stop {count}.")
            st.page_link(
                PLAYER,
                label="Play the tour",
                icon=":material/slideshow:",
                query_params={"tour": target, "stop": str(count)},
            )
