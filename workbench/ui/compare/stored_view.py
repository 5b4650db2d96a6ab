"""Stored answers side by side: one question in all languages of a run, or under several runs of an experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from workbench.experiments import Beside, Filter, Instance, beside, of_answer, run_names, siblings, stored_sides
from workbench.languages import is_known, language
from workbench.ui.compare import compare_state, side_tables
from workbench.ui.compare.compare_state import MOST, CompareState
from workbench.ui.dashboard import result_frames
from workbench.ui.parts import access, safe_html
from workbench.ui.parts.badges import chip, language_badge
from workbench.ui.parts.safe_html import element, escaped, inline, text_block

INSPECT = "pages/inspect.py"
GONE = "The answer that the link names is not in this workspace."


def draw(state: CompareState) -> None:
    """The answers next to the one that the state names."""
    st.button(
        "Ask a question instead",
        key="compare_leave",
        icon=":material/arrow_back:",
        on_click=compare_state.SESSION.change,
        kwargs={"instance": 0},
    )
    store = result_frames.store()
    rows_here = store.where(Filter()).instances(limit=1, conditions=of_answer(state.instance))
    if not rows_here:
        safe_html.message(GONE, "error")
        return
    item = rows_here[0]
    what: Beside = "languages" if state.view == "languages" else "recipes"
    rows = beside(siblings(store, item), item, what)
    titles = run_names([row.run for row in rows])
    if what == "languages":
        names = {row.answer: language(row.language).name if is_known(row.language) else row.language for row in rows}
        about = (inline(item.run.title, css="wb-muted"),)
    else:
        names = {row.answer: titles[row.run.id] for row in rows}
        rows = _selected(rows, item, names)
        about = (language_badge(item.language),)
    head = element("div", element("span", escaped("Stored answers"), css="wb-label"), chip(item.question), *about,
                   css="wb-row")  # fmt: skip
    safe_html.show(element("div", head, text_block(item.text, item.language, "wb-ask")))
    sides = stored_sides(access.workbench(), rows, names)
    side_tables.draw(sides, what)
    links = [(names[row.answer], {"experiment": row.run.experiment_id, "instance": str(row.answer)}) for row in rows]
    side_tables.links("Read one in Inspect", "fact_check", INSPECT, links)


def _selected(rows: Sequence[Instance], instance: Instance, names: Mapping[int, str]) -> list[Instance]:
    """The runs that are compared: at most as many as have room, the instance's own among the first."""
    by_answer = {row.answer: row for row in rows}
    others = [answer for answer in by_answer if answer != instance.answer]
    selection = st.multiselect(
        "Runs",
        list(by_answer),
        default=[instance.answer, *others][:MOST],
        key=f"compare_runs_{instance.answer}",
        format_func=names.__getitem__,
        max_selections=MOST,
    )
    return [by_answer[answer] for answer in selection] or [instance]
