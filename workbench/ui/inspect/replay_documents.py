"""The documents of “Change one thing”: remove one, move it up or down, edit its text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from workbench.core import Evidence
from workbench.experiments import DOCUMENT_LIMIT, Instance
from workbench.ui.parts import safe_html
from workbench.ui.parts.badges import language_badge, language_option
from workbench.ui.parts.safe_html import element, escaped, inline

KEY = "inspect_change_document"
DRAFT = "inspect_change_documents"
"""The session's key for the documents as they are in the form."""
TEXT_HEIGHT = 160
"""Pixels of the box in which a text is edited."""


@dataclass(frozen=True, slots=True)
class _Draft:
    """The documents in their new order, each by its rank (from 1) among the stored ones; those that are edited."""

    answer: int
    order: tuple[int, ...]
    texts: tuple[tuple[int, str], ...] = ()
    editing: tuple[int, ...] = ()


def draw(item: Instance, evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """The documents with their buttons; returns them as the form has them, `evidence` itself where nothing differs."""
    draft = _current(item, evidence)
    for place, number in enumerate(draft.order):
        _row(item, draft, place, evidence[number - 1])
    if not draft.order:
        safe_html.message("No document is left: the generator would be given none.")
    untouched = draft.order == tuple(range(1, len(evidence) + 1)) and not draft.texts
    st.button(
        "Documents as they were",
        key=f"{KEY}_reset_{item.answer}",
        icon=":material/undo:",
        disabled=untouched,
        on_click=_reset,
    )
    if untouched:
        return tuple(evidence)
    texts = dict(draft.texts)
    return tuple(_edited(evidence[number - 1], texts.get(number)) for number in draft.order)


def _row(item: Instance, draft: _Draft, place: int, document: Evidence) -> None:
    """One document: its title and its buttons, and its text where it is edited."""
    number, passage = draft.order[place], document.passage
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"{KEY}_row_{place + 1}"):
        mark = (escaped(" · edited"),) if number in dict(draft.texts) else ()
        safe_html.show(
            element(
                "div",
                element("span", escaped(place + 1), css="wb-rank"),
                inline(passage.title or passage.id, passage.language, "wb-title"),
                language_badge(passage.language),
                *mark,
                css="wb-row",
            )
        )
        last = len(draft.order) - 1
        _button("Up", item, number, ":material/arrow_upward:", _moved(draft, place, -1), disabled=place == 0)
        _button("Down", item, number, ":material/arrow_downward:", _moved(draft, place, 1), disabled=place == last)
        editing = tuple({*draft.editing} ^ {number})
        _button("Edit", item, number, ":material/edit:", replace(draft, editing=editing))
        _button("Remove", item, number, ":material/close:", _without(draft, number))
    if number in draft.editing:
        st.text_area(
            safe_html.plain_label(f"Text of document {place + 1} ({language_option(passage.language)})"),
            value=dict(draft.texts).get(number, passage.text),
            max_chars=DOCUMENT_LIMIT,
            height=TEXT_HEIGHT,
            key=_text_key(item, number),
            on_change=_keep_text,
            args=(item, number, passage.text),
            help="The original text. A mode that translates documents translates it anew.",
        )


def _button(label: str, item: Instance, number: int, icon: str, after: _Draft, *, disabled: bool = False) -> None:
    st.button(
        label,
        key=f"{KEY}_{label.casefold()}_{item.answer}_{number}",
        icon=icon,
        type="tertiary",
        disabled=disabled,
        on_click=_put,
        args=(after,),
    )


def _current(item: Instance, evidence: Sequence[Evidence]) -> _Draft:
    draft = st.session_state.get(DRAFT)
    if not isinstance(draft, _Draft) or draft.answer != item.answer or max(draft.order, default=0) > len(evidence):
        draft = _Draft(item.answer, tuple(range(1, len(evidence) + 1)))
        st.session_state[DRAFT] = draft
    return draft


def _put(draft: _Draft) -> None:
    st.session_state[DRAFT] = draft


def _reset() -> None:
    st.session_state.pop(DRAFT, None)


def _keep_text(item: Instance, number: int, original: str) -> None:
    """Keeps an edited text in the form; one that is the original again is no edit."""
    draft, text = st.session_state[DRAFT], st.session_state[_text_key(item, number)]
    texts = {**dict(draft.texts), number: text}
    if text == original:
        del texts[number]
    st.session_state[DRAFT] = replace(draft, texts=tuple(texts.items()))


def _text_key(item: Instance, number: int) -> str:
    return f"{KEY}_text_{item.answer}_{number}"


def _moved(draft: _Draft, place: int, by: int) -> _Draft:
    order = list(draft.order)
    order.insert(place + by, order.pop(place))
    return replace(draft, order=tuple(order))


def _without(draft: _Draft, number: int) -> _Draft:
    order = tuple(other for other in draft.order if other != number)
    texts = tuple((other, text) for other, text in draft.texts if other != number)
    return replace(draft, order=order, texts=texts)


def _edited(document: Evidence, text: str | None) -> Evidence:
    return document if text is None else replace(document, passage=replace(document.passage, text=text))
