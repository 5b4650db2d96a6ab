"""The list of tours: playing, recording the sample's, importing and downloading them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from workbench.core import UsageError
from workbench.experiments import FILE_LIMIT, TourInfo, TourLibrary, TourRequest, record
from workbench.ui.ask.examples import EXAMPLES
from workbench.ui.parts import access, permitted, safe_html
from workbench.ui.parts.safe_html import element, escaped, inline
from workbench.ui.tours.tour_player import PAGE

SAMPLE_TOUR = "sample-tour"
NOTHING_YET = (
    "There are no tours yet. Record the sample's tour below, or add an answer to one: on Ask and on each answer of "
    "Inspect there is “Add to a tour”."
)


def draw(tours: TourLibrary) -> Sequence[TourInfo]:
    """The tours, each with its link and its file; returns them."""
    infos = tours.list()
    if not infos:
        safe_html.message(NOTHING_YET)
    for info in infos:
        with st.container(border=True, key=f"tour_of_{info.name}", gap="small"):
            if info.problem:
                safe_html.message(info.problem, "error")
                continue
            count = f"{info.stops} stop{'' if info.stops == 1 else 's'}, recorded on {info.recorded}"
            words = (inline(info.name, css="wb-title"), element("span", escaped(count), css="wb-muted"))
            safe_html.show(element("div", *words, css="wb-row"))
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                if info.stops:
                    st.page_link(PAGE, label="Play", icon=":material/slideshow:", query_params={"tour": info.name})
                st.download_button(
                    "Download",
                    partial(tours.file, info.name),
                    f"{info.name}.json",
                    "application/json",
                    key=f"tour_download_{info.name}",
                    on_click="ignore",
                    icon=":material/download:",
                )
    return infos


@permitted.form("tours.save")
def record_sample(tours: TourLibrary, names: Sequence[str]) -> None:
    """The button that asks the sample's questions and keeps the answers as a tour, with its progress."""
    if SAMPLE_TOUR in names:
        return
    with st.container(border=True, key="tour_sample"):
        safe_html.show(
            element(
                "div",
                escaped(
                    f"The sample has {len(EXAMPLES)} questions that show what multilingual retrieval does to answers. "
                    "They are asked now, by the built-in reader, and kept as a tour. Nothing is sent."
                ),
            )
        )
        if not st.button(
            "Record the sample's tour",
            key="tour_record",
            icon=":material/radio_button_checked:",
            **permitted.control("tours.save"),
        ):
            return
        access.prepare("sample")
        place = st.empty()
        requests = [TourRequest(example.question, example.choice.recipe, example.look) for example in EXAMPLES]

        def progress(count: int, total: int) -> None:
            place.progress(count / total, text=f"Recording: {count} of {total} answers")

        tours.add(SAMPLE_TOUR, record(access.workbench(), requests, progress))
    st.rerun()


@permitted.form("tours.save")
def import_file(tours: TourLibrary) -> None:
    """The form that adds a tour's file from elsewhere, which is checked before it is kept."""
    with st.expander("Import a tour", icon=":material/upload:", key="tour_import"), access.guarded():
        with st.form("tour_import_form", border=False):
            file = st.file_uploader("Tour file (JSON)", ["json"], key="tour_file")
            name = st.text_input(
                "Name",
                key="tour_import_name",
                max_chars=63,
                placeholder="The name of the file",
                help="Lower-case letters, digits, “-” and “_”.",
            )
            pressed = st.form_submit_button(
                "Import", key="tour_import_go", icon=":material/upload:", **permitted.control("tours.save")
            )
        if not pressed:
            return
        if file is None:
            raise UsageError("Choose a file first: a tour that was downloaded here or in another workbench.")
        if file.size > FILE_LIMIT:
            raise UsageError(f"The file has {file.size:,} bytes. Allowed are {FILE_LIMIT:,}.")
        target = name.strip() or file.name.rpartition("/")[2].removesuffix(".json")
        tours.add_file(target, file.getvalue())
        st.rerun()
