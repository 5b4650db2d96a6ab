"""Published tables on the Dashboard: one figure for each metric of a table, with the user's results above."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from workbench.experiments import listed, value_words
from workbench.metrics import PUBLISHED_MEASURES, metric_name, published_figures, published_tables
from workbench.ui.dashboard import published_choices, result_frames
from workbench.ui.dashboard.charts.grids import published_table
from workbench.ui.dashboard.dashboard_state import SESSION, DashboardState
from workbench.ui.dashboard.result_frames import ResultsState
from workbench.ui.dashboard.view_parts import show_figure, show_findings
from workbench.ui.parts import figure
from workbench.ui.parts.chart_style import GROUPS, is_missing

if TYPE_CHECKING:
    from pandas import DataFrame

TABLE = "dash_table"
LONG = 16
"""Rows from which a table is shown in parts."""


def draw(dashboard: DashboardState, state: ResultsState) -> None:
    """The choice of a table and a figure for each of its metrics."""
    titles = {table.key: table.title for table in published_tables()}
    key = dashboard.reference if dashboard.reference in titles else next(iter(titles))
    help_ = "Columns are languages, named above and, of long tables, below."
    control = SESSION.control("reference", shown=key)
    st.selectbox("Table", list(titles), format_func=titles.__getitem__, help=help_, **control)
    for number, (metric, every) in enumerate(published_figures([key]).groupby("metric", sort=False)):
        frame = _comparable_results(dashboard, state, str(metric))
        name = f"published-{key}-{number}"
        published = _part_of_table(every, name)
        if frame is not None:
            show_findings(_next_to_published(frame, str(metric)))
        chart = published_table(published, frame, str(metric))
        show_figure(chart, published if frame is None else frame, name, dashboard, state)
        if frame is not None:
            figure.rows(published, name)
        else:
            st.caption(_why_no_results(str(metric)))


def _why_no_results(metric: str) -> str:
    if measure := PUBLISHED_MEASURES.get(metric):
        return f"No matching results of yours: these runs are not scored by {measure}. Add it to an experiment."
    return "No matching results of yours: no metric of the workbench is computed in this way."


def _comparable_results(dashboard: DashboardState, state: ResultsState, metric: str) -> DataFrame | None:
    """The results in the metric that is computed as a published one, by mode and language and over all languages."""
    from pandas import concat

    measure = PUBLISHED_MEASURES.get(metric, "")
    if measure not in result_frames.metrics(state, dashboard.filter_):
        return None
    filter_ = result_frames.in_paper_scope(state, dashboard.filter_)
    by_language = result_frames.by_dimensions(state, filter_, measure, ("mode", "scope", "language"))
    averages = result_frames.by_dimensions(state, filter_, measure, ("mode", "scope"))
    frame = concat([by_language, averages.assign(language=next(iter(GROUPS)))], ignore_index=True)
    return result_frames.labelled(frame).rename(columns={"label": "series"})


def _part_of_table(published: DataFrame, name: str) -> DataFrame:
    """The rows of a long table with one value of what its rows differ in, which a control chooses."""
    column, values = published_choices.parts_of(published, LONG)
    if not column:
        return published
    value = st.segmented_control("Part of the table", values, key=f"{TABLE}_{name}", default=values[0], required=True)
    return published[published[column] == value]


def _next_to_published(frame: DataFrame, metric: str) -> str:
    averages = frame[(frame["language"] == next(iter(GROUPS))) & frame["mean"].notna()]
    if not len(averages):
        return ""
    values = [
        f"{name} {value_words(mean, None if is_missing(low) else low, high, n)}"
        for name, mean, low, high, n in zip(
            *(averages[column].tolist() for column in ("series", "mean", "low", "high", "n")), strict=True
        )
    ]
    measure = metric_name(PUBLISHED_MEASURES[metric])
    return f"Yours, by “{measure}”: {listed(values)}. The paper's data and models differ, so this is not a test."
