"""Ask: one question through every scope, mode and prompt, with everything that happened on the way."""

import streamlit as st

from workbench.ui import downloads, frame, safe, workspace
from workbench.ui.ask import answer_view, asking, controls, documents, example_cards, examples, explain, steps, url

frame.required(goes_on=True)
with workspace.guarded():
    corpora = workspace.corpora()
    controls.restore(corpora)

    st.title("Ask")
    st.markdown("One question, in any language, through every published way of multilingual RAG.")
    choice, pressed = controls.draw(corpora)
    explain.new_here()
    controls.remember(choice)

    hosts = workspace.checked(choice.recipe)
    workspace.prepare(choice.recipe.corpus)
    workspace.warm(choice.recipe.corpus)

    if not choice.asked:
        st.header("Try one of these")
        example_cards.cards()
        st.stop()

    asked = asking.ask(workspace.workbench(), choice, corpora[choice.recipe.corpus], hosts=hosts, pressed=pressed)
    if asked is None:
        st.stop()
    answer, recipe = asked.answer, asked.choice.recipe
    safe.show(answer_view.answer_card(answer, recipe))
    if example := examples.of(asked.choice):
        safe.message(f"What to look for: {example.look}")
    if answer.sections:
        st.header("How the claims were weighed")
        safe.show(answer_view.sections_card(answer.sections))

    if answer.evidence:
        st.header(f"Documents handed over ({len(answer.evidence)})")
        safe.show(documents.languages_line(answer.evidence))
        beside = None
        if documents.can_be_read_in_english(answer.evidence) and controls.read_in_english():
            beside = workspace.in_english(answer, recipe)
        safe.show(documents.documents_list(answer.evidence, answer.generation.spans, beside))

    st.header("How it was made")
    with st.expander("The exact prompt", icon=":material/chat:", key="prompt"):
        st.caption("System")
        safe.source(answer.prompt.system)
        st.caption("User")
        safe.source(answer.prompt.user)
    timings = st.expander("Steps and timings", icon=":material/timer:", key="steps", on_change="rerun")
    if timings.open:
        with timings:
            safe.show(steps.steps_table(answer.steps))
            st.plotly_chart(steps.timings_figure(answer.steps), config={"displaylogo": False})
    with st.expander("Link to this choice", icon=":material/link:", key="link"):
        st.caption("Add it to the address of this workbench.")
        safe.source(url.link(asked.choice))
    downloads.buttons(answer, recipe)

    st.header("More examples")
    example_cards.row()
