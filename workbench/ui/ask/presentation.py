"""The presentation: question, answer and the documents' sources in large type, and nothing else."""

from __future__ import annotations

import streamlit as st

from workbench.core import Answer
from workbench.ui.ask import answer_view, asking, comparison_view, controls, documents, page_scripts
from workbench.ui.ask.ask_state import Choice
from workbench.ui.ask.asking import Asking
from workbench.ui.parts import access, safe_html
from workbench.ui.parts.safe_html import element, escaped

ASK = "pages/ask.py"


def is_open() -> bool:
    """Whether the URL names the presentation; to be called after the controls were restored from it."""
    return controls.SESSION.current.presentation


def open_link(choice: Choice) -> None:
    """The link that opens the presentation of a choice."""
    st.page_link(
        ASK,
        label="Presentation view",
        icon=":material/slideshow:",
        query_params=choice.with_(presentation=True).to_params(),
        help="Question, answer and sources in large type. Esc closes it.",
    )


def draw(request: Asking) -> None:
    """The presentation of a choice, with the link that closes it. Raises what asking raises."""
    choice = request.choice
    with st.container(key="close_presentation"):
        back = choice.with_(presentation=False).to_params()
        st.page_link(ASK, label="Close (Esc)", icon=":material/close:", query_params=back)
    page_scripts.close_with_esc()
    if len(choice.recipes) > 1:
        result = comparison_view.ask(access.workbench(), request)
        pairs = comparison_view.answered(*result) if result else ()
    else:
        shown = asking.ask(access.workbench(), request)
        pairs = [(shown.answer, shown.choice.recipe)] if shown else []
    if not pairs:
        return
    question = answer_view.question_line(pairs[0][0], choice)
    safe_html.show(element("div", question, css="wb-presenting"))
    for column, (answer, recipe) in zip(st.columns(len(pairs), gap="large"), pairs, strict=True):
        with column:
            _answer(answer, recipe.mode if len(pairs) > 1 else "")


def _answer(answer: Answer, name: str) -> None:
    """One answer with its sources; `name` is its mode's where several are shown."""
    safe_html.show(answer_view.presented_card(answer, name))
    if answer.evidence:
        safe_html.show(element("div", escaped("Sources"), css="wb-label"))
        safe_html.show(documents.sources(answer.evidence, name))
