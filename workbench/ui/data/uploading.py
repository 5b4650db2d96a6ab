"""The control that takes a format's files, emptied after each import, and the choices that many formats share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import streamlit as st

from workbench.languages import is_known, known_languages
from workbench.ui.data.formats import FORMATS
from workbench.ui.shared.badges import language_words

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

TAKEN = "data_taken"
"""How many imports this session has seen: each gives the control a new name, and with it no files."""


def files(kind: str, *, folder: bool = False) -> list[UploadedFile]:
    """The files chosen so far; for a folder all that lie in it, each with its path as its name."""
    many = FORMATS[kind].upload != "file"
    accept: bool | Literal["directory"] = "directory" if folder else many
    megabytes = st.get_option("server.maxUploadSize")
    chosen = st.file_uploader(
        "Folder" if folder else "Files" if many else "File",
        list(FORMATS[kind].endings) or None,
        accept_multiple_files=accept,
        key=f"data_{'folder' if folder else 'files'}_{kind}{st.session_state.get(TAKEN) or ''}",
        help=f"Larger than {megabytes} MB, or on the server already? Type there: `python -m workbench import {kind}`",
    )
    if chosen is None:
        return []
    return chosen if isinstance(chosen, list) else [chosen]


def empty() -> None:
    """The control starts anew: what was imported is not kept in memory, nor imported twice."""
    st.session_state[TAKEN] = st.session_state.get(TAKEN, 0) + 1


def one_language(kind: str, label: str = "Language of the files") -> str:
    """The language that all files are in, "" as long as none is chosen."""
    chosen: str | None = st.selectbox(
        label,
        [item.code for item in known_languages()],
        index=None,
        key=f"data_language_{kind}",
        placeholder="Choose a language",
        format_func=words,
    )
    return chosen or ""


def languages(
    label: str, kind: str, offered: Sequence[str] | None = None, *, what: str = "languages", more: Sequence[str] = ()
) -> list[str]:
    """The languages to take, none where all are: of those `offered`, else of all there are and `more`."""
    known = [*(item.code for item in known_languages()), *more]
    return st.multiselect(
        label,
        known if offered is None else list(offered),
        key=f"data_{what}_{kind}",
        placeholder="All",
        format_func=words,
    )


def questions_only(kind: str) -> bool:
    """Whether the passages are left out."""
    return st.toggle(
        "Questions only", key=f"data_only_{kind}", help="No corpus is built, and which passages are gold is dropped."
    )


def words(code: str) -> str:
    """A language for a list to choose from; a code that we do not know as it is."""
    return language_words(code) if is_known(code) else code
