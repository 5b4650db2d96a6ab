"""The form of “Change one thing”: one control for the thing that is selected, and what it changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from workbench.components import adapter_words, choices
from workbench.experiments import Change, Instance, Retrace, is_perturbed
from workbench.pipeline import MODES, PROMPTS, SCOPES, Recipe, mode
from workbench.ui.ask import explain, model_controls
from workbench.ui.inspect import replay_documents
from workbench.ui.parts import access
from workbench.workspace import PASSAGES_LIMIT, QUESTION_LIMIT

KEY = "inspect_change_"
THINGS: Mapping[str, str] = {
    "mode": "Mode",
    "prompt": "Prompt",
    "scope": "Scope",
    "k": "k",
    "generator": "Generator",
    "documents": "Documents",
    "question": "Question",
}
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
    controls: dict[str, Callable[[Instance, Recipe], object]] = {
        "mode": _mode,
        "prompt": _prompt,
        "scope": _scope,
        "k": _k,
        "generator": _generator,
    }
    if thing == "documents":
        evidence = replay_documents.draw(item, trace.evidence)
        return None if evidence == trace.evidence else Change(evidence=evidence)
    if thing == "question":
        question = _question(item)
        return None if question.strip() == item.text.strip() else Change(question=question)
    value = controls[thing](item, recipe)
    return None if value == getattr(recipe, thing) else Change({thing: value})


def _things(item: Instance, trace: Retrace, recipe: Recipe) -> list[str]:
    """What can be changed of an answer; what its mode does not use is left out."""
    unused = {"prompt"} if recipe.mode == "drag" else set()
    unused |= {"scope", "k", "documents"} if recipe.mode == "baseline" else set()
    unused |= {"scope", "k", "question"} if is_perturbed(item) else set()
    unused |= set() if trace.evidence else {"documents"}
    return [name for name in THINGS if name not in unused]


def _mode(item: Instance, recipe: Recipe) -> object:
    names = [known.name for known in MODES]
    return st.selectbox(
        "Mode",
        names,
        index=names.index(recipe.mode),
        key=key_of(item, "mode"),
        format_func=lambda name: mode(name).title + (AS_IT_WAS if name == recipe.mode else ""),
        help="The stages that both modes share are kept. The scope becomes that of the new mode's paper.",
    )


def _prompt(item: Instance, recipe: Recipe) -> object:
    names = [known.name for known in PROMPTS]
    return st.selectbox(
        "Prompt variant",
        names,
        index=names.index(recipe.prompt),
        key=key_of(item, "prompt"),
        format_func=lambda name: name + (AS_IT_WAS if name == recipe.prompt else ""),
        help="The system prompt. The documents stay; the prompt and the answer are written anew.",
    )


def _scope(item: Instance, recipe: Recipe) -> object:
    return st.selectbox(
        "Scope",
        SCOPES,
        index=SCOPES.index(recipe.scope),
        key=key_of(item, "scope"),
        format_func=lambda name: explain.SCOPE_TITLES[name] + (AS_IT_WAS if name == recipe.scope else ""),
        help="Which languages are searched. The search and all that follows is run.",
    )


def _k(item: Instance, recipe: Recipe) -> object:
    return st.number_input(
        "Passages to the generator (k)",
        1,
        PASSAGES_LIMIT,
        value=recipe.k,
        key=key_of(item, "k"),
        help="How many of the candidates the generator receives. The search itself is kept.",
    )


def _generator(item: Instance, recipe: Recipe) -> object:
    titles, ways = choices("generator"), " or ".join(f"`{way}`" for way in adapter_words("generator"))
    ready = {entry.name: entry.ready for entry in access.inventory() if entry.role == "generator"}
    names = list(dict.fromkeys([*titles, recipe.generator]))
    return st.selectbox(
        "Generator",
        names,
        index=names.index(recipe.generator),
        key=key_of(item, "generator"),
        format_func=model_controls.title_with_state(titles, ready),
        accept_new_options=True,
        help=f"Writes the answer from the same prompt. {model_controls.MARKS} Select one, or type another as {ways}.",
    )


def _question(item: Instance) -> str:
    return st.text_input(
        "Question",
        value=item.text,
        max_chars=QUESTION_LIMIT,
        key=key_of(item, "question"),
        help="In the same language: the golds stay those of the stored question.",
    )
