"""Renaming and deleting a dataset or a corpus; deleting is confirmed by typing the name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from workbench.data import SAMPLE
from workbench.experiments import data_changes
from workbench.ui.data import data_state
from workbench.ui.data.data_state import Selection, View
from workbench.ui.parts import access, permitted, safe_html

DONE = "data_changed"
"""The session's key for what was just renamed or deleted, in sentences."""


@dataclass(frozen=True, slots=True)
class DataKind:
    """What is renamed and deleted: its noun, what goes with it when it is deleted, and the functions that do it."""

    noun: str
    view: View
    loss: str
    use: Callable[..., data_changes.DataUse]
    rename: Callable[..., str]
    delete: Callable[..., str]


DATASET = DataKind(
    "dataset",
    "datasets",
    "Its questions and golds are deleted; its corpus stays.",
    data_changes.dataset_use,
    data_changes.rename_dataset,
    data_changes.delete_dataset,
)
CORPUS = DataKind(
    "corpus",
    "corpora",
    "Its passages and all of its indexes are deleted.",
    data_changes.corpus_use,
    data_changes.rename_library_corpus,
    data_changes.delete_corpus,
)


def outcome() -> None:
    """What was just renamed or deleted, shown once."""
    if words := st.session_state.pop(DONE, ""):
        safe_html.message(words)


def draw(kind: DataKind, name: str, *, damaged: bool = False) -> None:
    """The form; for what is `damaged`, deleting alone."""
    title = f"Delete the damaged {kind.noun}" if damaged else f"Rename or delete this {kind.noun}"
    opened = st.expander(title, icon=":material/edit:", key=f"data_manage_{kind.noun}_{name}", on_change="rerun")
    with opened, access.guarded():
        if not opened.open:
            return
        if name == SAMPLE:
            safe_html.message(
                f"The {kind.noun} “{SAMPLE}” belongs to the workbench and is always available: it can be neither "
                "renamed nor deleted."
            )
            return
        effect = kind.use(access.workbench(), name).effect
        left, right = st.columns(2, gap="large")
        if not damaged:
            with left, access.guarded():
                _rename(kind, name, effect)
        with right, access.guarded():
            _delete(kind, name, effect)


def _rename(kind: DataKind, name: str, effect: str) -> None:
    new = st.text_input("New name", key=f"data_new_{kind.noun}_{name}", help="Lower-case letters, digits, - and _.")
    if effect:
        st.caption(effect)
    if st.button(
        "Rename",
        key=f"data_rename_{kind.noun}",
        icon=":material/edit:",
        **permitted.control(f"{kind.view}.rename", disabled=not new.strip()),
    ):
        effect = kind.rename(access.workbench(), name, new.strip())
        _finish(
            f"The {kind.noun} “{name}” is now called “{new.strip()}”. {effect}",
            Selection(view=kind.view, name=new.strip()),
        )


def _delete(kind: DataKind, name: str, effect: str) -> None:
    confirmation = st.text_input(
        "Type its name to delete it", key=f"data_confirm_{kind.noun}_{name}", autocomplete="off"
    )
    st.caption(" ".join(filter(None, (kind.loss, "This cannot be undone.", effect))))
    if st.button(
        "Delete",
        key=f"data_delete_{kind.noun}_{name}",
        icon=":material/delete:",
        **permitted.control(f"{kind.view}.delete", disabled=confirmation.strip() != name),
    ):
        effect = kind.delete(access.workbench(), name)
        _finish(f"The {kind.noun} “{name}” is deleted. {effect}", Selection(view=kind.view))


def _finish(words: str, selection: Selection) -> None:
    st.session_state[DONE] = words.strip()
    data_state.show(selection)
    st.rerun()
