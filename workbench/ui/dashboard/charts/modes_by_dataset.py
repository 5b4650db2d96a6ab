"""Modes by dataset with high- and low-resource languages apart, as Figure 2 of Ranaldi et al. 2025 (CrossRAG).

A dataset a row, so that a mode stands under itself and its name has room; the published datasets below.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from workbench.metrics.scale import scale_of
from workbench.recipes.mode import MODES
from workbench.ui.dashboard.charts import published_marks
from workbench.ui.dashboard.charts.chart_style import (
    COLOURS,
    GROUPS,
    ON_BARS,
    counted,
    finished,
    hover_texts,
    isnan,
    nothing,
    plain,
    whiskers,
)

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Bar, Figure

ORDER = tuple(item.name for item in MODES)
SHAPES = {"avg": "/", "hr": "\\", "lr": "x"}
"""How the published bars of each group of languages are hatched."""
PANEL = 185
"""Pixels of a dataset's row."""


def modes(measured: DataFrame, metric: str, published: DataFrame | None = None) -> Figure:
    """`measured` has a row a `mode`, `dataset` and `group` (avg, hr or lr); `published` the same with `language`."""
    from plotly.subplots import make_subplots

    title = f"Modes by dataset: {metric}"
    if not len(measured):
        return nothing(title, "No answer is scored by this metric under these filters.")
    parts = list(measured.groupby("dataset"))
    below = list(published.groupby("dataset")) if published is not None else []
    count = len(parts) + len(below)
    figure = make_subplots(
        rows=count,
        shared_xaxes=True,
        shared_yaxes="all",
        subplot_titles=[
            *(f"<b>{plain(name, 40)}</b>" for name, _ in parts),
            *(f"<b>published: {plain(name, 40)}</b>" for name, _ in below),
        ],
        vertical_spacing=0.42 / count,
    )
    for row, (dataset, part) in enumerate(parts, start=1):
        for bar in _measured(part, str(dataset)):
            figure.add_trace(bar.update(showlegend=row == 1), row=row, col=1)
    for row, (_, part) in enumerate(below, start=len(parts) + 1):
        for bar in _published(part):
            figure.add_trace(bar.update(showlegend=row == len(parts) + 1), row=row, col=1)
    there = {name for bar in figure.data for name in bar.x}
    order = [*(name for name in ORDER if name in there), *sorted(there - {*ORDER})]
    figure.update_xaxes(categoryorder="array", categoryarray=order, range=[-0.5, len(order) - 0.5], showticklabels=True)
    reached = [*measured["mean"], *measured["high"], *(() if published is None else published["amount"])]
    figure.update_yaxes(range=[0, 1.06 * max((value for value in reached if not isnan(value)), default=1.0)], nticks=5)
    figure.update_yaxes(title=f"{metric} ({scale_of(metric)})", row=1, col=1)
    figure.update_annotations(x=0, xanchor="left", yshift=5, font={"size": 13})
    figure.update_layout(barmode="group", bargap=0.3)
    whole = measured[measured["group"] == "avg"]
    cited = published_marks.cited(published) if published is not None and below else ""
    return finished(figure, title, counted(whole), height=110 + PANEL * count, reference=cited)


def _measured(part: DataFrame, dataset: str) -> Iterator[Bar]:
    from plotly.graph_objects import Bar

    for place, (group, title) in enumerate(GROUPS.items()):
        bars = part[part["group"] == group]
        if len(bars):
            yield Bar(
                x=_names(bars["mode"]),
                y=bars["mean"].tolist(),
                name=title,
                legendgroup=group,
                marker={"color": COLOURS[place]},
                error_y=whiskers(bars, ON_BARS),
                customdata=[[mark] for mark in bars["mark"]],
                hovertext=hover_texts(bars, (f"{mode}, {dataset}, {title}" for mode in bars["mode"])),
                hovertemplate="%{hovertext}<extra></extra>",
            )


def _published(part: DataFrame) -> Iterator[Bar]:
    for group, shape in SHAPES.items():
        bars = part[part["language"] == group]
        if len(bars):
            bar = published_marks.bars(_names(bars["mode"]), bars, f"published: {GROUPS[group]}")
            bar.marker.pattern.shape = shape
            yield bar.update(legendgroup=f"published {group}")


def _names(values: Iterable[str]) -> list[str]:
    return [plain(value, 30) for value in values]
