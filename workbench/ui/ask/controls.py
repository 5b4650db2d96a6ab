"""The Ask screen's controls; what they choose is kept between pages, read from the URL and written to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from workbench.data import SAMPLE
from workbench.languages import known_languages
from workbench.pipeline import TITLES, Recipe, mode, recipe_fields, variant
from workbench.ui.ask import asking, explain, model_controls
from workbench.ui.ask.ask_state import Choice
from workbench.ui.parts import recipe_form, safe_html
from workbench.ui.parts.badges import language_words
from workbench.ui.parts.page_state import PageSession
from workbench.ui.parts.safe_html import Html, element, escaped, inline

SESSION = PageSession(Choice)
QUESTION, SHOWN = "ask_question", "ask_question_shown"
"""The session's keys for the question's control, and for the question that it was last set to."""
SETTINGS, MORE_OPEN = "ask_settings", "ask_more"
"""The session's keys for whether the settings, and those that are needed less often, are unfolded."""
BESIDE = "ask_beside"
"""The session's key for whether documents are shown in English as well."""

TOP = ("prompt", "mode", "scope")
MORE = (
    (("corpus", "retriever"), ("k", "candidates", "user_turn"), ("balance", "max_new_tokens", "translate_question")),
    (("encoder",), ("reranker",), ("translator",), ("generator",)),
    (("query_expansion", "expander", "hyde_passages"), ("compressor", "compressor_model"), ("passage_order",)),
    (
        ("fusion_weight", "normalisation"),
        ("rrf_k", "fusion_depth"),
        ("neighbours", "neighbour_side"),
        ("score_threshold", "score_percentile"),
    ),
    (("centring", "exact_search"), ("levelling",), ("sentence_share",), ("builtin_view",)),
)
DIALECTIC = (
    ("dialectic.extraction", "dialectic.explanation", "dialectic.argumentation"),
    ("dialectic.argument_language", "dialectic.argument_language_in"),
    ("dialectic.prompts",),
)
ON_DEMAND = frozenset(
    {"expander", "hyde_passages", "compressor_model", *(name for column in DIALECTIC for name in column)}
)
"""Fields whose controls are there only where they have an effect."""
ACROSS = 4
"""Columns of the fields that no row places."""


def restore(corpora: Mapping[str, Sequence[str]]) -> None:
    """Before any control is drawn: the choice of a new URL, else the last one on this screen."""
    choice = SESSION.restore({"corpus": corpora})
    if SESSION.is_fresh or SETTINGS not in st.session_state:
        st.session_state[SETTINGS] = not choice.submitted


IN_SAMPLE = "Ask in any language. For example: Who invented radio?"


def draw(corpora: Mapping[str, Sequence[str]]) -> tuple[Choice, bool]:
    """The question, and below it one line of what it is asked with, which unfolds to the controls.

    Returns the choice that they hold, and whether Ask was pressed just now. Ask folds them, as then the answer is what
    is looked at.
    """
    SESSION.show_problems()
    SESSION.show_notice()
    choice = SESSION.current
    # Only where it is another one: what somebody is typing stays.
    if QUESTION not in st.session_state or st.session_state.get(SHOWN) != choice.question:
        st.session_state[QUESTION] = st.session_state[SHOWN] = choice.question
    line = "ask_line_asked" if choice.submitted else "ask_line"
    with st.form("ask_form", border=False), st.container(horizontal=True, vertical_alignment="bottom", key=line):
        st.text_input(
            "Question",
            key=QUESTION,
            persist_state="page",
            placeholder=IN_SAMPLE
            if choice.recipe.corpus == SAMPLE
            else f"Ask in any language about {choice.recipe.corpus}",
            help="What you want to know, in your own language. Press Enter to ask.",
            label_visibility="collapsed" if choice.submitted else "visible",
        )
        pressed = st.form_submit_button("Ask", type="primary", icon=":material/search:", on_click=_press)
    is_open = st.session_state[SETTINGS]
    with st.container(horizontal=True, gap="small", key="ask_with_open" if is_open else "ask_with"):
        safe_html.show(words(choice))
        # By another label it would forget whether it is unfolded.
        fold = st.expander("Change", key=SETTINGS, type="compact", on_change="rerun")
    if fold.open:
        with fold:
            left, right = st.columns([1, 2.2], gap="medium")
            with left:
                language_box(choice, corpora[choice.recipe.corpus])
                _field("prompt", choice.recipe)
            with right:
                _field("mode", choice.recipe, segmented=True)
                _field("scope", choice.recipe, segmented=True)
            explain.settings(choice.recipe, corpora[choice.recipe.corpus])
            recipe_form.idle_line(choice.recipe, TOP)
            more = st.expander(
                "More settings", key=MORE_OPEN, icon=":material/page_info:", type="compact", on_change="rerun"
            )
            if more.open:
                with more:
                    _more(choice.recipe)
    return choice, pressed


def words(choice: Choice) -> Html:
    """What a question is asked with, on one line."""
    recipe = choice.recipe
    scope = [] if recipe.mode == "baseline" else [TITLES[recipe.scope].lower().replace("english", "English")]
    prompt = [] if recipe.mode == "drag" else [variant(recipe.prompt).title.partition(" (")[0].lower()]
    parts = (*scope, f"corpus {recipe.corpus}", *prompt)
    return element("div", element("b", escaped(mode(recipe.mode).title)), *(inline(f" · {part}") for part in parts))


def remember() -> None:
    """Writes the choice into the URL once it differs from the default."""
    if SESSION.current != Choice.begin():
        SESSION.remember()


def search_all_languages() -> None:
    """Sets the scope to all languages. Only in a callback."""
    _put("scope", "all")


def read_in_english() -> None:
    """A toggle: whether documents are shown in English next to the original."""
    st.toggle(
        "Show documents in English as well",
        key=BESIDE,
        help="A translation as an aid to reading. The generator sees translations only in CrossRAG.",
    )


def _press() -> None:
    question = str(st.session_state[QUESTION] or "")
    is_alone = not st.session_state[SETTINGS] and not SESSION.problems
    st.session_state[SHOWN] = question
    SESSION.change(question=question, submitted=True)
    st.session_state[SETTINGS] = False
    if is_alone:
        asking.draw_answer_alone()


def _put(name: str, value: Any) -> None:
    with SESSION.noticed():
        SESSION.choose("recipe", recipe_form.changed(SESSION.current.recipe, name, value))


def _field(name: str, recipe: Recipe, *, segmented: bool = False) -> None:
    recipe_form.draw(name, recipe, SESSION.key(name), _put, segmented=segmented)


def language_box(choice: Choice, in_corpus: Sequence[str]) -> None:
    """The box of the question's language."""
    others = [language.code for language in known_languages() if language.code not in in_corpus]
    unlisted = [choice.language] if choice.language not in ("", *in_corpus, *others) else []
    st.selectbox(
        "Question language (UL)",
        ["", *in_corpus, *others, *unlisted],
        format_func=lambda code: language_words(code) if code else "Detect from the question",
        help="The user's language: the answer should be in it, and the scope “User's language” searches it.",
        **SESSION.control("language"),
    )


def _more(recipe: Recipe) -> None:
    model_controls.start_from(recipe, lambda other: SESSION.change(recipe=other))
    placed = {*TOP, *(name for row in (*MORE, DIALECTIC) for column in row for name in column)}
    rest = [name for name in recipe_fields() if name not in placed]
    rows = [*MORE, *([tuple(rest[start::ACROSS] for start in range(ACROSS))] if rest else []), DIALECTIC]
    shown = [[[name for name in column if _is_shown(name, recipe)] for column in row] for row in rows]
    recipe_form.grid([row for row in shown if any(row)], recipe, SESSION.key, _put)
    recipe_form.idle_line(recipe, [name for row in shown for column in row for name in column])


def _is_shown(name: str, recipe: Recipe) -> bool:
    return name not in ON_DEMAND or recipe_fields()[name].has_effect(recipe)
