"""Filters of Browse by name: pick one, save the present ones, delete one. What is picked is in the URL as ever."""

from __future__ import annotations

from urllib.parse import parse_qs

import streamlit as st

from workbench.experiments import FILTER_NAME_LIMIT, SavedFilter, SavedFilters
from workbench.ui.dashboard import result_frames
from workbench.ui.inspect.inspect_state import SESSION, InspectState
from workbench.ui.parts import permitted
from workbench.ui.parts.safe_html import plain_label

SCREEN = "inspect"
NAME = "inspect_filter_name"


def draw(state: InspectState) -> None:
    """The saved filters behind a button; the one that the screen shows is filled."""
    store = _store()
    rows = store.all()
    query = state.query
    with st.popover("Saved filters", icon=":material/bookmark:", key="inspect_saved_filters"):
        if not rows:
            st.caption("Give the present filters a name to find them again; everybody in this workspace sees it.")
        for number, row in enumerate(rows):
            _row(number, row, is_shown=row.query == query)
        st.text_input(
            "Name of the present filters", key=NAME, max_chars=FILTER_NAME_LIMIT, placeholder="Finnish, low recall"
        )
        st.button(
            "Save filters",
            key="inspect_filter_save",
            icon=":material/bookmark_add:",
            on_click=_save,
            args=(query,),
            **permitted.control(
                "filters.save",
                help="The experiment, the filters and the search. A filter of the same name is replaced.",
            ),
        )


def _row(number: int, row: SavedFilter, *, is_shown: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"inspect_filter_{number}"):
        st.button(
            plain_label(row.name),
            key=f"inspect_filter_pick_{number}",
            type="primary" if is_shown else "secondary",
            on_click=_pick,
            args=(row,),
            width="stretch",
        )
        st.button(
            "Delete",
            key=f"inspect_filter_delete_{number}",
            type="tertiary",
            icon=":material/delete:",
            on_click=_delete,
            args=(row.name,),
            **permitted.control(
                "filters.save", help=plain_label(f"Deletes the filter “{row.name}” for everybody; no answer is lost.")
            ),
        )


def _pick(row: SavedFilter) -> None:
    """Shows what a saved filter lets through."""
    with SESSION.noticed():
        saved, problems = InspectState.from_params(parse_qs(row.query))
        listed = {name: saved.at(name) for name in ("filter_", "search", "metric", "within", "only")}
        SESSION.change(**listed, page=1, instance=0)
        SESSION.note_problems(problems)


def _save(query: str) -> None:
    with SESSION.noticed():
        row = _store().save(str(st.session_state.get(NAME, "")), query)
        st.session_state[NAME] = ""
        st.toast(plain_label(f"Saved as “{row.name}”."), icon=":material/bookmark_added:")


def _delete(name: str) -> None:
    with SESSION.noticed():
        _store().delete(name)


def _store() -> SavedFilters:
    return SavedFilters(result_frames.store(), SCREEN)
