"""The form of “Change one thing”: a control for the thing that is selected, and the change that it describes.

Of the documents one can be removed, moved up or down, or edited.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from workbench.core import Evidence
from workbench.experiments import DOCUMENT_LIMIT, Change, Instance, Retrace, is_perturbed
from workbench.pipeline import Recipe, field_title, flat, recipe_fields
from workbench.ui.parts import recipe_form, safe_html
from workbench.ui.parts.badges import language_badge, language_option
from workbench.ui.parts.safe_html import element, escaped, inline
from workbench.workspace import QUESTION_LIMIT

KEY = "inspect_change_"
FIRST: Mapping[str, str] = {
    "mode": "The stages that both modes share are kept. The scope changes to that of the new mode's paper.",
    "prompt": "The system prompt. The documents stay; the prompt and the answer are rewritten.",
    "scope": "Which languages are searched. The search and everything after it are run again.",
    "k": "How many of the candidates the generator receives. The search itself is kept.",
    "generator": "Writes the answer from the same prompt.",
}
"""The fields that are changed most, each with what its change leaves as it was."""
OTHER = "other"
THINGS: Mapping[str, str] = {
    **{name: field_title(name) for name in FIRST},
    "documents": "Documents",
    "question": "Question",
    OTHER: "Another setting",
}
OF_SEARCH = frozenset(
    {
        *("corpus", "scope", "question-translation", "query-expansion", "retrieval", "language-balance"),
        *("augmenter", "reranker", "filter"),
    }
)
"""The nodes whose fields determine which documents there are; those of a perturbed answer cannot be changed."""
AS_IT_WAS = " (as it was)"


def key_of(instance: Instance, name: str) -> str:
    """The key of a control for one answer: another answer's form begins anew."""
    return f"{KEY}{name}_{instance.answer}"


def draw(instance: Instance, trace: Retrace, recipe: Recipe) -> Change | None:
    """The form, and the change that it describes; None while everything is as it was."""
    first = "prompt" if recipe.mode != "drag" else "mode"
    selection = st.segmented_control(
        "What to change",
        _things(instance, trace, recipe),
        key=key_of(instance, "thing"),
        format_func=THINGS.__getitem__,
        default=first,
        required=True,
        wrap=True,
        help="One thing at a time, so that what differs afterwards is due to it.",
    )
    # A browser whose page is still loading sends every control empty, also one that nobody can deselect.
    thing = selection or first
    if thing == "documents":
        evidence = edited_documents(instance, trace.evidence)
        return None if evidence == trace.evidence else Change(evidence=evidence)
    if thing == "question":
        question = _question(instance)
        return None if question.strip() == instance.text.strip() else Change(question=question)
    name = _other(instance, recipe) if thing == OTHER else thing
    value = recipe_form.draw(name, recipe, key_of(instance, name), help_=FIRST.get(name, ""), mark=AS_IT_WAS)
    return None if value == flat(recipe)[name] else Change({name: value})


def _things(instance: Instance, trace: Retrace, recipe: Recipe) -> list[str]:
    """What can be changed of an answer; what has no effect in its mode is left out."""
    unused = {name for name in FIRST if not recipe_fields()[name].has_effect(recipe)}
    unused |= {"documents"} if recipe.mode == "baseline" or not trace.evidence else set()
    unused |= {"scope", "k", "question"} if is_perturbed(instance) else set()
    return [name for name in THINGS if name not in unused]


def _other(instance: Instance, recipe: Recipe) -> str:
    """Any further field that has an effect, but for the corpus: an answer's documents are of one."""
    fixed = OF_SEARCH if is_perturbed(instance) else {"corpus"}
    names = [
        field.name
        for field in recipe_fields().values()
        if field.name not in FIRST and field.about.node not in fixed and field.has_effect(recipe)
    ]
    return st.selectbox("Setting", names, key=key_of(instance, OTHER), format_func=field_title)


def _question(instance: Instance) -> str:
    return st.text_input(
        "Question",
        value=instance.text,
        max_chars=QUESTION_LIMIT,
        key=key_of(instance, "question"),
        help="In the same language: the gold answers stay those of the stored question.",
    )


DOCUMENT_KEY = "inspect_change_document"
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


def edited_documents(instance: Instance, evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """The documents with their buttons; returns them as the form has them, `evidence` itself where nothing differs."""
    draft = _current(instance, evidence)
    for index, number in enumerate(draft.order):
        _row(instance, draft, index, evidence[number - 1])
    if not draft.order:
        safe_html.message("No document is left: the generator would be given none.")
    untouched = draft.order == tuple(range(1, len(evidence) + 1)) and not draft.texts
    st.button(
        "Documents as they were",
        key=f"{DOCUMENT_KEY}_reset_{instance.answer}",
        icon=":material/undo:",
        disabled=untouched,
        on_click=_reset,
    )
    if untouched:
        return tuple(evidence)
    texts = dict(draft.texts)
    return tuple(_edited(evidence[number - 1], texts.get(number)) for number in draft.order)


def _row(instance: Instance, draft: _Draft, place: int, document: Evidence) -> None:
    """One document: its title and its buttons, and its text where it is edited."""
    number, passage = draft.order[place], document.passage
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"{DOCUMENT_KEY}_row_{place + 1}"):
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
        _button("Up", instance, number, ":material/arrow_upward:", _moved(draft, place, -1), disabled=place == 0)
        _button("Down", instance, number, ":material/arrow_downward:", _moved(draft, place, 1), disabled=place == last)
        editing = tuple({*draft.editing} ^ {number})
        _button("Edit", instance, number, ":material/edit:", replace(draft, editing=editing))
        _button("Remove", instance, number, ":material/close:", _without(draft, number))
    if number in draft.editing:
        st.text_area(
            safe_html.plain_label(f"Text of document {place + 1} ({language_option(passage.language)})"),
            value=dict(draft.texts).get(number, passage.text),
            max_chars=DOCUMENT_LIMIT,
            height=TEXT_HEIGHT,
            key=_text_key(instance, number),
            on_change=_keep_text,
            args=(instance, number, passage.text),
            help="The original text. A mode that translates documents translates it again.",
        )


def _button(label: str, instance: Instance, number: int, icon: str, after: _Draft, *, disabled: bool = False) -> None:
    st.button(
        label,
        key=f"{DOCUMENT_KEY}_{label.casefold()}_{instance.answer}_{number}",
        icon=icon,
        type="tertiary",
        disabled=disabled,
        on_click=_put,
        args=(after,),
    )


def _current(instance: Instance, evidence: Sequence[Evidence]) -> _Draft:
    draft = st.session_state.get(DRAFT)
    if not isinstance(draft, _Draft) or draft.answer != instance.answer or max(draft.order, default=0) > len(evidence):
        draft = _Draft(instance.answer, tuple(range(1, len(evidence) + 1)))
        st.session_state[DRAFT] = draft
    return draft


def _put(draft: _Draft) -> None:
    st.session_state[DRAFT] = draft


def _reset() -> None:
    st.session_state.pop(DRAFT, None)


def _keep_text(instance: Instance, number: int, original: str) -> None:
    """Keeps an edited text in the form; one that is the original again is no edit."""
    draft, text = st.session_state[DRAFT], st.session_state[_text_key(instance, number)]
    texts = {**dict(draft.texts), number: text}
    if text == original:
        del texts[number]
    st.session_state[DRAFT] = replace(draft, texts=tuple(texts.items()))


def _text_key(instance: Instance, number: int) -> str:
    return f"{DOCUMENT_KEY}_text_{instance.answer}_{number}"


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
