"""The papers' recipes on the Ask screen, and what a recipe still needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from workbench.components import Entry
from workbench.pipeline import Recipe, ShippedRecipe, shipped_recipes
from workbench.ui.parts import safe_html
from workbench.ui.parts.safe_html import element, escaped, inline, text_block


def start_from(recipe: Recipe, choose: Callable[[Recipe], None], key: str = "ask_shipped") -> None:
    """The papers' configurations; selecting one passes it to `choose`.

    The one that matches the controls is shown with its source and its departures from the paper.
    """
    same = matching(recipe)
    # Before the box is drawn: it always shows which recipe the controls describe.
    previous = st.session_state.get(key)
    st.session_state[key] = same.name if same else None
    if same is None and previous is not None:
        safe_html.show(text_block("The settings now differ from the published recipe.", "en", "wb-muted"))
    titles = {item.name: f"{item.title} · {item.paper}" for item in shipped_recipes()}

    def select() -> None:
        name = st.session_state[key]
        shipped = next((item for item in shipped_recipes() if item.name == name), None)
        if shipped is not None:
            choose(shipped.recipe.with_(corpus=recipe.corpus))

    st.selectbox(
        "Start from a published recipe",
        list(titles),
        index=None,
        key=key,
        format_func=titles.__getitem__,
        placeholder="Select a paper's configuration",
        on_change=select,
        help="Applies all settings of a paper's experiment. Your corpus stays.",
    )
    if same is not None:
        _describe(same)


def matching(recipe: Recipe) -> ShippedRecipe | None:
    """The shipped recipe with the same settings, whatever the corpus; None where there is none."""
    for item in shipped_recipes():
        if item.recipe.with_(corpus=recipe.corpus) == recipe:
            return item
    return None


def _describe(shipped: ShippedRecipe) -> None:
    lines = [element("div", inline(f"{shipped.title}: {shipped.source}"), css="wb-muted")]
    lines += [element("div", escaped("Departure: "), inline(line), css="wb-muted") for line in shipped.departs]
    safe_html.show(element("div", *lines))


def missing(entries: Sequence[Entry]) -> None:
    """Everything that the recipe still needs, in one message, with the way to Settings, where it is set up."""
    needs = "\n".join(f"{entry.role.capitalize()} {entry.title}: {entry.state}" for entry in entries)
    count = "one component" if len(entries) == 1 else f"{len(entries)} components"
    safe_html.message(f"These settings need {count} that cannot be used yet:\n{needs}", "error")
    st.page_link("pages/settings.py", label="Open Settings to set them up", icon=":material/settings:")
