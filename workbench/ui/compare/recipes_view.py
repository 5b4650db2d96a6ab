"""One question under several recipes, at first in every mode: their answers, and how far they agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from workbench.core import DISPUTED, UndetectedLanguage
from workbench.data import SAMPLE, languages, questions
from workbench.languages import known_languages
from workbench.pipeline import Recipe, make_recipe
from workbench.ui.ask.ask_state import Choice
from workbench.ui.ask.asking import Asking
from workbench.ui.compare import compare_asking, compare_state, recipe_controls
from workbench.ui.compare.compare_asking import AskColumn
from workbench.ui.compare.compare_state import FEWEST, FOLD, FOLD_LABEL, MOST, CompareState, all_modes
from workbench.ui.parts import access, folds, safe_html
from workbench.ui.parts.badges import language_words

DETECT = ""


def draw(state: CompareState, corpora: Mapping[str, Sequence[str]]) -> None:
    """The question, the recipes as rows of chips, then the answers of all."""
    modes = all_modes(state.recipes[0])
    question_line(modes, () if state.recipes == modes else state.recipes)
    recipes = state.recipes
    folds.draw(FOLD_LABEL, "tune", FOLD, lambda: _choices(recipes, list(corpora)))
    state = compare_state.SESSION.current
    if not state.question.strip():
        if state.submitted:
            safe_html.message("The question is empty. Type one, then press the button again.", "error")
        return
    if not state.submitted:
        return
    for corpus in dict.fromkeys(recipe.corpus for recipe in recipes):
        access.prepare(corpus)
    in_corpus = tuple(dict.fromkeys(code for recipe in recipes for code in corpora.get(recipe.corpus, ())))
    choice = Choice(question=state.question, language=state.language, recipe=recipes[0], submitted=True)
    if not (language := language_of(Asking(choice, in_corpus, (), pressed=False))):
        return
    names = recipe_controls.names_of(recipes)
    compare_asking.draw(
        [
            AskColumn(name, state.question, language, recipe, *_golds(state.question, language, recipe))
            for name, recipe in zip(names, recipes, strict=True)
        ],
        "recipes",
    )


def _choices(recipes: Sequence[Recipe], corpora: Sequence[str]) -> None:
    """Each recipe as a row of chips with its controls behind Change, and the question's language."""
    with st.container(gap="xxsmall"):
        for index, recipe in enumerate(recipes):
            recipe_controls.row(recipe, index, corpora, _put, _remove if len(recipes) > FEWEST else None)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.button(
            "Add a recipe",
            key="compare_add",
            icon=":material/add:",
            on_click=_add,
            disabled=len(recipes) >= MOST,
            help=f"{FEWEST} to {MOST} recipes can be compared.",
        )
        _language()


def question_line(modes: tuple[Recipe, ...] = (), recipes: tuple[Recipe, ...] = ()) -> None:
    """The field of the question with what can be pressed: the recipes of one's own first, then all modes."""
    buttons = [
        *([(f"Ask these {len(recipes)} recipes", "compare_ask", recipes)] if recipes else []),
        *([("All seven modes", "compare_all" if recipes else "compare_ask", modes)] if modes else []),
    ] or [("Ask", "compare_ask", ())]
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
        for place, (label, key, wanted) in enumerate(buttons):
            st.form_submit_button(
                label,
                key=key,
                type="secondary" if place else "primary",
                icon=":material/search:",
                on_click=compare_asking.press,
                args=(wanted,),
                help="Every mode answers the question, each in the languages that its definition searches."
                if wanted is modes
                else None,
            )


def language_of(asking: Asking) -> str:
    """The question's language; where it cannot be told, "", and the box in which it is chosen."""
    try:
        return asking.language()
    except UndetectedLanguage as error:
        safe_html.message(error.on_screen, "error")
    if not st.session_state[FOLD]:
        _language()
    return ""


def _language() -> None:
    codes = [language.code for language in known_languages()]
    st.selectbox(
        "Question language (UL)",
        [DETECT, *codes],
        format_func=lambda code: language_words(code) if code else "Detect from the question",
        help="The user's language: the answers should be in it.",
        width=360,
        **compare_state.SESSION.control("language"),
    )


def _golds(text: str, language: str, recipe: Recipe) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """The golds of a question of the sample, over the sample, and whether they are several views; none of any other."""
    known = questions(language) if recipe.corpus == SAMPLE and language in languages() else ()
    match = next((question for question in known if question.text == text.strip()), None)
    return (match.answers, match.gold, match.evidence_in == DISPUTED) if match else ((), (), False)


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
    compare_state.SESSION.change(recipes=(*recipes, make_recipe({"corpus": recipes[0].corpus})))
