"""Ask: one question through every scope, mode and prompt, with every intermediate result."""

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

frame.enter(keeps_answer=True)
with access.guarded():
    corpora = access.corpora()
    controls.restore(corpora)

    st.title("Ask")
    st.markdown("One question, in any language, through every published method of multilingual RAG.")
    choice, pressed = controls.draw(corpora)
    explain.new_here()
    controls.remember(choice)

    hosts = access.check(choice.recipe)
    access.prepare(choice.recipe.corpus)
    access.warm(choice.recipe.corpus)

    if not choice.submitted:
        st.header("Try one of these")
        example_cards.cards()
        st.stop()

    shown = asking.ask(access.workbench(), choice, corpora[choice.recipe.corpus], hosts=hosts, pressed=pressed)
    if shown is None:
        st.stop()
    answer, recipe = shown.answer, shown.choice.recipe
    safe_html.show(answer_view.answer_card(answer, recipe))
    if example := examples.of(shown.choice):
        safe_html.message(f"What to look for: {example.look}")
    if answer.sections:
        st.header("How the claims were weighed")
        safe_html.show(answer_view.sections_card(answer.sections))

    if answer.evidence:
        st.header(f"Documents given to the generator ({len(answer.evidence)})")
        safe_html.show(documents.languages_line(answer.evidence))
        beside = None
        if documents.can_be_read_in_english(answer.evidence) and controls.read_in_english():
            beside = access.in_english(answer, recipe)
        safe_html.show(documents.documents_list(answer.evidence, answer.generation.spans, beside))

    st.header("How the answer was produced")
    with st.expander("Exact prompt", icon=":material/chat:", key="prompt"):
        st.caption("System")
        safe_html.source(answer.prompt.system)
        st.caption("User")
        safe_html.source(answer.prompt.user)
    timings = st.expander("Steps and timings", icon=":material/timer:", key="steps", on_change="rerun")
    if timings.open:
        with timings:
            safe_html.show(step_table.steps_table(answer.steps))
            st.plotly_chart(step_table.timings_figure(answer.steps), config={"displaylogo": False})
    with st.expander("Link to these settings", icon=":material/link:", key="link"):
        st.caption("Append it to this workbench's address.")
        safe_html.source(ask_url.link(shown.choice))
    downloads.buttons(answer, recipe)

    st.header("More examples")
    example_cards.row()
