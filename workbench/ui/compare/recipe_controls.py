"""The choices of one column: where it starts from, mode, scope, prompt and generator."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from workbench.components import choices
from workbench.pipeline import FORM, MODES, PROMPTS, SCOPES, TEXT_LIMIT, Recipe, make_recipe, mode, shipped_recipes
from workbench.ui.ask.explain import SCOPE_TITLES
from workbench.ui.ask.model_controls import matching
from workbench.ui.compare import compare_session
from workbench.ui.parts import access

CHANGED_FIELDS = (
    "mode",
    "scope",
    "prompt",
    "generator",
    "retriever",
    "encoder",
    "translator",
    "reranker",
    "k",
    "balance",
    "query_expansion",
    "compressor",
    "passage_order",
)
"""Choices by which columns are named where they differ in them, in this order."""
Put = Callable[[Recipe], None]
NO_START = ""


def draw(recipe: Recipe, put: Put, key: str, corpora: Sequence[str]) -> None:
    """The controls of a recipe; each change is passed to `put`. `key` begins the controls' keys."""
    titles = {item.name: f"{item.title} · {item.paper}" for item in shipped_recipes()}
    same = matching(recipe)
    _box(
        "Start from",
        [NO_START, *titles],
        same.name if same else NO_START,
        f"{key}_start",
        lambda name: titles.get(name, "Choices below"),
        lambda name: put(_shipped(name, recipe)),
        "A published recipe; what is chosen below changes it.",
    )
    _box(
        "Mode",
        [item.name for item in MODES],
        recipe.mode,
        f"{key}_mode",
        lambda name: mode(name).title,
        lambda name: put(recipe.with_(mode=name, scope=mode(name).scope)),
        "The RAG method: what is translated, what is searched, and what the generator receives.",
    )
    _box(
        "Scope",
        SCOPES,
        recipe.scope,
        f"{key}_scope",
        SCOPE_TITLES.__getitem__,
        lambda name: put(recipe.with_(scope=name)),
        "Which languages are searched.",
    )
    _box(
        "Prompt variant",
        [item.name for item in PROMPTS],
        recipe.prompt,
        f"{key}_prompt",
        str,
        lambda name: put(recipe.with_(prompt=name)),
        "The system prompt.",
    )
    generators = choices("generator")
    _box(
        "Generator",
        list(dict.fromkeys([*generators, recipe.generator])),
        recipe.generator,
        f"{key}_generator",
        lambda name: generators.get(name, name),
        lambda name: put(recipe.with_(generator=name.strip())),
        "Writes the answer. Select one, or type another as `openai-like:MODEL@ENDPOINT`.",
        takes_new=True,
    )
    if len(corpora) > 1:
        _box(
            "Corpus",
            corpora,
            recipe.corpus,
            f"{key}_corpus",
            str,
            lambda name: put(recipe.with_(corpus=name)),
            "The documents to search.",
        )
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
    varied = [name for name in CHANGED_FIELDS if len({getattr(recipe, name) for recipe in recipes}) > 1] or ["mode"]
    names = [" · ".join(_words(recipe, name) for name in varied if _words(recipe, name)) for recipe in recipes]
    return [f"{name} · #{place}" if names.count(name) > 1 else name for place, name in enumerate(names, start=1)]


def _words(recipe: Recipe, name: str) -> str:
    if name == "mode":
        return mode(recipe.mode).title
    if name == "scope":
        return "" if recipe.mode == "baseline" else SCOPE_TITLES[recipe.scope]
    return f"k={recipe.k}" if name == "k" else str(getattr(recipe, name))


def _box(
    label: str,
    options: Sequence[str],
    value: str,
    key: str,
    title: Callable[[str], str],
    change: Callable[[str], None],
    text: str,
    *,
    takes_new: bool = False,
) -> None:
    """A box that always shows the recipe's value; what is selected goes to `change` before anything is drawn."""
    st.session_state[key] = value

    def select() -> None:
        with compare_session.SESSION.noticed():
            change(str(st.session_state[key] or value))

    st.selectbox(label, options, key=key, format_func=title, on_change=select, help=text, accept_new_options=takes_new)


def _shipped(name: str, recipe: Recipe) -> Recipe:
    for item in shipped_recipes():
        if item.name == name:
            return item.recipe.with_(corpus=recipe.corpus)
    return recipe


def _from_file(data: bytes, put: Put) -> None:
    with compare_session.SESSION.noticed():
        recipe = FORM.read(data[: 4 * TEXT_LIMIT].decode("utf-8", "replace"), "the file")
        put(recipe if recipe.corpus in access.corpora() else make_recipe({**recipe.model_dump(), "corpus": "sample"}))
