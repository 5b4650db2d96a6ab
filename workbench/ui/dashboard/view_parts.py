"""What the Dashboard's views share: a figure with what it is drawn from, and the published figures beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from workbench.ui.dashboard import published_choices
from workbench.ui.dashboard.dashboard_state import DashboardState
from workbench.ui.dashboard.result_frames import State
from workbench.ui.shared import figure

if TYPE_CHECKING:
    from pandas import DataFrame

REFERENCE = "dash_reference"


def show(drawn: object, frame: DataFrame, name: str, look: DashboardState, state: State) -> None:
    from plotly.graph_objects import Figure

    if isinstance(drawn, Figure):
        figure.draw(
            drawn, frame, name, (look.chosen, look.metric, look.reference, look.what, look.against, look.closer, state)
        )


def published_beside(look: DashboardState, metric: str) -> tuple[DashboardState, DataFrame | None]:
    """Lets one choose the published figures that stand beside; the look with the choice, and their rows."""
    there = published_choices.choices(look.view, metric)
    if not there:
        return look, None
    titles = {published_choices.NONE: "None", **there}
    key = f"{REFERENCE}_{look.view}_{metric}"
    if st.session_state.get(key) not in titles:
        wanted = look.reference if look.reference in titles else published_choices.usual(look.view, there)
        st.session_state[key] = wanted
    choice = st.selectbox(
        "Published figures beside",
        list(titles),
        key=key,
        format_func=titles.__getitem__,
        help="As the papers print them: hollow or hatched, in grey, and named.",
    )
    usual = published_choices.usual(look.view, there)
    return replace(look, reference="" if choice == usual else choice), published_choices.rows(look.view, choice, metric)
