"""The documents that the generator received: rank, language, every stage's score, original and translation.

Where a document's file is kept, a button shows its page with the cited text marked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from workbench.core import Evidence, Span, Translation
from workbench.ui.ask.answer_view import translation_line
from workbench.ui.parts import access, safe_html
from workbench.ui.parts.badges import citation_line, hue, language_badge, language_bar
from workbench.ui.parts.safe_html import (
    NOTHING,
    Html,
    anchor_of,
    element,
    escaped,
    fold,
    inline,
    joined,
    marked_text,
    text_block,
)

if TYPE_CHECKING:
    from workbench.data import CitedPage, Corpus


SCORES = (
    "Documents are in rank order, best first, with the score that the last step gave each; press it for those of all "
    "steps: lexical, how well the words match; dense or sparse, how near the meaning is; hybrid, rrf, cc or dbsf, a "
    "fusion of both, which is no probability and comparable only within one question; rerank, the reranker's score. "
    "More: docs/methods.md."
)
"""What the scores next to a document say."""
RELATIVE = ("hybrid", "rrf", "cc", "dbsf")
"""Scores that compare the candidates of one question: the best one has the highest, however poor it is."""


def documents_list(
    evidence: Sequence[Evidence],
    spans: Sequence[Span],
    beside: Mapping[int, Translation] | None = None,
    *,
    folded: bool = False,
) -> Html:
    """Every document in rank order. `spans` are marked in the text that the generator read.

    `beside` holds translations by rank that are only an aid to reading; the generator did not see them. `folded`: the
    original of what it read translated is shown on demand, else next to it.
    """
    aids = beside or {}
    return joined(
        _document(
            item, [(span.start, span.end) for span in spans if span.rank == item.rank], aids.get(item.rank), folded
        )
        for item in evidence
    )


def heading(evidence: Sequence[Evidence]) -> Html:
    """The number of documents, and a bar of their languages."""
    title = element("h2", escaped(f"Documents given to the generator ({len(evidence)})"))
    return element("div", title, language_bar([item.passage.language for item in evidence]), css="wb-row wb-heading")


def can_be_read_in_english(evidence: Sequence[Evidence]) -> bool:
    """Whether any document is not in English and has no translation yet."""
    return any(item.translation is None and item.passage.language != "en" for item in evidence)


def _document(item: Evidence, spans: Sequence[tuple[int, int]], aid: Translation | None, folded: bool) -> Html:
    passage = item.passage
    head = element(
        "header",
        element("span", escaped(f"[{item.rank}]"), css="wb-rank"),
        inline(passage.title, passage.language, "wb-title"),
        language_badge(passage.language),
        _scores(item),
    )
    inside = (head, citation_line(passage), _texts(item, spans, aid, folded))
    return element("article", *inside, css="wb-doc", hue=hue(passage.language), anchor=anchor_of(item.rank))


def _scores(item: Evidence) -> Html:
    """The rank and the score that it is by, that of the latest step; the others on demand."""
    if not item.scores:
        return NOTHING
    *_, (step, last) = item.scores.items()
    every = " · ".join(f"{name} {score:,.3f}" for name, score in item.scores.items())
    short = f"{last:,.2f}".replace("0.", ".", 1) if abs(last) < 1 else f"{last:,.{2 if abs(last) < 10 else 1}f}"
    words = f"rank {item.rank} · {short}{' relative' if step in RELATIVE else ''}"
    return fold(escaped(words), inline(every), css="wb-scores")


def _texts(item: Evidence, spans: Sequence[tuple[int, int]], aid: Translation | None, folded: bool) -> Html:
    passage, translation, anchor = item.passage, item.translation, anchor_of(item.rank)
    if translation is not None and translation.kind != "same":
        translated = marked_text(translation.text, spans, translation.target, anchor=anchor)
        original = marked_text(passage.text, (), passage.language)
        if folded:
            return joined([translated, fold(escaped("Original"), translation_line(translation), original)])
        return _side_by_side(original, translation, translated)
    original = marked_text(passage.text, spans, passage.language, anchor=anchor)
    if aid is None:
        return original
    return _side_by_side(original, aid, text_block(aid.text, aid.target, "wb-muted"))


def _side_by_side(original: Html, translation: Translation, translated: Html) -> Html:
    right = element("div", translation_line(translation), translated)
    return element("div", element("div", original), right, css="wb-two")


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
    *,
    above: Html = NOTHING,
    folded: bool = False,
) -> None:
    """The documents in rank order, as `documents.documents_list` shows them; `place` is unique on the page.

    `corpus` is the one that they are of, opened only where a passage has a page; `above` is shown first.
    """
    if not any(item.passage.page for item in evidence):
        # One element costs a browser less than two.
        safe_html.show(joined([above, documents_list(evidence, spans, beside, folded=folded)]))
        return
    safe_html.show(above)
    for item in evidence:
        with st.container(gap="small", key=f"{place}_document_{item.rank}"):
            safe_html.show(documents_list([item], spans, beside, folded=folded))
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
