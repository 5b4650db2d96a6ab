"""The choices of one column: where it starts from, mode, scope, prompt and generator, and whatever else differs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from workbench.pipeline import (
    FORM,
    TEXT_LIMIT,
    Recipe,
    flat,
    make_recipe,
    mode,
    recipe_field,
    recipe_fields,
    shipped_recipe,
    shipped_recipes,
    words,
)
from workbench.ui.ask.model_controls import matching
from workbench.ui.compare import compare_state
from workbench.ui.parts import access, recipe_form

FIRST = ("mode", "scope", "prompt", "generator")
"""The fields that always have a control."""
NO_START = ""


def draw(recipe: Recipe, put: Callable[[Recipe], None], key: str, corpora: Sequence[str]) -> None:
    """The controls of a recipe; each change is passed to `put`. `key` begins the controls' keys."""
    titles = {item.name: f"{item.title} · {item.paper}" for item in shipped_recipes()}
    same, start = matching(recipe), f"{key}_start"
    st.session_state[start] = same.name if same else NO_START

    def begin() -> None:
        if name := st.session_state[start]:
            put(shipped_recipe(name).recipe.with_(corpus=recipe.corpus))

    def put_field(name: str, value: Any) -> None:
        with compare_state.SESSION.noticed():
            put(recipe_form.changed(recipe, name, value))

    st.selectbox(
        "Start from",
        [NO_START, *titles],
        key=start,
        format_func=lambda name: titles.get(name, "Choices below"),
        on_change=begin,
        help="A published recipe; what is chosen below changes it.",
    )
    first = (*FIRST, *(("corpus",) if len(corpora) > 1 else ()))
    for name in first:
        recipe_form.draw(name, recipe, f"{key}_{name}", put_field)
    rest = [name for name in recipe_fields() if name not in (*FIRST, "corpus")]
    recipe_form.further(rest, recipe, lambda name: f"{key}_{name}", put_field)
    with st.popover("Use a recipe file", icon=":material/upload_file:", key=f"{key}_file"):
        file = st.file_uploader("Recipe (YAML)", ["yaml", "yml"], key=f"{key}_upload")
        st.button(
            "Use it",
            key=f"{key}_use",
            disabled=file is None,
            help="Download a recipe from the Ask screen to see its form.",
            on_click=lambda: _from_file(file.getvalue() if file else b"", put),
        )


def names_of(recipes: Sequence[Recipe]) -> list[str]:
    """A distinct name for each recipe: what it differs from the others in, or its mode where they do not."""
    values = [flat(recipe) for recipe in recipes]
    varied = [name for name in (*FIRST, *recipe_fields()) if len({choices[name] for choices in values}) > 1] or ["mode"]
    texts = [[_text(recipe, name) for name in dict.fromkeys(varied)] for recipe in recipes]
    names = [" · ".join(filter(None, each)) for each in texts]
    return [f"{name} · #{number}" if names.count(name) > 1 else name for number, name in enumerate(names, start=1)]


def _text(recipe: Recipe, name: str) -> str:
    """What a recipe's name says of a field: nothing where it has no effect."""
    field, value = recipe_field(name), flat(recipe)[name]
    if name == "mode":
        return mode(recipe.mode).title
    if not field.has_effect(recipe):
        return ""
    if name == "scope":
        return field.shown(value)
    return words(value) if isinstance(value, str) else f"{name}={words(value)}"


def _from_file(data: bytes, put: Callable[[Recipe], None]) -> None:
    with compare_state.SESSION.noticed():
        recipe = FORM.read(data[: 4 * TEXT_LIMIT].decode("utf-8", "replace"), "the file")
        put(recipe if recipe.corpus in access.corpora() else make_recipe({**recipe.model_dump(), "corpus": "sample"}))
