"""The line on a screen that searches: that search by meaning is still being prepared, and what serves until then.

It updates itself, and once the index is there the screen answers anew with it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import streamlit as st

from workbench.jobs import far_words, index_wish, under_way
from workbench.pipeline import Recipe
from workbench.ui.parts import access, job_card, safe_html
from workbench.ui.parts.badges import language_words


def draw(recipe: Recipe, on_ready: Callable[[], None]) -> None:
    """The line for a recipe's corpus, nothing where the recipe's encoder serves.

    `on_ready` is called once nothing is prepared any more, before the page is drawn anew.
    """
    if not index_wish(recipe):
        return
    if _progress(recipe):
        job_card.live(lambda: bool(_progress(recipe)), lambda: safe_html.message(_progress(recipe)), on_ready)
    elif sentence := access.stand_in(recipe):
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="meaning_line"):
            safe_html.message(sentence)
            st.page_link(
                "pages/data.py",
                label="Prepare it on the Data screen",
                icon=":material/hub:",
                query_params={"corpus": recipe.corpus},
            )
    elif unknown := access.unknown_languages(recipe):
        names = ", ".join(language_words(code) for code in unknown)
        safe_html.message(
            f"{recipe.encoder} was not trained on {names}: passages in these languages are searched by words and by "
            "their transliteration."
        )


def _progress(recipe: Recipe) -> str:
    """How far the index of the recipe's encoder is, in a sentence; "" where no process is at work on it."""
    encoder = index_wish(recipe)
    jobs = under_way(access.workbench()).get(recipe.corpus, [])
    job = next((item for item in jobs if item.parameters["encoder"] == encoder), None)
    if job is None:
        return ""
    far = far_words(job, time.time())
    return f"Search by meaning is being prepared: {far}; until then the built-in encoder is used."
