"""The leaderboard: a run a row, best first, with 95 % intervals; published averages below, hollow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.ui.charts import reference
from workbench.ui.charts.look import COLOURS, counted, finished, nothing, plain, told, whiskers

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

ROW = 26


def leaderboard(measured: DataFrame, metric: str, published: DataFrame | None = None) -> Figure:
    """`measured` has a row a run with its `title`; `published` has averages over languages."""
    from plotly.graph_objects import Figure, Scatter

    if not len(measured):
        return nothing(f"Leaderboard: {metric}", "No answer is scored by this metric under these filters.")
    best = measured.sort_values("mean", ascending=False, na_position="last", kind="stable")
    names = [f"{place}. {plain(title, 64)}" for place, title in enumerate(best["title"], start=1)]
    figure = Figure(
        Scatter(
            x=best["mean"].tolist(),
            y=names,
            mode="markers",
            name="measured here",
            marker={"size": 11, "color": COLOURS[0]},
            error_x=whiskers(best),
            customdata=[[mark] for mark in best["mark"]],
            hovertext=told(best, best["title"]),
            hovertemplate="%{hovertext}<extra></extra>",
        )
    )
    labels: list[str] = []
    cited = ""
    if published is not None and len(published):
        labels = [
            f"published: {plain(name or where, 40)}, {plain(model)}"
            for name, where, model in zip(published["setting"], published["retrieval"], published["model"], strict=True)
        ]
        cited = reference.cited(published)
        figure.add_trace(reference.points(published["amount"].tolist(), list(labels), published, cited))
    order = [*names, *dict.fromkeys(labels)]
    # An axis of categories shows one that no mark names only if it is told the range.
    figure.update_yaxes(categoryorder="array", categoryarray=order, range=[len(order) - 0.5, -0.5])
    figure.update_xaxes(title=f"{metric} (0 to 1), mean and 95 % interval", rangemode="tozero")
    height = 130 + ROW * len(order)
    return finished(figure, f"Leaderboard: {metric}", counted(best), height=max(height, 260), reference=cited)
