"""The documents of an answer, each with a button that shows its page where its file is kept: the place is marked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from workbench.core import Evidence, Span, Translation
from workbench.ui.ask import documents
from workbench.ui.parts import access, safe_html

if TYPE_CHECKING:
    from workbench.data import CitedPage, Corpus

SHOWN = "shown_page"
"""The session's key for the passage whose page is shown: its place on the screen and its id."""
CACHED = 24
"""Images of pages that the server keeps, about 0.2 MB each."""


def draw(
    evidence: Sequence[Evidence],
    spans: Sequence[Span],
    beside: Mapping[int, Translation] | None,
    corpus: Callable[[], Corpus],
    place: str,
) -> None:
    """The documents in rank order, as `documents.documents_list` shows them; `place` is unique on the page.

    `corpus` is the one that they are of, opened only where a passage has a page.
    """
    if not any(item.passage.page for item in evidence):
        safe_html.show(documents.documents_list(evidence, spans, beside))
        return
    for item in evidence:
        with st.container(gap="small", key=f"{place}_document_{item.rank}"):
            safe_html.show(documents.documents_list([item], spans, beside))
            if item.passage.page:
                with access.guarded():
                    _page(corpus(), item, spans, place)


def _page(corpus: Corpus, item: Evidence, spans: Sequence[Span], place: str) -> None:
    from workbench.data import cited_page

    page = cited_page(corpus, item, spans)
    if page is None:
        return
    key = (place, item.passage.id)
    is_shown = st.session_state.get(SHOWN) == key
    st.button(
        "Hide the page" if is_shown else "Show the page",
        key=f"{place}_page_{item.rank}",
        icon=":material/find_in_page:",
        on_click=_toggle,
        args=(key,),
        help="The page as it was printed, with what the answer rests on marked.",
    )
    if is_shown:
        _image(page, item)


def _image(page: CitedPage, item: Evidence) -> None:
    pages = _rendered(str(page.file), page.document, page.first, page.last, page.sentences)
    is_passage = page.sentences == (item.passage.text,)
    with st.container(border=True, gap="small"):
        for number, image, is_marked in pages:
            words = f"{page.document}, page {number:,}"
            if not is_marked:
                words += ". Its text layer does not have these words as they were read, so nothing is marked."
            elif is_passage:
                words += ". The passage is marked."
            safe_html.show(safe_html.text_block(words, css="wb-muted"))
            st.image(image, width="stretch")


@st.cache_data(max_entries=CACHED, show_spinner="Drawing the page")
def _rendered(
    file: str, document: str, first: int, last: int, sentences: tuple[str, ...]
) -> list[tuple[int, bytes, bool]]:
    """The number and image of each page, and whether anything is marked on it."""
    from workbench.data import CitedPage, marked_image, page_images

    pages = page_images(CitedPage(Path(file), document, first, last, sentences))
    return [(number, marked_image(shown), bool(shown.boxes)) for number, shown in pages]


def _toggle(key: tuple[str, str]) -> None:
    if st.session_state.get(SHOWN) == key:
        del st.session_state[SHOWN]
    else:
        st.session_state[SHOWN] = key
