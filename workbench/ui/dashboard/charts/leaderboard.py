"""The leaderboard: a run a row, best first, with 95 % intervals; published averages below, hollow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.metrics.scale import scale_of
from workbench.ui.dashboard.charts import published_marks
from workbench.ui.dashboard.charts.chart_style import (
    COLOURS,
    FITTING,
    counted,
    finished,
    hover_texts,
    nothing,
    plain,
    rows_with_names,
    whiskers,
)

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure


def leaderboard(measured: DataFrame, metric: str, published: DataFrame | None = None) -> Figure:
    """`measured` has a row a run with its `title`; `published` has averages over languages."""
    from plotly.graph_objects import Figure, Scatter

    if not len(measured):
        return nothing(f"Leaderboard: {metric}", "No answer is scored by this metric under these filters.")
    scale = scale_of(metric)
    best = measured.sort_values("mean", ascending=not scale.higher_is_better, na_position="last", kind="stable")
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
            hovertext=hover_texts(best, best["title"]),
            hovertemplate="%{hovertext}<extra></extra>",
        )
    )
    labels: list[str] = []
    values = [*best["mean"], *best["high"]]
    cited = ""
    if published is not None and len(published):
        labels = [
            f"published: {plain(name or where, 40)}, {plain(model)}"
            for name, where, model in zip(published["setting"], published["retrieval"], published["model"], strict=True)
        ]
        cited = published_marks.cited(published)
        values += [*published["amount"]]
        figure.add_trace(published_marks.points(published["amount"].tolist(), list(labels), published, cited))
    rows = rows_with_names(figure, [*names, *dict.fromkeys(labels)], values)
    figure.update_xaxes(title=f"{metric} ({scale}), mean and 95 % interval")
    title = f"Leaderboard: {metric}"
    return finished(figure, title, counted(best), height=max(130 + rows, 260), reference=cited, columns=FITTING)
