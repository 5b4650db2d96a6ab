"""Retrieval by depth: Hit@k, Recall@k and P@k over k, one line for each value that is compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.ui.dashboard.charts import published_marks
from workbench.ui.dashboard.charts.chart_style import (
    FITTING,
    colours_by_name,
    empty_figure,
    finish_figure,
    hover_texts,
    plain_text,
    scored_counts,
    whiskers,
)

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

NAMES = {"hit": "Hit@k", "recall": "Recall@k", "p": "P@k"}


def retrieval_curves(measured: DataFrame, family: str, published: DataFrame | None = None) -> Figure:
    """A measure over k, one line per series.

    `measured` has one row per `series` and `k`; `family` is hit, recall or p; `published` rows have `at` for their k.
    """
    from plotly.graph_objects import Figure, Scatter

    title = f"Retrieval: {NAMES[family]}"
    if not len(measured):
        names = f"{family}@1, {family}@5"
        return empty_figure(title, f"No run that matches these filters is scored by metrics such as {names}.")
    colours = colours_by_name(measured["series"])
    figure = Figure()
    for name, part in measured.sort_values("k").groupby("series", sort=False):
        figure.add_trace(
            Scatter(
                x=part["k"].tolist(),
                y=part["mean"].tolist(),
                mode="lines+markers",
                name=plain_text(name, 48),
                line={"color": colours[name], "width": 2.5},
                marker={"size": 9},
                error_y=whiskers(part),
                customdata=[[mark] for mark in part["mark"]],
                hovertext=hover_texts(part, (f"{name}, k = {k}" for k in part["k"])),
                hovertemplate="%{hovertext}<extra></extra>",
            )
        )
    citation, depths = "", {*measured["k"]}
    if published is not None and len(published):
        citation, depths = published_marks.legend_name(published), depths | {*published["at"]}
        for setting, part in published.sort_values("at").groupby("setting", sort=False):
            name = f"published: {plain_text(setting, 40)}"
            figure.add_trace(
                published_marks.points(part["at"].tolist(), part["amount"].tolist(), part, name, "lines+markers")
            )
    figure.update_xaxes(title="k (number of passages)", tickvals=sorted(depths))
    figure.update_yaxes(title=f"{NAMES[family]} (0 to 1)", range=[0, 1.03])
    first = measured[measured["k"] == measured["k"].min()]
    return finish_figure(figure, title, scored_counts(first), height=440, reference=citation, columns=FITTING)
