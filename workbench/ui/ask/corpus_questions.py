"""What can be asked about a corpus that is not the sample: the questions of a dataset over it, else its documents."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import streamlit as st

from workbench.core import Question
from workbench.data import document_page, question_page
from workbench.pipeline import make_recipe
from workbench.ui.ask import examples
from workbench.ui.ask.ask_state import Choice
from workbench.ui.parts import access, safe_html
from workbench.ui.parts.badges import language_badge
from workbench.ui.parts.safe_html import NOTHING, element, inline, joined, text_block

SHOWN = 8
"""Questions, or documents."""


def draw(corpus: str) -> None:
    """Up to SHOWN questions as cards, one of each language before a second; without a dataset, the first documents."""
    questions = list(islice(_questions(corpus), SHOWN))
    if not questions:
        _documents(corpus)
        return
    st.header("Questions about these documents")
    examples.grid([_card(question, corpus) for question in questions])


def _questions(corpus: str) -> Iterator[Question]:
    library = access.dataset_library()
    of_corpus = [info for info in access.datasets() if info.corpus == corpus]
    for at in range(SHOWN):
        for info in of_corpus:
            for code in info.languages:
                yield from question_page(library, info.name, language=code, start=at, limit=1).questions


def _card(question: Question, corpus: str) -> examples.Card:
    badge = element("div", language_badge(question.language), css="wb-row")
    choice = Choice(
        question=question.text, language=question.language, recipe=make_recipe({"corpus": corpus}), submitted=True
    )
    return joined([badge, text_block(question.text, question.language, "wb-ask")]), "Ask", choice


def _documents(corpus: str) -> None:
    # A document in several languages is entered once for each stretch.
    page = document_page(access.workbench().corpus(corpus), limit=4 * SHOWN)
    entries = {entry.id: entry for entry in reversed(page.documents)}
    st.header("Documents of this corpus")
    for entry in islice(reversed(entries.values()), SHOWN):
        badge = language_badge(entry.language) if entry.language else NOTHING
        safe_html.show(element("div", badge, inline(entry.title or entry.id, entry.language), css="wb-row"))
    st.page_link("pages/data.py", label="See all documents", icon=":material/database:")
