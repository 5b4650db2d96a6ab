"""The tours of the workspace: their list, and the forms that record, add to, import and edit them.

“Add to a tour” keeps the answer on the screen as a stop, in a tour that exists or a new one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from workbench.core import UsageError
from workbench.experiments import (
    FILE_LIMIT,
    HEADLINE_LIMIT,
    NOTE_LIMIT,
    TourInfo,
    TourLibrary,
    TourRequest,
    TourStop,
    record,
    with_english,
)
from workbench.ui.ask.examples import EXAMPLES
from workbench.ui.parts import access, downloads, outcome, permitted, safe_html
from workbench.ui.parts.badges import language_badge
from workbench.ui.parts.folds import folded
from workbench.ui.parts.safe_html import element, escaped, inline
from workbench.ui.parts.verb_button import verb_button
from workbench.ui.tours.tour_player import PAGE

NEW = ""
"""The option for a new tour."""
FIRST_NAME = "my-tour"
HEADLINE: dict[str, Any] = {
    "max_chars": HEADLINE_LIMIT,
    "placeholder": "Only the Arabic article knows",
    "help": "What the audience should remember, in one sentence; it stands at the top.",
}


def library() -> TourLibrary:
    """The tours of the workspace."""
    return TourLibrary(access.workbench().settings.home)


@permitted.form("tours.save")
def draw_adding(stop: Callable[[str, str], TourStop], key: str) -> None:
    """The form behind a button; `stop` makes the stop of note and headline. `key` begins its controls' keys."""
    opened = st.popover("Add to a tour", icon=":material/tour:", key=f"{key}_tour", on_change="rerun")
    if not opened.open:
        return
    with opened, access.guarded():
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
            headline = st.text_input("Headline", key=f"{key}_tour_headline", **HEADLINE)
            note = st.text_area(
                "Presenter's note", key=f"{key}_tour_note", max_chars=NOTE_LIMIT, placeholder="What to point out here"
            )
            pressed = verb_button("Add", "tours.save", key=f"{key}_tour_add", icon="add", submits=True)
        if pressed:
            target = name or new.strip() or FIRST_NAME
            added = with_english(access.workbench(), stop(note.strip(), headline.strip()))
            count = tours.add_stop(target, added)
            safe_html.message(f"Added to the tour “{target}” as stop {count}.")
            params = {"tour": target, "stop": str(count)}
            st.page_link(PAGE, label="Play the tour", icon=":material/slideshow:", query_params=params)


PLACE = "tour"
"""The place where it is said what went wrong with a button."""


@permitted.form("tours.save")
@folded("Edit a tour", "edit", "tour_edit")
def draw_editing(tours: TourLibrary, infos: Sequence[TourInfo]) -> None:
    """The form for one of the tours, of which there is at least one."""
    outcome.show(PLACE)
    name = st.selectbox("Tour to edit", [info.name for info in infos], key="tour_edited")
    if not next(info for info in infos if info.name == name).problem:
        _stops(tours, name)
    _name(tours, name)


def _stops(tours: TourLibrary, name: str) -> None:
    stops = tours.open(name).stops
    for number, stop in enumerate(stops, start=1):
        with st.container(border=True, key=f"tour_stop_{number}", gap="small"):
            badge = [language_badge(stop.language)] if stop.language else []
            head = (element("b", escaped(f"{number}")), *badge, inline(stop.question, stop.language))
            safe_html.show(element("div", *head, css="wb-row"))
            words = hash((stop.question, stop.note, stop.headline, stop.recipe_title))
            keys = [f"tour_{part}_{name}_{number}_{words}" for part in ("headline", "note")]
            headline = st.text_input("Headline", stop.headline, key=keys[0], **HEADLINE)
            note = st.text_area("Presenter's note", stop.note, key=keys[1], max_chars=NOTE_LIMIT, height=68)
            with st.container(horizontal=True, gap="small"):
                is_same = (headline, note) == (stop.headline, stop.note)
                _button("Save", f"save_{number}", partial(_set_words, tours, name, number, keys), is_same)
                _button("Up", f"up_{number}", partial(tours.move, name, number, -1), number == 1)
                _button("Down", f"down_{number}", partial(tours.move, name, number, 1), number == len(stops))
                _button("Remove", f"remove_{number}", partial(tours.remove_stop, name, number), len(stops) == 1)


def _set_words(tours: TourLibrary, name: str, number: int, keys: Sequence[str]) -> None:
    headline, note = (str(st.session_state.get(key, "")) for key in keys)
    tours.set_words(name, number, headline, note)


def _name(tours: TourLibrary, name: str) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        new = st.text_input("New name", key="tour_new_name", max_chars=63, placeholder=name)
        _button("Rename", "rename", partial(tours.rename, name, new.strip()), not new.strip())
    sure = st.checkbox("I want to delete this tour", key=f"tour_sure_{name}")
    _button("Delete tour", "delete", partial(tours.remove, name), not sure)


def _button(label: str, key: str, action: Callable[[], object], disabled: bool) -> None:
    verb_button(label, "tours.save", _noticed, action, key=f"tour_{key}", disabled=disabled)


def _noticed(action: Callable[[], object]) -> None:
    with outcome.kept(PLACE):
        action()


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
                file = partial(tours.file, info.name)
                downloads.button("Download", file, f"{info.name}.json", f"tour_download_{info.name}")
    return infos


@permitted.form("tours.save")
def record_sample(tours: TourLibrary, names: Sequence[str]) -> None:
    """The button that asks the sample's questions and keeps the answers as a tour, with its progress."""
    if SAMPLE_TOUR in names:
        return
    with st.container(border=True, key="tour_sample"):
        words = (
            f"The sample has {len(EXAMPLES)} questions that show what multilingual retrieval does to answers. "
            "They are asked now, by the built-in reader, and kept as a tour. Nothing is sent."
        )
        safe_html.show(element("div", escaped(words)))
        label = "Record the sample's tour"
        if not verb_button(label, "tours.save", key="tour_record", icon="radio_button_checked"):
            return
        access.prepare("sample")
        placeholder = st.empty()
        requests = [
            TourRequest(example.question, example.choice.recipe, example.look, example.headline) for example in EXAMPLES
        ]

        def progress(count: int, total: int) -> None:
            placeholder.progress(count / total, text=f"Recording: {count} of {total} answers")

        tours.add(SAMPLE_TOUR, record(access.workbench(), requests, progress))
    st.rerun()


@permitted.form("tours.save")
@folded("Import a tour", "upload", "tour_import")
def import_file(tours: TourLibrary) -> None:
    """The form that adds a tour's file from elsewhere, which is checked before it is kept."""
    with st.form("tour_import_form", border=False):
        file = st.file_uploader("Tour file (JSON)", ["json"], key="tour_file")
        name = st.text_input(
            "Name",
            key="tour_import_name",
            max_chars=63,
            placeholder="The name of the file",
            help="Lower-case letters, digits, “-” and “_”.",
        )
        pressed = verb_button("Import", "tours.save", key="tour_import_go", icon="upload", submits=True)
    if not pressed:
        return
    if file is None:
        raise UsageError("Choose a file first: a tour that was downloaded here or in another workbench.")
    if file.size > FILE_LIMIT:
        raise UsageError(f"The file has {file.size:,} bytes. The limit is {FILE_LIMIT:,} bytes.")
    target = name.strip() or file.name.rpartition("/")[2].removesuffix(".json")
    tours.add_file(target, file.getvalue())
    st.rerun()
