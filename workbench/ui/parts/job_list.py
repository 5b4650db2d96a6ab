"""Long work in a list, the newest first: a row each, and the card of the one that is open below its row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from workbench.core import shorten
from workbench.ui.parts import job_card, safe_html
from workbench.ui.parts.page_state import PageSession
from workbench.ui.parts.safe_html import element, escaped, inline
from workbench.workspace import Jobs

LISTED = 12
"""Rows that are listed at first."""


@dataclass(frozen=True, slots=True)
class JobRow:
    """What a row says: the name, the state of the job ("" for none), the share that is done, and that in words."""

    id: str
    name: str
    state: str
    share: float
    words: str
    created: float


def draw(
    session: PageSession[Any],
    noun: str,
    jobs: Jobs,
    ids: Sequence[str],
    row_of: Callable[[str], JobRow],
    card: Callable[[str], object],
) -> str:
    """Draws rows for `ids`, at least one; returns the id of the one that is open, which the field `noun` names.

    `row_of` says how one stands, again and again while its job is at work; `card` draws what is below the open one.
    """
    linked = session.current.at(noun)
    if linked and linked not in ids:
        sentence = (
            f"The link names the {noun} “{shorten(linked)}”, which is not in this workspace; the newest is shown."
        )
        safe_html.message(sentence, "error")
    shown = linked if linked in ids else ids[0]
    every = session.key(f"all_{noun}")
    last = len(ids) if st.session_state.get(every) else max(LISTED, ids.index(shown) + 1)

    def draw_row(row_id: str) -> None:
        _row(session, noun, row_of(row_id), is_open=row_id == shown)

    for row_id in ids[:last]:
        job_card.live(partial(jobs.is_active, row_id), partial(draw_row, row_id))
        if row_id == shown:
            card(row_id)
    if len(ids) > last:
        st.toggle(f"All {len(ids):,}", key=every, help=f"The {last} newest are listed.")
    return shown


def _row(session: PageSession[Any], noun: str, row: JobRow, *, is_open: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"run_{row.id}"):
        cells = [
            inline(row.name, css="wb-title"),
            job_card.badge(row.state),
            element("span", css="wb-bar", shares=(row.share,)),
            element("span", escaped(row.words)),
            element("span", escaped(job_card.time_words(row.created)), css="wb-muted"),
        ]
        safe_html.show(element("div", *cells, css="wb-experiment"))
        st.button(
            "Shown" if is_open else "Open",
            key=session.key(f"open_{row.id}"),
            type="tertiary",
            icon=":material/expand_less:" if is_open else ":material/expand_more:",
            help=f"Its progress, its results and all that can be done with this {noun}.",
            disabled=is_open,
            on_click=session.choose,
            args=(noun, row.id),
        )
