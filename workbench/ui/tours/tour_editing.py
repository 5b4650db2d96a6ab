"""Editing a tour: its stops, their notes and its name. Kept apart from playing, where nothing can be changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from workbench.experiments import NOTE_LIMIT, TourInfo, TourLibrary
from workbench.ui.parts import access, permitted, safe_html
from workbench.ui.parts.badges import language_badge
from workbench.ui.parts.safe_html import element, escaped, inline

NOTICE = "tour_notice"
"""The session's key for what went wrong in a callback."""


@permitted.form("tours.save")
def draw(tours: TourLibrary, infos: Sequence[TourInfo]) -> None:
    """The form in a closed expander."""
    if not infos:
        return
    with st.expander("Edit a tour", icon=":material/edit:", key="tour_edit"), access.guarded():
        if sentence := st.session_state.pop(NOTICE, ""):
            safe_html.message(sentence, "error")
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
            key = f"tour_note_{name}_{number}_{hash((stop.question, stop.note, stop.recipe_title))}"
            note = st.text_area("Presenter's note", stop.note, key=key, max_chars=NOTE_LIMIT, height=68)
            with st.container(horizontal=True, gap="small"):
                _button("Save note", f"save_{number}", partial(_set_note, tours, name, number, key), note == stop.note)
                _button("Up", f"up_{number}", partial(tours.move, name, number, -1), number == 1)
                _button("Down", f"down_{number}", partial(tours.move, name, number, 1), number == len(stops))
                _button("Remove", f"remove_{number}", partial(tours.remove_stop, name, number), len(stops) == 1)


def _set_note(tours: TourLibrary, name: str, number: int, key: str) -> None:
    tours.set_note(name, number, str(st.session_state.get(key, "")))


def _name(tours: TourLibrary, name: str) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        new = st.text_input("New name", key="tour_new_name", max_chars=63, placeholder=name)
        _button("Rename", "rename", partial(tours.rename, name, new.strip()), not new.strip())
    sure = st.checkbox("I want to delete this tour", key=f"tour_sure_{name}")
    _button("Delete tour", "delete", partial(tours.remove, name), not sure)


def _button(label: str, key: str, action: Callable[[], object], disabled: bool) -> None:
    st.button(
        label,
        key=f"tour_{key}",
        on_click=_noticed,
        args=(action,),
        **permitted.control("tours.save", disabled=disabled),
    )


def _noticed(action: Callable[[], object]) -> None:
    with access.caught(lambda sentence: st.session_state.__setitem__(NOTICE, sentence)):
        action()
