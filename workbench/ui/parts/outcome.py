"""What a button did, or why it did nothing: kept by its callback, and shown once by the next run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

import streamlit as st

from workbench.ui.parts import access, safe_html


def act(place: str, action: Callable[..., str], *args: object) -> None:
    """Does what a button is for, and keeps the sentence that it returns, or that of an error, for a place on a page."""
    with kept(place):
        keep(place, action(*args))


@contextmanager
def kept(place: str) -> Iterator[None]:
    """Keeps the sentence of an error that is raised inside."""
    with access.caught(lambda sentence: keep(place, sentence, "error")):
        yield


def keep(place: str, sentence: str, kind: Literal["note", "error"] = "note") -> None:
    """Keeps a sentence for a place."""
    st.session_state[f"{place}_outcome"] = (sentence, kind)


def is_kept(place: str) -> bool:
    """Whether something is kept for a place."""
    return f"{place}_outcome" in st.session_state


def show(place: str) -> None:
    """Shows what was kept for a place, once."""
    if outcome := st.session_state.pop(f"{place}_outcome", None):
        safe_html.message(*outcome)
