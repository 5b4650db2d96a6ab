"""How far metrics agree: the correlation of every two over the answers that both scored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.ui.dashboard.charts.grid import click_targets
from workbench.ui.parts.chart_style import empty_figure, finish_figure, number_range, plain_text

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

TITLE = "Do the metrics agree? Pearson's r"
DIVERGING = ((0.0, "rgba(179, 86, 107, 0.58)"), (0.5, "rgba(124, 135, 148, 0.04)"), (1.0, "rgba(47, 127, 159, 0.58)"))
"""Faint at 0, on a light and a dark page alike, so that the page's text reads on every cell."""


def correlation(pairs: DataFrame) -> Figure:
    """Pearson's r of every two metrics; metrics that do not vary are left out and named.

    `pairs` has `first`, `second`, `r` (-1 to 1, empty where one does not vary), `n` and `mark`, both ways round.
    """
    from plotly.graph_objects import Figure, Heatmap

    if not len(pairs):
        return empty_figure(TITLE, "At least two metrics must have scored the same answers.")
    names = list(dict.fromkeys(pairs["first"]))
    known = pairs[pairs["r"].notna()]
    if not len(known):
        return empty_figure(TITLE, "None of these metrics varies over the answers that both of a pair scored.")
    x, y = ([plain_text(name) for name in known[side]] for side in ("second", "first"))
    figure = Figure(
        Heatmap(
            x=x,
            y=y,
            z=known["r"].tolist(),
            zmin=-1,
            zmax=1,
            colorscale=[list(stop) for stop in DIVERGING],
            showscale=False,
            hoverinfo="skip",
            xgap=2,
            ygap=2,
        )
    )
    hovers = [
        f"{row} and {column}<br><b>r = {r:.3f}</b><br>n = {n:,} answers"
        for row, column, r, n in zip(y, x, known["r"], known["n"], strict=True)
    ]
    figure.add_trace(click_targets(x, y, [f"{r:.2f}" for r in known["r"]], known["mark"], hovers, size=26))
    order = [plain_text(name) for name in names if name in {*known["first"]}]
    constant = [plain_text(name) for name in names if name not in {*known["first"]}]
    figure.update_xaxes(categoryorder="array", categoryarray=order, range=[-0.5, len(order) - 0.5], showgrid=False)
    figure.update_yaxes(categoryorder="array", categoryarray=order, showgrid=False)
    figure.update_yaxes(range=[len(order) - 0.5, -0.5])
    subtitle = f"n = {number_range(pairs['n'].min(), pairs['n'].max())} answers scored by both"
    if constant:
        subtitle += f" · not varying here, so not compared: {', '.join(constant)}"
    return finish_figure(figure, TITLE, subtitle, height=max(300, 170 + 34 * len(order)))
