"""Ask: one question through every scope, mode and prompt, with every intermediate result."""

from functools import partial

import streamlit as st

from workbench.core import MissingError
from workbench.data import SAMPLE
from workbench.experiments import stop_of_answer
from workbench.pipeline import EmptyScopeError
from workbench.ui.ask import (
    answer_view,
    ask_state,
    asking,
    comparison_view,
    controls,
    corpus_questions,
    documents,
    examples,
    explain,
    model_controls,
    page_scripts,
    presentation,
)
from workbench.ui.ask.ask_state import Choice
from workbench.ui.ask.asking import Asking, ShownAnswer
from workbench.ui.parts import access, downloads, frame, meaning_line, safe_html
from workbench.ui.tours import tour_list


def draw_answer(shown: ShownAnswer) -> None:
    """One answer with its argument, its documents and how it was made."""
    answer, recipe = shown.answer, shown.choice.recipe
    safe_html.show(answer_view.answer_card(answer, recipe, shown.detection))
    example = examples.of(shown.choice)
    if example:
        safe_html.message(f"What to look for: {example.look}")
    draw_actions(shown.choice)
    golds, gold_passages = (example.question.answers, example.question.gold) if example else ((), ())
    tour_list.draw_adding(partial(stop_of_answer, answer, recipe, golds, gold_passages), "ask")
    if answer.sections:
        st.header("How the claims were weighed")
        safe_html.show(answer_view.sections_card(answer.sections, answer.evidence))
        answer_view.draw_claims(answer)

    if answer.evidence:
        st.header(f"Documents given to the generator ({len(answer.evidence)})", help=documents.SCORES)
        safe_html.show(documents.languages_line(answer.evidence))
        beside = None
        if documents.can_be_read_in_english(answer.evidence) and controls.read_in_english():
            beside = access.in_english(answer, recipe)
        corpus = partial(access.workbench().corpus, recipe.corpus)
        safe_html.show(answer_view.notes_card(answer))
        documents.draw(answer.evidence, answer.generation.spans, beside, corpus, "ask")

    st.header("How this answer was made")
    with st.expander("Exact prompt", icon=":material/chat:", key="prompt"):
        st.caption("System")
        safe_html.source(answer.prompt.system)
        st.caption("User")
        safe_html.source(answer.prompt.user)
    timings = st.expander("Steps and timings", icon=":material/timer:", key="steps", on_change="rerun")
    if timings.open:
        with timings:
            safe_html.show(answer_view.steps_table(answer.steps))
            st.plotly_chart(answer_view.timings_figure(answer.steps), config={"displaylogo": False})
    downloads.of_answer(answer, recipe)


def draw_actions(choice: Choice) -> None:
    """What can be done with an answer: present it, ask again, copy its link; and what may soon answer better."""
    meaning_line.draw(choice.recipe, asking.forget)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="answer_actions"):
        presentation.open_link(choice)
        asking.again_button()
    page_scripts.copy_link(ask_state.absolute(st.context.url or "", choice))


def draw_result(request: Asking) -> None:
    """The answer to a question, or the answers of several modes; what is missing where there is none."""
    if lacking := access.unready(request.choice.recipe):
        model_controls.missing(lacking)
        return
    try:
        if request.choice.compare:
            result = comparison_view.ask(access.workbench(), request)
            if result is not None:
                comparison_view.draw(*result)
                draw_actions(result[0])
                controls.announce(result[1])
        elif shown := asking.ask(access.workbench(), request):
            draw_answer(shown)
            controls.announce(shown.answer)
    except EmptyScopeError as error:
        safe_html.message(error.on_screen, "error")
        st.button("Search all languages", icon=":material/language:", on_click=controls.search_all_languages)
    except MissingError as error:
        safe_html.message(error.on_screen, "error")
        st.page_link("pages/settings.py", label="Open Settings", icon=":material/settings:")


frame.enter(keeps_answer=True)
with access.guarded():
    corpora = access.corpora()
    controls.restore(corpora)
    if presentation.is_open():
        choice = controls.SESSION.current
        controls.remember()
        access.prepare(choice.recipe.corpus)
        hosts = access.check(choice.recipe)
        presentation.draw(Asking(choice, corpora[choice.recipe.corpus], hosts, pressed=False))
        st.stop()

    st.title("Ask")
    st.markdown("One question, in any language, through every published method of multilingual RAG.")
    choice, pressed = controls.draw(corpora)
    explain.new_here()
    controls.remember()
    is_sample = choice.recipe.corpus == SAMPLE
    if not choice.submitted:
        with access.guarded():
            if is_sample:
                st.header("Try one of these")
                examples.cards()
            else:
                corpus_questions.draw(choice.recipe.corpus)

    with access.guarded():
        hosts = access.check(choice.recipe)
        access.prepare(choice.recipe.corpus)
        access.warm(choice.recipe.corpus)
        if choice.submitted:
            draw_result(Asking(choice, corpora[choice.recipe.corpus], hosts, pressed=pressed))
    if choice.submitted and is_sample:
        st.header("More examples")
        examples.row()
