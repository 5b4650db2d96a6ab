"""The form of “Change one thing”: a control for the thing that is selected, and the change that it describes.

Of the documents one can be removed, moved up or down, or edited.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

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


DOCUMENT_KEY, ORDER = "inspect_change_document", "inspect_change_documents"
"""How the keys of the documents' controls begin, and the session's key for the order that they have, by answer."""
TEXT_HEIGHT = 160
"""Pixels of the box in which a text is edited."""


def edited_documents(instance: Instance, evidence: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """The documents with their buttons; returns them as the form has them, `evidence` itself where nothing differs."""
    ranks = tuple(range(1, len(evidence) + 1))
    answer, order = st.session_state.get(ORDER, (0, ()))
    if answer != instance.answer or not set(order) <= set(ranks):
        order = ranks
    documents = tuple(_row(instance, order, place, evidence[rank - 1]) for place, rank in enumerate(order))
    if not order:
        safe_html.message("No document is left: the generator would be given none.")
    st.button(
        "Documents as they were",
        key=f"{DOCUMENT_KEY}_reset_{instance.answer}",
        icon=":material/undo:",
        disabled=documents == tuple(evidence),
        on_click=_reset,
        args=(instance, evidence),
    )
    return documents


def _row(instance: Instance, order: tuple[int, ...], place: int, document: Evidence) -> Evidence:
    """One document: its title and its buttons, one of which opens its text; returns it with the text as it is there."""
    rank, passage, last = order[place], document.passage, len(order) - 1
    text = str(st.session_state.setdefault(_text_key(instance, rank), passage.text))
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"{DOCUMENT_KEY}_row_{place + 1}"):
        pieces = [
            element("span", escaped(place + 1), css="wb-rank"),
            inline(passage.title or passage.id, passage.language, "wb-title"),
            language_badge(passage.language),
            *([escaped(" · edited")] if text != passage.text else []),
        ]
        safe_html.show(element("div", *pieces, css="wb-row"))
        without = order[:place] + order[place + 1 :]
        up, down = ((*without[:to], rank, *without[to:]) for to in (place - 1, place + 1))
        _button("Up", instance, rank, "arrow_upward", up, disabled=place == 0)
        _button("Down", instance, rank, "arrow_downward", down, disabled=place == last)
        key = f"{DOCUMENT_KEY}_edit_{instance.answer}_{rank}"
        with st.popover("Edit", icon=":material/edit:", type="tertiary", key=key, on_change="rerun") as edit:
            if edit.open:
                text = st.text_area(
                    safe_html.plain_label(f"Text of document {place + 1} ({language_option(passage.language)})"),
                    max_chars=DOCUMENT_LIMIT,
                    height=TEXT_HEIGHT,
                    key=_text_key(instance, rank),
                    persist_state="page",
                    help="The original text. A mode that translates documents translates it again.",
                )
        _button("Remove", instance, rank, "close", without)
    return document if text == passage.text else replace(document, passage=replace(passage, text=text))


def _button(
    label: str, instance: Instance, rank: int, icon: str, order: tuple[int, ...], *, disabled: bool = False
) -> None:
    key, put = f"{DOCUMENT_KEY}_{label.casefold()}_{instance.answer}_{rank}", partial(_put, instance, order)
    st.button(label, key=key, icon=f":material/{icon}:", type="tertiary", disabled=disabled, on_click=put)


def _put(instance: Instance, order: tuple[int, ...]) -> None:
    st.session_state[ORDER] = (instance.answer, order)


def _reset(instance: Instance, evidence: Sequence[Evidence]) -> None:
    st.session_state.pop(ORDER, None)
    for rank, document in enumerate(evidence, start=1):
        st.session_state[_text_key(instance, rank)] = document.passage.text


def _text_key(instance: Instance, rank: int) -> str:
    return f"{DOCUMENT_KEY}_text_{instance.answer}_{rank}"
