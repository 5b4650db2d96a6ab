"""Ask: one question through every scope, mode and prompt, with everything that happened on the way."""

import streamlit as st

from workbench.ui.ask import (
    answer_view,
    ask_url,
    asking,
    controls,
    documents,
    example_cards,
    examples,
    explain,
    step_table,
)
from workbench.ui.shared import access, downloads, frame, safe_html

frame.required(goes_on=True)
with access.guarded():
    corpora = access.corpora()
    controls.restore(corpora)

    st.title("Ask")
    st.markdown("One question, in any language, through every published way of multilingual RAG.")
    choice, pressed = controls.draw(corpora)
    explain.new_here()
    controls.remember(choice)

    hosts = access.checked(choice.recipe)
    access.prepare(choice.recipe.corpus)
    access.warm(choice.recipe.corpus)

    if not choice.asked:
        st.header("Try one of these")
        example_cards.cards()
        st.stop()

    asked = asking.ask(access.workbench(), choice, corpora[choice.recipe.corpus], hosts=hosts, pressed=pressed)
    if asked is None:
        st.stop()
    answer, recipe = asked.answer, asked.choice.recipe
    safe_html.show(answer_view.answer_card(answer, recipe))
    if example := examples.of(asked.choice):
        safe_html.message(f"What to look for: {example.look}")
    if answer.sections:
        st.header("How the claims were weighed")
        safe_html.show(answer_view.sections_card(answer.sections))

    if answer.evidence:
        st.header(f"Documents handed over ({len(answer.evidence)})")
        safe_html.show(documents.languages_line(answer.evidence))
        beside = None
        if documents.can_be_read_in_english(answer.evidence) and controls.read_in_english():
            beside = access.in_english(answer, recipe)
        safe_html.show(documents.documents_list(answer.evidence, answer.generation.spans, beside))

    st.header("How it was made")
    with st.expander("The exact prompt", icon=":material/chat:", key="prompt"):
        st.caption("System")
        safe_html.source(answer.prompt.system)
        st.caption("User")
        safe_html.source(answer.prompt.user)
    timings = st.expander("Steps and timings", icon=":material/timer:", key="steps", on_change="rerun")
    if timings.open:
        with timings:
            safe_html.show(step_table.steps_table(answer.steps))
            st.plotly_chart(step_table.timings_figure(answer.steps), config={"displaylogo": False})
    with st.expander("Link to this choice", icon=":material/link:", key="link"):
        st.caption("Add it to the address of this workbench.")
        safe_html.source(ask_url.link(asked.choice))
    downloads.buttons(answer, recipe)

    st.header("More examples")
    example_cards.row()
