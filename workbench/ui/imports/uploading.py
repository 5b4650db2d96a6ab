"""The upload control for a format's files, emptied after each import, and the options that many formats share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import streamlit as st

from workbench.languages import known_languages
from workbench.ui.imports.formats import FORMATS
from workbench.ui.parts.badges import language_option

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

IMPORTS = "data_taken"
"""The session's key for the number of imports: each gives the control a new key, and so empties it."""


def files(kind: str, *, folder: bool = False) -> list[UploadedFile]:
    """The files selected so far; for a folder all files in it, each with its path as its name."""
    many = FORMATS[kind].upload != "file"
    accept: bool | Literal["directory"] = "directory" if folder else many
    megabytes = st.get_option("server.maxUploadSize")
    uploaded = st.file_uploader(
        "Folder" if folder else "Files" if many else "File",
        list(FORMATS[kind].endings) or None,
        accept_multiple_files=accept,
        key=f"data_{'folder' if folder else 'files'}_{kind}{st.session_state.get(IMPORTS) or ''}",
        help=f"Larger than {megabytes} MB, or already on the server? Whoever runs the server can import it there with "
        f"`python -m workbench import {kind}`.",
    )
    if uploaded is None:
        return []
    return uploaded if isinstance(uploaded, list) else [uploaded]


def empty() -> None:
    """Empties the control: what was imported is neither kept in memory nor imported twice."""
    st.session_state[IMPORTS] = st.session_state.get(IMPORTS, 0) + 1


def one_language(kind: str, label: str = "Language of the files") -> str:
    """The language of all files, "" as long as none is selected."""
    language: str | None = st.selectbox(
        label,
        [item.code for item in known_languages()],
        index=None,
        key=f"data_language_{kind}",
        placeholder="Select a language",
        format_func=language_option,
        help="Files in another language are imported afterwards, under the same name.",
    )
    return language or ""


def languages(
    label: str, kind: str, options: Sequence[str] | None = None, *, what: str = "languages", more: Sequence[str] = ()
) -> list[str]:
    """The languages to import, [] for all: a selection of `options`, or else of all known languages and `more`.

    `what` becomes part of the control's key.
    """
    known = [*(item.code for item in known_languages()), *more]
    return st.multiselect(
        label,
        known if options is None else list(options),
        key=f"data_{what}_{kind}",
        placeholder="All",
        format_func=language_option,
        help="Empty: all that the files have.",
    )


def questions_only(kind: str) -> bool:
    """A toggle: whether passages are left out."""
    return st.toggle(
        "Questions only",
        key=f"data_only_{kind}",
        help="No corpus is built, and references to gold passages are dropped.",
    )
