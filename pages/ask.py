"""Ask: one question through every scope, mode and prompt, with every intermediate result."""

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from workbench.core import MissingError
from workbench.data import SAMPLE
from workbench.experiments import stop_of_answer
from workbench.pipeline import EmptyScopeError
from workbench.ui.ask import (
    answer_view,
    ask_state,
    asking,
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
from workbench.ui.compare import compare_state
from workbench.ui.parts import access, downloads, frame, meaning_line, safe_html, signed_in
from workbench.ui.parts.safe_html import joined
from workbench.ui.tours import tour_list


def draw_answer(shown: ShownAnswer) -> None:
    """One answer with its argument, its documents and how it was made."""
    answer, recipe = shown.answer, shown.choice.recipe
    safe_html.show(answer_view.answer_card(answer, recipe, shown.detection))
    example = examples.of(shown.choice)
    if example:
        safe_html.message(f"What to look for: {example.look}")
    golds, gold_passages = (example.question.answers, example.question.gold) if example else ((), ())
    with draw_actions(shown.choice):
        tour_list.draw_adding(partial(stop_of_answer, answer, recipe, golds, gold_passages), "ask")
        downloads.of_answer(answer, recipe)
    if answer.sections:
        safe_html.show(answer_view.sections_card(answer.sections, answer.evidence))
        answer_view.draw_claims(answer)

    if answer.evidence:
        safe_html.show(joined([documents.heading(answer.evidence), answer_view.notes_card(answer)]))
        beside = None
        if documents.can_be_read_in_english(answer.evidence) and controls.read_in_english():
            beside = access.in_english(answer, recipe)
        corpus = partial(access.workbench().corpus, recipe.corpus)
        documents.draw(answer.evidence, answer.generation.spans, beside, corpus, "ask", folded=True)

    prompt = st.expander("Exact prompt", icon=":material/chat:", key="prompt", type="compact", on_change="rerun")
    if prompt.open:
        with prompt:
            for name, text in (("System", answer.prompt.system), ("User", answer.prompt.user)):
                st.caption(name)
                safe_html.source(text)
    steps = st.expander("Steps and timings", icon=":material/timer:", key="steps", type="compact", on_change="rerun")
    if steps.open:
        with steps:
            safe_html.show(answer_view.steps_table(answer.steps))


def draw_actions(choice: Choice) -> DeltaGenerator:
    """What can be done with an answer, in one row, to which more may be added; and what may soon answer better."""
    meaning_line.draw(choice.recipe, asking.forget)
    row = st.container(horizontal=True, vertical_alignment="center", gap="small", key="answer_actions")
    with row:
        presentation.open_link(choice)
        st.page_link(
            "pages/compare.py",
            label="Compare",
            icon=":material/compare:",
            query_params=compare_state.of_question(choice).to_params(),
            help="The same question in all seven modes, with how far their answers agree.",
        )
        asking.again_button()
        page_scripts.copy_link(ask_state.absolute(st.context.url or "", choice))
    return row


def draw_result(request: Asking) -> None:
    """The answer to a question, or what is missing where there is none."""
    if lacking := access.unready(request.choice.recipe):
        model_controls.missing(lacking)
        return
    try:
        if shown := asking.ask(access.workbench(), request):
            draw_answer(shown)
            controls.announce(shown.answer)
    except EmptyScopeError as error:
        safe_html.message(error.on_screen, "error")
        st.button("Search all languages", icon=":material/language:", on_click=controls.search_all_languages)
    except MissingError as error:
        safe_html.message(error.on_screen, "error")
        st.page_link("pages/settings.py", label="Open Settings", icon=":material/settings:")


@signed_in.part
def draw_page() -> None:
    """The screen: what is done on it draws it again without the frame around it."""
    with access.guarded():
        corpora = access.corpora()
        if not controls.SESSION.current.submitted:
            st.title("Ask")
        choice, pressed = controls.draw(corpora)
        controls.remember()
        is_sample = choice.recipe.corpus == SAMPLE
        with access.guarded():
            if not choice.submitted:
                explain.new_here()
                if is_sample:
                    st.header("Try one of these")
                    examples.cards()
                else:
                    corpus_questions.draw(choice.recipe.corpus)
            hosts = access.check(choice.recipe)
            access.prepare(choice.recipe.corpus)
            access.warm(choice.recipe.corpus)
            if choice.submitted:
                draw_result(Asking(choice, corpora[choice.recipe.corpus], hosts, pressed=pressed))
        if choice.submitted:
            explain.new_here()
            if is_sample:
                examples.row()


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
    page_scripts.listen_for_copying()
    draw_page()
