"""The form of “Change one thing”: one control for the thing that is selected, and what it changes."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from workbench.experiments import Change, Instance, Retrace, is_perturbed
from workbench.pipeline import Recipe, field_title, flat, recipe_fields
from workbench.ui.inspect import replay_documents
from workbench.ui.parts import recipe_form
from workbench.workspace import QUESTION_LIMIT

KEY = "inspect_change_"
FIRST: Mapping[str, str] = {
    "mode": "The stages that both modes share are kept. The scope becomes that of the new mode's paper.",
    "prompt": "The system prompt. The documents stay; the prompt and the answer are written anew.",
    "scope": "Which languages are searched. The search and all that follows is run.",
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


def key_of(item: Instance, name: str) -> str:
    """The key of a control for one answer: another answer's form begins anew."""
    return f"{KEY}{name}_{item.answer}"


def draw(item: Instance, trace: Retrace, recipe: Recipe) -> Change | None:
    """The form, and the change that it describes; None while everything is as it was."""
    first = "prompt" if recipe.mode != "drag" else "mode"
    selection = st.segmented_control(
        "What to change",
        _things(item, trace, recipe),
        key=key_of(item, "thing"),
        format_func=THINGS.__getitem__,
        default=first,
        required=True,
        wrap=True,
        help="One thing at a time, so that what differs afterwards is due to it.",
    )
    # A browser whose page is still loading sends every control empty, also one that nobody can deselect.
    thing = selection or first
    if thing == "documents":
        evidence = replay_documents.draw(item, trace.evidence)
        return None if evidence == trace.evidence else Change(evidence=evidence)
    if thing == "question":
        question = _question(item)
        return None if question.strip() == item.text.strip() else Change(question=question)
    name = _other(item, recipe) if thing == OTHER else thing
    value = recipe_form.draw(name, recipe, key_of(item, name), help_=FIRST.get(name, ""), mark=AS_IT_WAS)
    return None if value == flat(recipe)[name] else Change({name: value})


def _things(item: Instance, trace: Retrace, recipe: Recipe) -> list[str]:
    """What can be changed of an answer; what has no effect in its mode is left out."""
    unused = {name for name in FIRST if not recipe_fields()[name].has_effect(recipe)}
    unused |= {"documents"} if recipe.mode == "baseline" or not trace.evidence else set()
    unused |= {"scope", "k", "question"} if is_perturbed(item) else set()
    return [name for name in THINGS if name not in unused]


def _other(item: Instance, recipe: Recipe) -> str:
    """Any further field that has an effect, but for the corpus: an answer's documents are of one."""
    fixed = OF_SEARCH if is_perturbed(item) else {"corpus"}
    names = [
        field.name
        for field in recipe_fields().values()
        if field.name not in FIRST and field.about.node not in fixed and field.has_effect(recipe)
    ]
    return st.selectbox("Setting", names, key=key_of(item, OTHER), format_func=field_title)


def _question(item: Instance) -> str:
    return st.text_input(
        "Question",
        value=item.text,
        max_chars=QUESTION_LIMIT,
        key=key_of(item, "question"),
        help="In the same language: the golds stay those of the stored question.",
    )
