"""What the Dashboard's views share: a figure with what it is drawn from, and the published figures beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from workbench.ui import figure
from workbench.ui.dashboard import beside
from workbench.ui.dashboard.look_url import Look
from workbench.ui.dashboard.result_frames import State

if TYPE_CHECKING:
    from pandas import DataFrame

REFERENCE = "dash_reference"


def show(drawn: object, frame: DataFrame, name: str, look: Look, state: State) -> None:
    from plotly.graph_objects import Figure

    if isinstance(drawn, Figure):
        figure.draw(
            drawn, frame, name, (look.chosen, look.metric, look.reference, look.what, look.against, look.closer, state)
        )


def published_beside(look: Look, metric: str) -> tuple[Look, DataFrame | None]:
    """Lets one choose the published figures that stand beside; the look with the choice, and their rows."""
    there = beside.choices(look.view, metric)
    if not there:
        return look, None
    titles = {beside.NONE: "None", **there}
    key = f"{REFERENCE}_{look.view}_{metric}"
    if st.session_state.get(key) not in titles:
        wanted = look.reference if look.reference in titles else beside.usual(look.view, there)
        st.session_state[key] = wanted
    choice = st.selectbox(
        "Published figures beside",
        list(titles),
        key=key,
        format_func=titles.__getitem__,
        help="As the papers print them: hollow or hatched, in grey, and named.",
    )
    usual = beside.usual(look.view, there)
    return replace(look, reference="" if choice == usual else choice), beside.rows(look.view, choice, metric)
