"""The same question in other languages and under other recipes: a compact list beside an instance, with links."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from workbench.experiments import Beside, Instance, beside, siblings
from workbench.ui.dashboard import result_frames, run_frames
from workbench.ui.inspect.inspect_state import SESSION
from workbench.ui.parts import safe_html
from workbench.ui.parts.badges import chip, language_badge
from workbench.ui.parts.safe_html import Html, element, escaped, inline

COMPARE = "pages/compare.py"
EXCERPT = 90
"""Characters of an answer in a row."""
ROWS = 30
"""Rows of a list; the comparison has the rest."""


def draw(item: Instance) -> None:
    """The lists in a closed expander, read only while it is open."""
    opened = st.expander(
        "The same question in other languages and recipes",
        icon=":material/view_column:",
        key="inspect_siblings",
        on_change="rerun",
    )
    if not opened.open:
        return
    with opened:
        rows = siblings(result_frames.store(), item)
        titles = run_frames.run_titles([row.run for row in rows])
        languages, recipes = beside(rows, item, "languages"), beside(rows, item, "recipes")
        left, right = st.columns(2, gap="medium")
        with left:
            st.markdown("**In other languages, under the same recipe**")
            _list(item, languages, [_language(row) for row in languages], "languages")
        with right:
            st.markdown("**Under other recipes, in the same language**")
            _list(item, recipes, [inline(titles[row.run.id]) for row in recipes], "recipes")


def _list(item: Instance, rows: Sequence[Instance], names: Sequence[Html], what: Beside) -> None:
    others = [(row, name) for row, name in zip(rows, names, strict=True) if row.answer != item.answer]
    if not others:
        safe_html.message("There is no other answer of this kind in the experiment.")
        return
    for row, name in others[:ROWS]:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"sibling_{row.answer}"):
            st.button(
                "Open",
                key=f"inspect_sibling_{row.answer}",
                type="tertiary",
                icon=":material/open_in_full:",
                on_click=SESSION.change,
                kwargs={"instance": row.answer},
            )
            safe_html.show(element("div", name, *_score(row), _excerpt(row), css="wb-row wb-sibling"))
    if len(others) > ROWS:
        safe_html.message(f"The first {ROWS} of {len(others)} are listed.")
    st.page_link(
        COMPARE,
        label=f"Compare these {len(rows)} side by side",
        icon=":material/compare:",
        query_params={"view": what, "instance": str(item.answer)},
    )


def _language(row: Instance) -> Html:
    return language_badge(row.language)


def _score(row: Instance) -> list[Html]:
    """The first metric's value, "unscored" where it has none; nothing where there is no metric."""
    for name, value in row.scores.items():
        return [chip(name, "unscored" if value is None else f"{value:.2f}")]
    return []


def _excerpt(row: Instance) -> Html:
    if row.error:
        return element("span", escaped("failed"), css="wb-missing")
    text = row.output if len(row.output) <= EXCERPT else row.output[:EXCERPT] + "…"
    return inline(text or "(empty)", row.answer_language)
