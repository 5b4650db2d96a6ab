"""The least that a page of Streamlit can be with the same texts: a question, a button, an answer and its documents."""

from html import escape

import streamlit as st

from workbench.app import Workbench
from workbench.pipeline import make_recipe
from workbench.workspace import settings


@st.cache_resource(show_spinner=False)
def workbench() -> Workbench:
    """The workbench that the sessions share."""
    return Workbench(settings.load())


with st.form("form", border=False):
    question = st.text_input("Question")
    pressed = st.form_submit_button("Ask")
if pressed:
    answer = workbench().ask(question, "en", make_recipe({"mode": st.query_params.get("mode", "multirag")}))
    texts = [answer.text]
    if answer.sections is not None:
        texts += [answer.sections.extraction, answer.sections.explanation, answer.sections.argumentation]
    st.html("".join(f'<p class="wb-said">{escape(text)}</p>' for text in texts))
    st.html(
        "".join(
            f"<article><h3>{escape(item.passage.title)}</h3><p>{escape(item.text)}</p></article>"
            for item in answer.evidence
        )
    )
