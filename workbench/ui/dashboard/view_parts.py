"""What the Dashboard's views share: sentences, a figure with the rows behind it, the choice of published figures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from workbench.core import unknown_name
from workbench.ui.dashboard import published_choices
from workbench.ui.dashboard.dashboard_state import DashboardState
from workbench.ui.dashboard.result_frames import ResultsState
from workbench.ui.parts import figure, safe_html
from workbench.ui.parts.safe_html import element, escaped

if TYPE_CHECKING:
    from pandas import DataFrame

REFERENCE = "dash_reference"
PROBLEMS, FRESH = "dash_problems", "dash_fresh"
"""The session's keys for what was wrong with the URL, and for whether this run is the first that it is read in."""


def report_unknown(what: str, values: Iterable[object], allowed: Iterable[object]) -> None:
    """Records a sentence for each value in a new URL that is not available; nothing for what controls hold."""
    if not st.session_state.get(FRESH):
        return
    names = {str(item) for item in allowed}
    sentences = [str(unknown_name(what, value, names)) for value in values if str(value) not in names]
    st.session_state[PROBLEMS] = (*st.session_state.get(PROBLEMS, ()), *sentences)


def show_figure(chart: object, frame: DataFrame, name: str, dashboard: DashboardState, state: ResultsState) -> None:
    """Shows a Plotly figure with the rows it is drawn from; `name` is that of its files.

    A click on the figure counts only while the state of the Dashboard and of the results is the same.
    """
    from plotly.graph_objects import Figure

    if isinstance(chart, Figure):
        choices = (
            *(dashboard.reference, dashboard.what, dashboard.against, dashboard.closer, dashboard.common),
            *(dashboard.family, dashboard.series, dashboard.scope),
        )
        figure.draw(chart, frame, name, (dashboard.filter_, dashboard.metric, *choices, state))


def choose_published(dashboard: DashboardState, metric: str) -> tuple[DashboardState, DataFrame | None]:
    """The control for published figures; returns the state with the choice, and their rows or None."""
    choices = published_choices.choices(dashboard.view, metric)
    if not choices:
        return dashboard, None
    titles = {published_choices.NONE: "None", **choices}
    default = published_choices.default_choice(dashboard.view, choices)
    key = f"{REFERENCE}_{dashboard.view}_{metric}"
    if st.session_state.get(key) not in titles:
        st.session_state[key] = dashboard.reference if dashboard.reference in titles else default
    choice = st.selectbox(
        "Published figures",
        list(titles),
        key=key,
        format_func=titles.__getitem__,
        help="As printed in the papers: hollow or hatched, in grey, with their source.",
    )
    reference = "" if choice == default else choice
    return replace(dashboard, reference=reference), published_choices.rows(dashboard.view, choice, metric)


def show_findings(*sentences: str) -> None:
    """What a figure shows, in a sentence or more above it; empty ones are left out."""
    if texts := [escaped(text) for text in sentences if text]:
        safe_html.show(element("div", *(element("div", text) for text in texts), css="wb-finding", direction="auto"))


def show_note(sentence: str) -> None:
    """A sentence below a figure, such as what it pools."""
    safe_html.show(element("div", escaped(sentence), css="wb-muted"))
