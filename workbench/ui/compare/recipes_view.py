"""One question under two to four recipes, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from workbench.data import SAMPLE, languages, questions
from workbench.languages import known_languages
from workbench.pipeline import Recipe, make_recipe
from workbench.ui.ask.ask_state import Choice
from workbench.ui.ask.asking import Asking
from workbench.ui.compare import compare_asking, compare_state, recipe_controls
from workbench.ui.compare.compare_asking import AskColumn
from workbench.ui.compare.compare_state import FEWEST, MOST, CompareState
from workbench.ui.compare.side_cards import draw_consistency, draw_sides
from workbench.ui.parts import access, safe_html
from workbench.ui.parts.badges import language_badge, language_words
from workbench.ui.parts.safe_html import element, escaped, text_block

DETECT = ""
FURTHER = ("crossrag", "drag", "monorag", "multirag")
"""Modes that a further column begins with."""


def draw(state: CompareState, corpora: Mapping[str, Sequence[str]]) -> None:
    """The controls, then the answers of all recipes."""
    question_line()
    _language()
    recipes = state.recipes
    for column, (index, recipe) in zip(st.columns(len(recipes), gap="medium"), enumerate(recipes), strict=True):
        with column, st.container(border=True, key=f"compare_column_{index}"):
            recipe_controls.draw(recipe, partial(_put, index), f"compare_{index}", list(corpora))
            if len(recipes) > FEWEST:
                st.button(
                    "Remove", key=f"compare_remove_{index}", icon=":material/close:", on_click=_remove, args=(index,)
                )
    if len(recipes) < MOST:
        st.button("Add a recipe", key="compare_add", icon=":material/add:", on_click=_add)
    state = compare_state.SESSION.current
    if not state.submitted or not state.question.strip():
        safe_html.message("Type a question and press Ask: every recipe answers it.")
        return
    for corpus in dict.fromkeys(recipe.corpus for recipe in recipes):
        access.prepare(corpus)
    in_corpus = tuple(dict.fromkeys(code for recipe in recipes for code in corpora.get(recipe.corpus, ())))
    choice = Choice(question=state.question, language=state.language, recipe=recipes[0], submitted=True)
    language = Asking(choice, in_corpus, (), pressed=False).language()
    names = recipe_controls.names_of(recipes)
    sides = compare_asking.sides(
        [
            AskColumn(name, state.question, language, recipe, *_golds(state.question, language, recipe))
            for name, recipe in zip(names, recipes, strict=True)
        ]
    )
    if sides is None:
        return
    label = element("span", escaped("Question"), css="wb-label")
    line = element("div", label, language_badge(sides[0].language), css="wb-row")
    safe_html.show(element("div", line, text_block(sides[0].question, sides[0].language, "wb-ask")))
    draw_sides(sides, with_questions=False)
    draw_consistency(sides, "recipes")


def question_line() -> None:
    """The field of the question, with Ask."""
    with (
        st.form("compare_form", border=False),
        st.container(horizontal=True, vertical_alignment="bottom", key="compare_line"),
    ):
        st.text_input(
            "Question",
            key=compare_state.QUESTION,
            persist_state="page",
            placeholder="Ask in any language. For example: Who invented radio?",
            help="Press Enter to ask.",
        )
        st.form_submit_button(
            "Ask", key="compare_ask", type="primary", icon=":material/search:", on_click=compare_asking.press
        )


def _language() -> None:
    codes = [language.code for language in known_languages()]
    st.selectbox(
        "Question language (UL)",
        [DETECT, *codes],
        format_func=lambda code: language_words(code) if code else "Detect from the question",
        help="The user's language: the answers should be in it.",
        **compare_state.SESSION.control("language"),
    )


def _golds(text: str, language: str, recipe: Recipe) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The gold answers and passages of a question of the sample, over the sample; none of any other."""
    if recipe.corpus != SAMPLE or language not in languages():
        return (), ()
    match = next((question for question in questions(language) if question.text == text.strip()), None)
    return (match.answers, match.gold) if match else ((), ())


def _put(place: int, recipe: Recipe) -> None:
    recipes = list(compare_state.SESSION.current.recipes)
    recipes[place] = recipe
    compare_state.SESSION.change(recipes=tuple(recipes))


def _remove(place: int) -> None:
    recipes = list(compare_state.SESSION.current.recipes)
    del recipes[place]
    compare_state.SESSION.change(recipes=tuple(recipes))


def _add() -> None:
    recipes = compare_state.SESSION.current.recipes
    modes = {recipe.mode for recipe in recipes}
    further = next((name for name in FURTHER if name not in modes), FURTHER[0])
    compare_state.SESSION.change(recipes=(*recipes, make_recipe({"mode": further, "corpus": recipes[0].corpus})))
