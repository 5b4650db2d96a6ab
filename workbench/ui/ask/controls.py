"""The Ask screen's controls; what they choose is kept between pages, read from the URL and written to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from workbench.data import SAMPLE
from workbench.languages import known_languages
from workbench.pipeline import MODES, Recipe, mode, recipe_fields
from workbench.ui.ask import ask_state, explain, model_controls, page_scripts
from workbench.ui.ask.ask_state import Choice
from workbench.ui.parts import recipe_form
from workbench.ui.parts.badges import language_words
from workbench.ui.parts.page_state import PageSession

SESSION = PageSession(Choice)
QUESTION, SHOWN = "ask_question", "ask_question_shown"
"""The session's keys for the question's control, and for the question that it was last set to."""
MOVE, ANNOUNCED, NUMBER = "move_to_answer", "announced_answer", "answer_number"
"""The session's keys for whether the page should move to the next answer, for the latest one, and for how many came."""

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
    SESSION.restore({"corpus": corpora})
    if SESSION.is_fresh:
        st.session_state[MOVE] = True


IN_SAMPLE = "Ask in any language. For example: Who invented radio?"


def draw(corpora: Mapping[str, Sequence[str]]) -> tuple[Choice, bool]:
    """The controls, top to bottom. Returns the choice that they hold, and whether Ask was pressed just now."""
    SESSION.show_problems()
    SESSION.show_notice()
    choice = SESSION.current
    # Only where it is another one: what somebody is typing stays.
    if QUESTION not in st.session_state or st.session_state.get(SHOWN) != choice.question:
        st.session_state[QUESTION] = st.session_state[SHOWN] = choice.question
    with st.form("ask_form", border=False), st.container(horizontal=True, vertical_alignment="bottom", key="ask_line"):
        st.text_input(
            "Question",
            key=QUESTION,
            persist_state="page",
            placeholder=IN_SAMPLE
            if choice.recipe.corpus == SAMPLE
            else f"Ask in any language about {choice.recipe.corpus}",
            help="What you want to know, in your own language. Press Enter to ask.",
        )
        pressed = st.form_submit_button("Ask", type="primary", icon=":material/search:", on_click=_press)
    left, right = st.columns([1, 2.2], gap="medium")
    with left:
        _language(choice, corpora[choice.recipe.corpus])
        _field("prompt", choice.recipe)
    with right:
        _field("mode", choice.recipe, segmented=True)
        _field("scope", choice.recipe, segmented=True)
        _compare(choice)
    explain.settings(choice.recipe, corpora[choice.recipe.corpus])
    recipe_form.idle_line(choice.recipe, TOP)
    _more(choice.recipe)
    return choice, pressed


def remember() -> None:
    """Writes the choice into the URL once it differs from the default."""
    if SESSION.current != Choice.begin():
        SESSION.remember()


def announce(result: object) -> None:
    """Makes a result known when it is new: moves to it after Ask and after a link, else only has it read out."""
    if st.session_state.get(ANNOUNCED) is result:
        return
    st.session_state[ANNOUNCED] = result
    st.session_state[NUMBER] = st.session_state.get(NUMBER, 0) + 1
    page_scripts.announce(st.session_state[NUMBER], move=bool(st.session_state.pop(MOVE, False)))


def search_all_languages() -> None:
    """Sets the scope to all languages. Only in a callback."""
    _put("scope", "all")


def read_in_english() -> bool:
    """A toggle: whether documents are shown in English next to the original."""
    return st.toggle(
        "Show documents in English as well",
        key="ask_beside",
        help="A translation as an aid to reading. The generator sees translations only in CrossRAG.",
    )


def _press() -> None:
    question = str(st.session_state[QUESTION] or "")
    st.session_state[SHOWN] = question
    SESSION.change(question=question, submitted=True)
    st.session_state[MOVE] = True


def _put(name: str, value: Any) -> None:
    with SESSION.noticed():
        SESSION.choose("recipe", recipe_form.changed(SESSION.current.recipe, name, value))


def _key(name: str) -> str:
    return SESSION.key(name)


def _field(name: str, recipe: Recipe, *, segmented: bool = False) -> None:
    recipe_form.draw(name, recipe, _key(name), _put, segmented=segmented)


def _language(choice: Choice, in_corpus: Sequence[str]) -> None:
    others = [language.code for language in known_languages() if language.code not in in_corpus]
    unlisted = [choice.language] if choice.language not in ("", *in_corpus, *others) else []
    st.selectbox(
        "Question language (UL)",
        ["", *in_corpus, *others, *unlisted],
        format_func=lambda code: language_words(code) if code else "Detect from the question",
        help="The user's language: the answer should be in it, and the scope “User's language” searches it.",
        **SESSION.control("language"),
    )


def _compare(choice: Choice) -> None:
    """The further modes that answer side by side with the selected one."""
    st.multiselect(
        "Compare with",
        [item.name for item in MODES if item.name != choice.recipe.mode],
        format_func=lambda name: mode(name).title,
        max_selections=ask_state.MODES_LIMIT - 1,
        placeholder="Up to three more modes, side by side",
        help="The same question, answered by further modes side by side. Each searches the scope of its definition.",
        **SESSION.control("compare"),
    )


def _more(recipe: Recipe) -> None:
    with st.expander("More settings", icon=":material/tune:", type="compact"):
        model_controls.start_from(recipe, lambda other: SESSION.change(recipe=other))
        placed = {*TOP, *(name for row in (*MORE, DIALECTIC) for column in row for name in column)}
        rest = [name for name in recipe_fields() if name not in placed]
        rows = [*MORE, *([tuple(rest[start::ACROSS] for start in range(ACROSS))] if rest else []), DIALECTIC]
        shown = [[[name for name in column if _is_shown(name, recipe)] for column in row] for row in rows]
        recipe_form.grid([row for row in shown if any(row)], recipe, _key, _put)
        recipe_form.idle_line(recipe, [name for row in shown for column in row for name in column])


def _is_shown(name: str, recipe: Recipe) -> bool:
    return name not in ON_DEMAND or recipe_fields()[name].has_effect(recipe)
