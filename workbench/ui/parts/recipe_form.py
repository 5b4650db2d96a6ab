"""The controls of a recipe, each made from its field's description; a screen chooses which stand where.

A field without an effect beside the other choices cannot be changed, and its help says when it has one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any

import streamlit as st

from workbench.components import adapter_words, model_title
from workbench.core import Role
from workbench.languages import known_languages
from workbench.pipeline import (
    EXTRACTIVE,
    Recipe,
    RecipeField,
    field_title,
    flat,
    make_recipe,
    nested,
    recipe_field,
    recipe_fields,
    suggestions,
)
from workbench.ui.parts import access, safe_html
from workbench.ui.parts.badges import language_words

Put = Callable[[str, Any], None]
"""Takes the name of a field and the value that a person gave it: for a control's callback."""
MARKS = "● can be used now, ○ needs a download, a package or a key."
EXAMPLES: dict[Role, str] = {
    "encoder": "sentence-transformers:FOLDER",
    "reranker": "cross-encoder:FOLDER",
    "translator": "llm:openai-like:MODEL@ENDPOINT",
    "generator": "openai-like:MODEL@ENDPOINT",
    "identifier": "fasttext:FILE",
}


def changed(recipe: Recipe, name: str, value: Any) -> Recipe:
    """The recipe with another value of a field; a new mode brings its scope. Raises UsageError."""
    value = value.strip() if isinstance(value, str) else value
    scope = {"scope": ""} if name == "mode" else {}
    return make_recipe(nested({name: value, **scope}, recipe.model_dump()))


def draw(
    name: str,
    recipe: Recipe,
    key: str,
    put: Put | None = None,
    *,
    help_: str = "",
    mark: str = "",
    segmented: bool = False,
) -> Any:
    """The control of a field; returns its value.

    It shows the recipe's value in every run, and what a person changes goes to `put`. Without `put` it begins with the
    recipe's value, and `mark` follows that among its options. `help_` replaces the description.
    """
    field, value = recipe_field(name), attrgetter(name)(recipe)
    # Only where it differs, so that nobody loses what they are typing.
    if key not in st.session_state or (put is not None and st.session_state[key] != value):
        st.session_state[key] = value

    def change() -> None:
        given = st.session_state[key]
        # A browser whose page is still loading sends every control empty, also one that nobody can deselect.
        if put is not None and (given is not None or field.is_optional):
            put(name, given)

    # What is said of all controls alike.
    shared: dict[str, Any] = {"key": key, "help": _help(field, recipe, help_), "on_change": change}
    shared["persist_state"] = "page"
    shared["disabled"] = not field.has_effect(recipe)
    if field.values == (True, False):
        return st.toggle(field.title, **shared)
    titles = _titles(field, value)
    if titles is None:
        return _number(field, shared)
    shared["format_func"] = lambda one: f"{titles(one)}{mark if one == value else ''}"
    if segmented:
        return st.segmented_control(field.title, field.values, required=True, wrap=True, **shared)
    # A name that was typed stays among the options, else the box would lose it. None is an empty box.
    options = [one for one in dict.fromkeys([*_options(field), value]) if one is not None]
    if field.is_optional:
        shared |= {"index": None, "placeholder": f"Default: {field.shown(None)}"}
    given = st.selectbox(field.title, options, accept_new_options=field.about.role is not None, **shared)
    return value if given is None and not field.is_optional else given


def grid(
    rows: Sequence[Sequence[Sequence[str]]], recipe: Recipe, key: Callable[[str], str], put: Put, widths: int = 0
) -> None:
    """Controls in rows of columns, each column with its fields from top to bottom."""
    for row in rows:
        for column, names in zip(st.columns(widths or len(row), gap="medium"), row, strict=False):
            with column:
                for name in names:
                    draw(name, recipe, key(name), put)


def further(names: Sequence[str], recipe: Recipe, key: Callable[[str], str], put: Put) -> None:
    """A box that adds the controls of further fields; those that differ from their defaults are always there.

    Who takes such a field out of the box sets it to its default.
    """
    box, default, values = key("further"), flat(Recipe(mode=recipe.mode)), flat(recipe)
    differing = [name for name in names if values[name] != default[name]]
    st.session_state[box] = list(dict.fromkeys([*st.session_state.get(box, []), *differing]))

    def reset() -> None:
        for name in differing:
            if name not in st.session_state[box]:
                put(name, default[name])

    selection = st.multiselect(
        "More settings", names, key=box, format_func=field_title, placeholder="Any other setting", on_change=reset
    )
    for name in selection:
        draw(name, recipe, key(name), put)
    idle_line(recipe, selection)


def several(name: str, key: str, known: Sequence[str] = (), **options: Any) -> None:
    """A box for several values of a field, in words; others than those that are suggested may be typed.

    `known` are values to select from, `options` are Streamlit's own.
    """
    field = recipe_fields().get(name)
    role = field.about.role if field else None
    current = st.session_state.get(key, [])
    st.multiselect(
        field_title(name),
        list(dict.fromkeys([*known, *current, *suggestions(name), *(model_names(role) if role else ())])),
        key=key,
        accept_new_options=True,
        placeholder="Select or type values",
        help=field.help if field else None,
        **options,
    )


def idle_line(recipe: Recipe, names: Sequence[str]) -> None:
    """A line that names the fields among these without an effect beside the recipe's other choices."""
    titles = [recipe_field(name).title for name in names if not recipe_field(name).has_effect(recipe)]
    if titles:
        line = f"No effect with these settings: {', '.join(titles)}. The help of each says when it has an effect."
        safe_html.show(safe_html.text_block(line, "en", "wb-muted"))


def model_names(role: Role) -> Sequence[str]:
    """What a recipe can name for a role: what can be used now comes first."""
    return list(access.models(role, access.workbench().settings.home))


def title_with_state(role: Role) -> Callable[[str], str]:
    """Titles with a mark: ● can be used now, ○ needs a download, a package or a key first. Other names stay."""
    home = access.workbench().settings.home
    known = access.models(role, home)

    def title(name: str) -> str:
        if (entry := known.get(name)) is None:
            return model_title(str(name), home)
        # The name of a model on a server says the same as its title.
        return f"{'●' if entry.ready else '○'} {entry.title}{'' if ':' in name else f' ({name})'}"

    return title


def _number(field: RecipeField, shared: Mapping[str, Any]) -> Any:
    whole = int in field.kinds
    kind: Callable[[float], float] = int if whole else float
    number_input: Callable[..., Any] = st.number_input  # its overloads know no limits that may be absent
    return number_input(
        field.title,
        None if field.low is None else kind(field.low),
        None if field.high is None else kind(field.high),
        value=None if field.is_optional else "min",
        step=1 if whole else field.about.step,
        format="%d" if whole else "%.3f" if field.high is None else "%.2f",
        placeholder=field.about.unset or None,
        **shared,
    )


def _options(field: RecipeField) -> Sequence[Any]:
    """The values of a field to select from."""
    if field.about.lists == "corpora":
        return list(access.corpora())
    if field.about.lists == "languages":
        return [language.code for language in known_languages()]
    if field.about.role is None:
        return field.values
    # Where a model is named only to differ from the generator, it must be one: the built-in reader is none.
    optional = field.default == ""
    models = [name for name in model_names(field.about.role) if not (optional and name == EXTRACTIVE)]
    return ["", *models] if optional else models


def _titles(field: RecipeField, value: Any) -> Callable[[Any], str] | None:
    """The titles of a field's values, None for a number."""
    if field.about.role is not None:
        titles = title_with_state(field.about.role)
        return lambda name: titles(name) if name else field.shown(name)
    if field.about.lists == "languages":
        return language_words
    if field.values or isinstance(value, str):
        return field.shown
    return None


def _help(field: RecipeField, recipe: Recipe, text: str) -> str:
    sentences = [text or field.help]
    if role := field.about.role:
        ways = " or ".join(f"`{way}`" for way in adapter_words(role))
        sentences.append(f"{MARKS} Select one, or type another as {ways}. For example: `{EXAMPLES[role]}`")
    if not field.has_effect(recipe):
        sentences.append(f"No effect here: only {field.about.effect.only}.")
    return " ".join(sentences)
