"""The controls that select what the Data screen shows, kept in step with the URL.

The URL is written once per run, with all parameters, and only when a person selects something: the browser's history
grows by an entry each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from workbench.ui.data import data_url
from workbench.ui.data.data_url import LANGUAGES, VIEWS, Selection, View
from workbench.ui.parts import safe_html
from workbench.ui.parts.badges import language_words

KEY = "data_"
ADDRESS, CURRENT, PROBLEMS = "data_address", "data_current", "data_problems"
"""In the session: the parameters as they were last read or written, the selection, and what was wrong with a link."""
NEXT = "data_next"
"""In the session: the selection to show from the next run on."""
ALL = ""
PER_PAGE = 10
EXAMPLES = {"datasets": "Words of questions, answers or ids, in any script", "corpora": "Words or an id, in any script"}


def restore(datasets: LANGUAGES, corpora: LANGUAGES, reviews: Sequence[str] = ()) -> None:
    """Before any control is drawn: sets the controls from a new URL, and reports what it names in vain."""
    params = st.query_params.to_dict()
    current: Selection | None = st.session_state.get(CURRENT)
    if following := st.session_state.pop(NEXT, None):
        _put(following, ())
        _write(following)
    elif current is None or params != st.session_state.get(ADDRESS) or f"{KEY}view" not in st.session_state:
        selection, problems = data_url.from_params(params, datasets, corpora, reviews)
        _put(selection, problems)
        if current is not None and params:
            # A link from this page to itself changes what Streamlit passes on, but not what the browser shows.
            st.query_params.from_dict(params)
        st.session_state[ADDRESS] = params
    elif current.view == "review":
        if current.name not in reviews:
            _put(Selection("review", next(iter(reviews), "")), ())
    elif current.name not in (corpora if current.view == "corpora" else datasets):
        _put(Selection(view=current.view), ())
    for problem in st.session_state.get(PROBLEMS, ()):
        safe_html.message(f"{problem} Something else is shown instead.", "error")


def view() -> View:
    """The control for datasets or corpora."""
    selected = st.segmented_control(
        "View",
        list(VIEWS),
        key=f"{KEY}view",
        format_func=VIEWS.__getitem__,
        required=True,
        label_visibility="collapsed",
    )
    return selected or "datasets"


def draw(view_: View, available: LANGUAGES) -> Selection:
    """The controls for one dataset or corpus and what of it; returns the selection, which the URL then names."""
    noun = "Dataset" if view_ == "datasets" else "Corpus"
    name_key = f"{KEY}{noun.lower()}"
    if st.session_state.get(name_key) not in available:
        st.session_state[name_key] = next(iter(available))
    left, middle, right = st.columns([1, 1, 1.4], gap="medium")
    name: str = left.selectbox(noun, list(available), key=name_key)
    language_key = f"{KEY}code_{view_}"
    languages = [ALL, *available[name]]
    if st.session_state.get(language_key) not in languages:
        st.session_state[language_key] = ALL
    language: str = middle.selectbox(
        "Language",
        languages,
        key=language_key,
        format_func=lambda code: language_words(code) if code else "All languages",
    )
    search = right.text_input("Search", key=f"{KEY}search_{view_}", placeholder=EXAMPLES[view_], max_chars=200).strip()
    documents = False
    if view_ == "corpora":
        shown = st.segmented_control(
            "Show", ["Passages", "Documents"], key=f"{KEY}show", required=True, label_visibility="collapsed"
        )
        documents = shown == "Documents"
    return _settled(replace(st.session_state[CURRENT], documents=documents), view_, name, language, search)


def reviewed(names: Sequence[str]) -> Selection:
    """The selection of drafts, which the URL then names; of the first set where another view was shown before."""
    before: Selection = st.session_state[CURRENT]
    selection = before if before.view == "review" else Selection("review", next(iter(names), ""))
    if selection != before:
        st.session_state[CURRENT] = selection
        st.session_state[PROBLEMS] = ()
        _write(selection)
    return selection


def show_next(selection: Selection) -> None:
    """Within a callback: what the next run shows."""
    st.session_state[NEXT] = selection


def pages(total: int, page: int) -> None:
    """The line below a list: which page this is, and the buttons to the others."""
    count = max(1, -(-total // PER_PAGE))
    if count > 1:
        with st.container(horizontal=True, vertical_alignment="center", key="data_pages"):
            st.button("Previous", disabled=page <= 1, key="data_earlier", on_click=_turn, args=(page - 1,))
            st.markdown(f"Page {page:,} of {count:,}")
            st.button("Next", disabled=page >= count, key="data_later", on_click=_turn, args=(page + 1,))


def within(page: int, total: int) -> int:
    """The page, or the last one where there are fewer."""
    return min(page, max(1, -(-total // PER_PAGE)))


def everything() -> None:
    """A callback: all passages again, instead of one or those of a document."""
    st.session_state[NEXT] = replace(st.session_state[CURRENT], document="", passage="", page=1)


def _settled(current: Selection, view_: View, name: str, language: str, search: str) -> Selection:
    before: Selection = st.session_state[CURRENT]
    selection = replace(current, view=view_, name=name, language=language, search=search, draft=0, decision="waiting")
    if (before.view, before.name) != (view_, name):
        selection = replace(selection, page=1, document="", passage="")
    elif before != selection:
        # What was one page of another list is none of this one.
        selection = replace(selection, page=1, passage="", document="" if selection.documents else selection.document)
    if selection != before:
        st.session_state[CURRENT] = selection
        st.session_state[PROBLEMS] = ()
        _write(selection)
    return selection


def _put(selection: Selection, problems: Sequence[str]) -> None:
    view_ = selection.view
    if view_ == "review":
        st.session_state[f"{KEY}view"], st.session_state[f"{KEY}show"] = view_, "Passages"
        st.session_state[CURRENT], st.session_state[PROBLEMS] = selection, problems
        return
    values = {
        "view": view_,
        "dataset" if view_ == "datasets" else "corpus": selection.name,
        f"code_{view_}": selection.language,
        f"search_{view_}": selection.search,
        "show": "Documents" if selection.documents else "Passages",
    }
    for name, value in values.items():
        st.session_state[f"{KEY}{name}"] = value
    st.session_state[CURRENT], st.session_state[PROBLEMS] = selection, problems


def _write(selection: Selection) -> None:
    params = data_url.to_params(selection)
    if params != st.query_params.to_dict():
        st.query_params.from_dict(params)
    st.session_state[ADDRESS] = params


def _turn(page: int) -> None:
    selection = replace(st.session_state[CURRENT], page=page)
    st.session_state[CURRENT] = selection
    _write(selection)
