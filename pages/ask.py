"""Ask: one question through every scope, mode and prompt, with every intermediate result."""

from dataclasses import replace
from functools import partial

import streamlit as st

from workbench.core import MissingError, UndetectedLanguage
from workbench.data import SAMPLE
from workbench.experiments import stop_of_answer
from workbench.pipeline import EmptyScopeError
from workbench.ui.ask import (
    answer_view,
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
from workbench.ui.parts.safe_html import joined, text_block
from workbench.ui.tours import tour_list

# Modes that give the generator no document, or each in English.
ENGLISH_ALREADY = ("baseline", "crossrag")
NEAREST = "None of them is likely to answer the question: they are the nearest that there are."


def draw_answer(request: Asking, shown: ShownAnswer) -> None:
    """An answer with what can be done with it, its argument, its documents and how it was made.

    What depends on the question is in two parts, which another question draws again without all around them.
    """
    parts = dict(zip(asking.PARTS, (draw_card, draw_documents), strict=True))
    card, documents_ = (signed_in.part(draw, key) if request.at_once else draw for key, draw in parts.items())
    card(request)
    draw_actions(request.choice, shown)
    documents_(request)
    answer_view.draw_making(shown.answer.prompt, shown.answer.steps)


def draw_card(request: Asking) -> None:
    """The answer to the question as it is now. What goes wrong with another question, the complete page shows."""
    if request.at_once:
        with access.caught(lambda _: st.rerun()):
            asking.ask(access.workbench(), replace(request, choice=controls.SESSION.current, pressed=False))
        controls.remember()
    shown = asking.latest()
    pieces = [answer_view.answer_card(shown.answer, shown.choice.recipe, shown.detection)]
    if example := examples.of(shown.choice):
        pieces.append(text_block(f"What to look for: {example.look}", "en", "wb-message wb-note"))
    safe_html.show(joined(pieces))


def draw_documents(request: Asking) -> None:
    """The argument of the latest answer and its documents."""
    answer, recipe = asking.latest().answer, request.choice.recipe
    above = [answer_view.sections_card(answer.sections, answer.evidence)] if answer.sections else []
    if answer.evidence:
        above += [documents.heading(answer.evidence), answer_view.notes_card(answer)]
        if answer.generation.abstains:
            above.append(text_block(NEAREST, "en", "wb-muted"))
    is_aided = st.session_state.get(controls.BESIDE) and documents.can_be_read_in_english(answer.evidence)
    beside = access.in_english(answer, recipe) if is_aided else None
    corpus = partial(access.workbench().corpus, recipe.corpus)
    spans = answer.generation.spans
    documents.draw(answer.evidence, spans, beside, corpus, "ask", above=joined(above), folded=True)
    answer_view.draw_claims(answer)


def draw_actions(choice: Choice, shown: ShownAnswer) -> None:
    """What can be done with the latest answer, in one row; and what may soon answer better."""
    meaning_line.draw(choice.recipe, asking.forget)
    example = examples.of(shown.choice)
    golds, gold_passages = (example.question.answers, example.question.gold) if example else ((), ())
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="answer_actions"):
        # Links would name the question at the time that they were drawn.
        if presentation.is_wanted():
            st.switch_page("pages/ask.py", query_params=choice.with_(presentation=True).to_params())
        if st.button(
            "Compare",
            key="ask_compare",
            icon=":material/compare:",
            help="The same question in all seven modes, with how far their answers agree.",
        ):
            st.switch_page("pages/compare.py", query_params=compare_state.of_question(choice).to_params())
        asking.again_button()
        page_scripts.copy_link()
        stop = partial(stop_of_answer, shown.answer, choice.recipe, golds, gold_passages)
        tour_list.draw_adding(stop, "ask")
        downloads.of_answer(shown.answer, choice.recipe)
        if choice.recipe.mode not in ENGLISH_ALREADY:
            controls.read_in_english()


def draw_result(request: Asking) -> None:
    """The answer to a question, or what is missing where there is none."""
    if lacking := access.unready(request.choice.recipe):
        model_controls.missing(lacking)
        return
    try:
        if shown := asking.ask(access.workbench(), request):
            draw_answer(request, shown)
    except UndetectedLanguage as error:
        safe_html.message(error.on_screen, "error")
        # Where it is asked for, unless it stands above.
        if not st.session_state[controls.SETTINGS]:
            controls.language_box(request.choice, request.in_corpus)
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
                    examples.cards(examples.FIRST)
                    examples.row()
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
    choice = controls.SESSION.current
    if choice.presentation:
        controls.remember()
        access.prepare(choice.recipe.corpus)
        hosts = access.check(choice.recipe)
        presentation.draw(Asking(choice, corpora[choice.recipe.corpus], hosts, pressed=False))
        st.stop()
    page_scripts.listen()
    draw_page()
