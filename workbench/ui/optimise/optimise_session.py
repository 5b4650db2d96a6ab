"""The Optimise screen's state between runs, and the URL that shows the same search again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args

import streamlit as st

from workbench.core import shorten, unknown_name
from workbench.ui.parts import safe_html
from workbench.ui.parts.page_session import PageSession, Params

ReportView = Literal["best", "nodes", "choices", "costs", "recipes", "published"]
TITLES: Mapping[ReportView, str] = {
    "best": "Best recipe",
    "nodes": "Nodes",
    "choices": "Choices",
    "costs": "Quality and cost",
    "recipes": "All recipes",
    "published": "Published tables",
}
KEY = "optimise_"


@dataclass(frozen=True, slots=True)
class OptimiseState:
    """The search that is open ("" for the newest), the view of its results, and the node whose plot is open."""

    search: str = ""
    view: ReportView = "best"
    node: str = ""


def to_params(state: OptimiseState) -> Params:
    """The state as query parameters; what is the default is left out."""
    values = {
        "search": state.search,
        "view": state.view if state.view != "best" else "",
        "node": state.node if state.view == "nodes" else "",
    }
    return {name: [value] for name, value in values.items() if value}


def from_params(params: Params) -> tuple[OptimiseState, tuple[str, ...]]:
    """The state that query parameters name, and a sentence for each value that is not available."""
    first = {name: values[0] for name, values in params.items() if values}
    problems = []
    view = first.get("view", "best")
    if view not in get_args(ReportView):
        problems.append(str(unknown_name("view", view, get_args(ReportView))))
        view = "best"
    return OptimiseState(first.get("search", ""), cast(ReportView, view), first.get("node", "")), tuple(problems)


SESSION = PageSession("optimise", OptimiseState(), to_params)


def restore() -> OptimiseState:
    """The state before any control is drawn: from the URL where it is new, else as it last was."""
    if params := SESSION.arrival():
        state, problems = from_params(params)
        SESSION.arrive(state, params, problems)
    SESSION.show_problems()
    return SESSION.current


def choose_view(state: OptimiseState) -> OptimiseState:
    """The switch between the views of a search's results."""
    key = f"{KEY}view"
    st.session_state[key] = state.view
    st.segmented_control(
        "Results",
        list(TITLES),
        key=key,
        format_func=TITLES.__getitem__,
        required=True,
        label_visibility="collapsed",
        on_change=lambda: SESSION.change(view=st.session_state[key] or state.view),
    )
    return SESSION.current


def known_search(name: str, known: Mapping[str, str]) -> str:
    """The search that is shown: the one named, or the newest of `known`, of which there is at least one.

    A name that is none of them is reported.
    """
    if name and name not in known:
        safe_html.message(
            f"The link names the search “{shorten(name)}”, which is not in this workspace; another one is shown.",
            "error",
        )
        return next(iter(known))
    return name or next(iter(known))
