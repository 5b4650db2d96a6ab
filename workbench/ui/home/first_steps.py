"""What can be pressed on Home: a question's Ask, and, while only the built-in reader answers, a model of one's own."""

from __future__ import annotations

import streamlit as st

from workbench.components import default_generator, refusal
from workbench.pipeline import EXTRACTIVE
from workbench.ui.ask import asking
from workbench.ui.ask.ask_state import Choice
from workbench.ui.home.home_view import QUESTIONS
from workbench.ui.parts import access, outcome, safe_html
from workbench.ui.parts.safe_html import element, text_block
from workbench.ui.parts.verb_button import verb_button
from workbench.ui.settings import your_models
from workbench.workspace import QUESTION_LIMIT, permits

ASKED, FIRST = "home_question", QUESTIONS["en"]
OFFER = "The built-in reader quotes sentences. A language model on this machine can write the answers."


def ask_line() -> None:
    """A question and Ask, which opens the Ask screen with its answer."""
    with st.form("home_form", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        help_ = "In your own language. Nothing typed: the question above is asked."
        st.text_input("Your question", key=ASKED, max_chars=QUESTION_LIMIT, placeholder=FIRST, help=help_)
        if st.form_submit_button("Ask", type="primary", icon=":material/search:"):
            _ask()


def offer() -> None:
    """A look for servers of models on this machine, and Ask with one of theirs, for who may choose the default."""
    home = access.workbench().settings.home
    if default_generator(home) != EXTRACTIVE or not permits("settings.change") or refusal(home):
        return
    with st.container(border=True, gap="small", key="home_models"):
        safe_html.show(element("div", text_block("Your own model", css="wb-title"), text_block(OFFER, css="wb-muted")))
        if your_models.SERVERS not in st.session_state:
            your_models.look_button()
        elif (model := your_models.draw_servers()) is None:
            st.page_link("pages/settings.py", label="Set up a model", icon=":material/settings:")
        elif verb_button("Use it and ask", "settings.change", key="home_use", kind="primary", icon="search"):
            your_models.use(model.reference)
            if outcome.is_kept(your_models.PLACE):
                st.rerun()
            _ask()


def _ask() -> None:
    """Opens Ask with the question, and has it answered there: a person pressed a button for it."""
    question = str(st.session_state.get(ASKED) or "").strip() or FIRST
    st.session_state[asking.GO] = True
    st.switch_page("pages/ask.py", query_params=Choice.begin().with_(question=question, submitted=True).to_params())
