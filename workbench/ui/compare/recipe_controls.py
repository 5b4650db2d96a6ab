"""A recipe as a row of chips, and behind Change its controls: where it starts from, and each of its choices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from workbench.components import choices
from workbench.pipeline import (
    FORM,
    TEXT_LIMIT,
    Recipe,
    flat,
    make_recipe,
    mode,
    recipe_field,
    recipe_fields,
    words,
)
from workbench.ui.ask import model_controls
from workbench.ui.compare import compare_state
from workbench.ui.parts import access, recipe_form, safe_html
from workbench.ui.parts.badges import chip
from workbench.ui.parts.safe_html import Html, element, inline

FIRST = ("mode", "scope", "prompt", "generator")
"""The fields that always have a control."""


def row(
    recipe: Recipe,
    index: int,
    corpora: Sequence[str],
    put: Callable[[int, Recipe], None],
    remove: Callable[[int], None] | None = None,
) -> None:
    """The recipe's chips with Change; its controls are made when that is opened."""
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key=f"compare_recipe_{index}"):
        safe_html.show(chips(recipe))
        with st.popover("Change", key=f"compare_change_{index}", type="tertiary", on_change="rerun") as change:
            if change.open:
                draw(recipe, partial(put, index), f"compare_{index}", corpora)
                if remove is not None:
                    st.button(
                        "Remove", key=f"compare_remove_{index}", icon=":material/close:", on_click=remove, args=(index,)
                    )


def chips(recipe: Recipe) -> Html:
    """Mode, scope, prompt and generator, and whatever else is not as usual."""
    usual, values = flat(Recipe(mode=recipe.mode)), flat(recipe)
    others = [name for name in recipe_fields() if name not in FIRST and values[name] != usual[name]]
    generators = choices("generator")
    texts = {
        name: recipe_field(name).shown(values[name]) for name in FIRST[1:] if recipe_field(name).has_effect(recipe)
    }
    shown = [
        inline(mode(recipe.mode).title, css="wb-title"),
        *(chip(generators.get(text, text).partition(" (")[0]) for text in texts.values()),
        *(chip(recipe_field(name).title, words(values[name])) for name in others),
    ]  # fmt: skip
    return element("div", *shown, css="wb-row")


def draw(recipe: Recipe, put: Callable[[Recipe], None], key: str, corpora: Sequence[str]) -> None:
    """The controls of a recipe; each change is passed to `put`. `key` begins the controls' keys."""

    def put_field(name: str, value: Any) -> None:
        with compare_state.SESSION.noticed():
            put(recipe_form.changed(recipe, name, value))

    model_controls.start_from(recipe, put, f"{key}_start")
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
    """A distinct name for each recipe: its mode where that suffices, else what it differs from the others in."""
    if len({recipe.mode for recipe in recipes}) == len(recipes):
        usual = [recipe.mode == "baseline" or recipe.scope == mode(recipe.mode).scope for recipe in recipes]
        return [mode(recipe.mode).title if is_usual else f"{mode(recipe.mode).title} · {_text(recipe, 'scope')}"
                for recipe, is_usual in zip(recipes, usual, strict=True)]  # fmt: skip
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
