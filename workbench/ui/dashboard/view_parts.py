"""What the Dashboard's views share: sentences, a figure with the rows behind it, the choice of published figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from workbench.ui.dashboard import published_choices
from workbench.ui.dashboard.dashboard_state import SESSION, DashboardState
from workbench.ui.dashboard.result_frames import ResultsState
from workbench.ui.parts import figure, safe_html
from workbench.ui.parts.safe_html import element, escaped

if TYPE_CHECKING:
    from pandas import DataFrame


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
    """The control for published figures; returns the state with what it shows, and their rows or None."""
    choices = published_choices.choices(dashboard.view, metric)
    if not choices:
        return dashboard, None
    titles = {published_choices.NONE: "None", **choices}
    default = published_choices.default_choice(dashboard.view, choices)
    choice = dashboard.reference if dashboard.reference in titles else default
    st.selectbox(
        "Published figures",
        list(titles),
        format_func=titles.__getitem__,
        help="As printed in the papers: hollow or outlined, in grey, with their source.",
        **SESSION.control("reference", shown=choice),
    )
    return dashboard.with_(reference=choice), published_choices.rows(dashboard.view, choice, metric)


def show_findings(*sentences: str) -> None:
    """What a figure shows, in a sentence or more above it; empty ones are left out."""
    if texts := [escaped(text) for text in sentences if text]:
        safe_html.show(element("div", *(element("div", text) for text in texts), css="wb-finding", direction="auto"))


def show_note(sentence: str) -> None:
    """A sentence below a figure, such as what it pools."""
    safe_html.show(element("div", escaped(sentence), css="wb-muted"))
