"""The leaderboard: one row per run, best first, with 95 % intervals; published averages below, hollow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.metrics.scale import scale_of
from workbench.ui.dashboard.charts import published_marks
from workbench.ui.dashboard.charts.chart_style import (
    COLOURS,
    FITTING,
    NOTHING_SCORED,
    add_row_names,
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


def leaderboard(measured: DataFrame, metric: str, published: DataFrame | None = None) -> Figure:
    """Runs by their mean, the best first and those without scores last.

    `measured` has one row per run with its `title`; `published` has averages over languages.
    """
    from plotly.graph_objects import Figure, Scatter

    if not len(measured):
        return empty_figure(f"Leaderboard: {metric}", NOTHING_SCORED)
    scale = scale_of(metric)
    best = measured.sort_values("mean", ascending=not scale.higher_is_better, na_position="last", kind="stable")
    names = [f"{place}. {plain_text(title, 64)}" for place, title in enumerate(best["title"], start=1)]
    figure = Figure(
        Scatter(
            x=best["mean"].tolist(),
            y=names,
            mode="markers",
            name="your results",
            marker={"size": 11, "color": COLOURS[0]},
            error_x=whiskers(best),
            customdata=[[mark] for mark in best["mark"]],
            hovertext=hover_texts(best, best["title"]),
            hovertemplate="%{hovertext}<extra></extra>",
        )
    )
    labels: list[str] = []
    values = [*best["mean"], *best["high"]]
    citation = ""
    if published is not None and len(published):
        labels = [
            f"published: {plain_text(name or retrieval, 40)}, {plain_text(model)}"
            for name, retrieval, model in zip(
                published["setting"], published["retrieval"], published["model"], strict=True
            )
        ]
        citation = published_marks.legend_name(published)
        values += [*published["amount"]]
        figure.add_trace(published_marks.points(published["amount"].tolist(), list(labels), published, citation))
    rows = add_row_names(figure, [*names, *dict.fromkeys(labels)], values)
    figure.update_xaxes(title=f"{metric} ({scale}), mean and 95 % interval")
    title = f"Leaderboard: {metric}"
    return finish_figure(
        figure, title, scored_counts(best), height=max(130 + rows, 260), reference=citation, columns=FITTING
    )
