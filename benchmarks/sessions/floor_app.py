"""The least that a screen of Streamlit can be: a field, a button, and the question that was typed, escaped."""

from html import escape

import streamlit as st

with st.form("form", border=False):
    question = st.text_input("Question")
    pressed = st.form_submit_button("Ask")
if pressed:
    st.html(f'<div class="wb-answer">{escape(question)}<span class="wb-said">{len(question)}</span></div>')
