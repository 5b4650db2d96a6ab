"""How far metrics agree: the correlation of each two over the answers that both scored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.ui.charts.look import finished, isnan, nothing, plain

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

TITLE = "Do the metrics agree? Pearson's r over answers"
DIVERGING = ((0.0, "#b3566b"), (0.5, "#f3f3f0"), (1.0, "#2f7f9f"))


def correlation(pairs: DataFrame) -> Figure:
    """`pairs` has `first`, `second`, `r` (-1 to 1, empty where one does not vary) and `n`, both ways round."""
    from plotly.graph_objects import Figure, Heatmap

    if not len(pairs):
        return nothing(TITLE, "At least two metrics must have scored the same answers.")
    names = list(dict.fromkeys(pairs["first"]))
    r = {(one, other): value for one, other, value in zip(pairs["first"], pairs["second"], pairs["r"], strict=True)}
    n = {(one, other): count for one, other, count in zip(pairs["first"], pairs["second"], pairs["n"], strict=True)}
    values = [[r.get((row, column)) for column in names] for row in names]
    shown = [[plain(name) for name in names]] * 2
    figure = Figure(
        Heatmap(
            x=shown[0],
            y=shown[1],
            z=values,
            zmin=-1,
            zmax=1,
            colorscale=[list(stop) for stop in DIVERGING],
            colorbar={"title": {"text": "r", "side": "right"}, "thickness": 12},
            text=[["" if isnan(value) else f"{value:.2f}" for value in row] for row in values],
            texttemplate="%{text}",
            hovertext=[
                [f"{plain(row)} and {plain(column)}<br>n = {n.get((row, column), 0):,} answers" for column in names]
                for row in names
            ],
            hovertemplate="%{hovertext}<br>r = %{text}<extra></extra>",
            xgap=2,
            ygap=2,
        )
    )
    figure.update_yaxes(autorange="reversed")
    told = f"n = {min(n.values()):,} to {max(n.values()):,} answers scored by both"
    return finished(figure, TITLE, told, height=max(300, 170 + 34 * len(names)))
