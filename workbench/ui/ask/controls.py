"""The Ask screen's controls and their state, which is kept between pages, read from the URL and written to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

import streamlit as st

from workbench.languages import known_languages
from workbench.pipeline import (
    MODES,
    NEW_TOKENS_LIMIT,
    PROMPTS,
    SCOPES,
    Balance,
    Recipe,
    RetrieverName,
    make_recipe,
    mode,
)
from workbench.ui.ask import ask_url, explain, model_controls, page_scripts
from workbench.ui.ask.advanced import search_controls
from workbench.ui.ask.ask_url import Choice
from workbench.ui.parts import access, safe_html
from workbench.ui.parts.badges import language_words
from workbench.workspace import CANDIDATES_LIMIT, PASSAGES_LIMIT

KEY = "ask_"
"""The prefix of every widget's key on this screen."""

CHOICE, PROBLEMS = "choice", "problems"
ADDRESS, ARRIVED = "address", "arrived"
"""The session's keys for the URL as this page last saw it, and for whether it is new in this run."""
MOVE, ANNOUNCED, NUMBER = "move_to_answer", "announced_answer", "answer_number"
"""The session's keys for whether the page should move to the next answer, for the latest one, and for how many came."""

RETRIEVERS: Mapping[RetrieverName, str] = {
    "hybrid": "Hybrid: words and meaning",
    "lexical": "Lexical: BM25",
    "dense": "Dense: nearest in meaning",
    "sparse": "Sparse: learned word weights",
    "rrf": "RRF: fusion by rank",
    "cc": "CC: fusion by score",
    "dbsf": "DBSF: fusion by score distribution",
}
BALANCES: Mapping[Balance, str] = {
    "none": "As ranked",
    "equal": "Equal share per language",
    "normalised": "Normalised by language",
}
DETECT = ""


def restore(corpora: Mapping[str, Sequence[str]]) -> None:
    """Before any control is drawn: sets the controls from a new URL, else from the last choice on this screen."""
    params = st.query_params.to_dict()
    if params and not ask_url.names_a_choice(params):
        # Left over from another screen, whose URL the browser was still setting: it must not cost the answer.
        st.session_state[ARRIVED] = True
        params = {}
    if params and params != st.session_state.get(ADDRESS):
        choice, problems = ask_url.from_params(params, corpora)
        put(choice)
        st.session_state[ADDRESS] = params
        st.session_state[ARRIVED] = st.session_state[MOVE] = True
        st.session_state[PROBLEMS] = problems
    elif f"{KEY}question" not in st.session_state or st.session_state[f"{KEY}mode"] is None:
        # Without a mode, which nobody can deselect, the browser has lost its controls: a click while the page is still
        # loading makes it send every one empty.
        put(st.session_state.get(CHOICE, Choice()))


def put(choice: Choice) -> None:
    """Sets every control to the choice. Only before the controls are drawn, or in a callback."""
    recipe = choice.recipe
    values: dict[str, object] = {
        "question": choice.question,
        "language": choice.language,
        "compare": list(choice.compare),
        **{key: getattr(recipe, key) for key in (*ask_url.ALWAYS, *ask_url.SOMETIMES)},
        **{key: getattr(recipe.dialectic, key) for key in ask_url.DIALECTIC},
    }
    for name, value in values.items():
        st.session_state[f"{KEY}{name}"] = value
    st.session_state[CHOICE] = choice
    st.session_state[PROBLEMS] = ()


def draw(corpora: Mapping[str, Sequence[str]]) -> tuple[Choice, bool]:
    """The controls, top to bottom. Returns the choice that they hold, and whether Ask was pressed just now."""
    for problem in st.session_state.get(PROBLEMS, ()):
        safe_html.message(
            f"The link contained a value that is not available; the default is used instead. {problem}", "error"
        )
    with st.form("ask_form", border=False), st.container(horizontal=True, vertical_alignment="bottom", key="ask_line"):
        question = st.text_input(
            "Question",
            key=f"{KEY}question",
            placeholder="Ask in any language. For example: Who invented radio?",
            help="What you want to know, in your own language. Press Enter to ask.",
        )
        pressed = st.form_submit_button("Ask", type="primary", icon=":material/search:")
    left, right = st.columns([1, 2.2], gap="medium")
    with left:
        language = _language(corpora[st.session_state[f"{KEY}corpus"]])
        _variant()
    with right:
        _mode()
        _scope()
        further = _compare()
    explanation = st.container()
    _more(corpora)
    submitted = pressed or st.session_state[CHOICE].submitted
    choice = Choice(question or "", language, _recipe(), submitted, further)
    if pressed:
        st.session_state[MOVE] = True
    with explanation:
        explain.settings(choice.recipe)
    return choice, pressed


def remember(choice: Choice) -> None:
    """Keeps the choice for when the page is left, and writes it into the URL once it differs from the default."""
    if choice != st.session_state[CHOICE]:
        st.session_state[PROBLEMS] = ()
    st.session_state[CHOICE] = choice
    params = ask_url.to_params(choice)
    # Also right after a new URL: a link from this page to itself changes what Streamlit passes on, but not what the
    # browser shows.
    changed = params != st.session_state.get(ADDRESS) or st.session_state.pop(ARRIVED, False)
    if changed and choice != Choice():
        st.query_params.from_dict(params)
        st.session_state[ADDRESS] = params


def _language(in_corpus: Sequence[str]) -> str:
    others = [item.code for item in known_languages() if item.code not in in_corpus]
    current = st.session_state[f"{KEY}language"]
    unlisted = [current] if current and current not in in_corpus and current not in others else []
    code: str = st.selectbox(
        "Question language (UL)",
        [DETECT, *in_corpus, *others, *unlisted],
        key=f"{KEY}language",
        format_func=lambda code: language_words(code) if code else "Detect from the question",
        help="The user's language: the answer should be in it, and the scope “User's language” searches it.",
    )
    return code


def _variant() -> None:
    st.selectbox(
        "Prompt variant",
        [item.name for item in PROMPTS],
        key=f"{KEY}prompt",
        help="The system prompt: one of the six in Chirkova et al. (2024), Table 2, or that of another paper, in our "
        "words.",
        disabled=st.session_state[f"{KEY}mode"] == "drag",
    )


def _mode() -> None:
    st.segmented_control(
        "Mode",
        [item.name for item in MODES],
        key=f"{KEY}mode",
        format_func=lambda name: mode(name).title,
        required=True,
        wrap=True,
        on_change=_set_default_scope,
        help="The RAG method: what is translated, what is searched, and what the generator receives.",
    )


def _compare() -> tuple[str, ...]:
    """The further modes that answer side by side with the selected one."""
    first, key = st.session_state[f"{KEY}mode"], f"{KEY}compare"
    current = st.session_state.get(key) or []
    if first in current:
        st.session_state[key] = [name for name in current if name != first]
    further: list[str] = st.multiselect(
        "Compare with",
        [item.name for item in MODES if item.name != first],
        key=key,
        format_func=lambda name: mode(name).title,
        max_selections=ask_url.MODES_LIMIT - 1,
        placeholder="Up to three more modes, side by side",
        help="The same question, answered by further modes side by side. Each searches the scope of its definition.",
    )
    return tuple(further)


def announce(result: object) -> None:
    """Makes a result known when it is new: moves to it after Ask and after a link, else only has it read out."""
    if st.session_state.get(ANNOUNCED) is result:
        return
    st.session_state[ANNOUNCED] = result
    st.session_state[NUMBER] = st.session_state.get(NUMBER, 0) + 1
    page_scripts.announce(st.session_state[NUMBER], move=bool(st.session_state.pop(MOVE, False)))


def search_all_languages() -> None:
    """Sets the scope to all languages. Only in a callback."""
    st.session_state[f"{KEY}scope"] = "all"


def _set_default_scope() -> None:
    name = st.session_state[f"{KEY}mode"]
    if name is not None:
        st.session_state[f"{KEY}scope"] = mode(name).scope


def _scope() -> None:
    st.segmented_control(
        "Scope",
        SCOPES,
        key=f"{KEY}scope",
        format_func=explain.SCOPE_TITLES.__getitem__,
        required=True,
        wrap=True,
        disabled=st.session_state[f"{KEY}mode"] == "baseline",
        help="Which languages are searched. Each mode sets its default; change it to see the effect.",
    )


def _more(corpora: Mapping[str, Sequence[str]]) -> None:
    with st.expander("More settings", icon=":material/tune:", type="compact"):
        model_controls.start_from(_recipe(), _start_from)
        first, second, third = st.columns(3, gap="medium")
        with first:
            st.selectbox("Corpus", list(corpora), key=f"{KEY}corpus", help="The documents to search.")
            st.selectbox(
                "Retriever",
                get_args(RetrieverName),
                key=f"{KEY}retriever",
                format_func=RETRIEVERS.__getitem__,
                help="How passages are retrieved: by words, by meaning across languages, or by a fusion of both.",
            )
        with second:
            st.number_input(
                "Passages to the generator (k)", 1, PASSAGES_LIMIT, key=f"{KEY}k", help="How many it receives."
            )
            st.number_input(
                "Candidates", 1, CANDIDATES_LIMIT, key=f"{KEY}candidates", help="Passages retrieved before reranking."
            )
        with third:
            st.selectbox(
                "Language balance",
                get_args(Balance),
                key=f"{KEY}balance",
                format_func=BALANCES.__getitem__,
                help="Retrievers favour English; a balance gives the scope's other languages their share.",
            )
            st.number_input(
                "Tokens of the answer",
                1,
                NEW_TOKENS_LIMIT,
                value=None,
                key=f"{KEY}max_new_tokens",
                placeholder="128; 2048 for D-RAG",
                help="The most that a language model may write. Empty: the task's default.",
            )
            st.toggle(
                "Translate the question for search",
                key=f"{KEY}translate_question",
                help="Search with the question in English. tRAG and Pivot always do.",
                disabled=st.session_state[f"{KEY}mode"] in ("trag", "pivot", "baseline"),
            )
        model_controls.draw(st.session_state[CHOICE].recipe, access.inventory())
        model_controls.rewriting(st.session_state[CHOICE].recipe)
        search_controls.draw(st.session_state[f"{KEY}retriever"])
        if st.session_state[f"{KEY}mode"] == "drag":
            model_controls.dialectic()


def _start_from(recipe: Recipe) -> None:
    choice: Choice = st.session_state[CHOICE]
    question, language = st.session_state[f"{KEY}question"], st.session_state[f"{KEY}language"]
    put(Choice(question or "", language, recipe, choice.submitted, choice.compare))


def read_in_english() -> bool:
    """A toggle: whether documents are shown in English next to the original."""
    return st.toggle(
        "Show documents in English as well",
        key=f"{KEY}beside",
        help="A translation as an aid to reading. The generator sees translations only in CrossRAG.",
    )


def _recipe() -> Recipe:
    """The recipe that the controls describe."""
    state = st.session_state
    # Streamlit forgets controls that are not drawn; the last choice still has their values.
    previous: Recipe = state[CHOICE].recipe
    dialectic = {key: state.get(f"{KEY}{key}", getattr(previous.dialectic, key)) for key in ask_url.DIALECTIC}
    names = (*ask_url.ALWAYS, *ask_url.SOMETIMES)
    return make_recipe(
        {**{key: state.get(f"{KEY}{key}", getattr(previous, key)) for key in names}, "dialectic": dialectic}
    )
