"""Modes by dataset and by resources of the languages, as in Ranaldi et al. (2025, CrossRAG), Figure 2.

One row of bars per dataset, so that modes are aligned and their names have room; the published datasets are below.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from workbench.metrics import scale_of
from workbench.pipeline import MODES
from workbench.ui.dashboard.charts import published_marks
from workbench.ui.dashboard.charts.chart_style import (
    COLOURS,
    GROUPS,
    NOTHING_SCORED,
    ON_BARS,
    empty_figure,
    finish_figure,
    hover_texts,
    is_missing,
    plain_text,
    scored_counts,
    whiskers,
)

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Bar, Figure

ORDER = tuple(item.name for item in MODES)
SHAPES = {"avg": "/", "hr": "\\", "lr": "x"}
"""How the published bars of each group of languages are hatched."""
PANEL = 185
"""Height of a dataset's row in pixels."""


def modes(measured: DataFrame, metric: str, published: DataFrame | None = None) -> Figure:
    """Bars by mode and group of languages, one row per dataset.

    `measured` has one row per `label` (a mode, with its scope where it is not its paper's), `dataset` and `group` (avg,
    hr or lr); `published` has the group as `language`.
    """
    from plotly.subplots import make_subplots

    title = f"Modes by dataset: {metric}"
    if not len(measured):
        return empty_figure(title, NOTHING_SCORED)
    parts = list(measured.groupby("dataset"))
    below = list(published.groupby("dataset")) if published is not None else []
    count = len(parts) + len(below)
    figure = make_subplots(
        rows=count,
        shared_xaxes=True,
        shared_yaxes="all",
        subplot_titles=[
            *(f"<b>{plain_text(name, 40)}</b>" for name, _ in parts),
            *(f"<b>published: {plain_text(name, 40)}</b>" for name, _ in below),
        ],
        vertical_spacing=0.42 / count,
    )
    for row, (dataset, part) in enumerate(parts, start=1):
        for bar in _measured(part, str(dataset)):
            figure.add_trace(bar.update(showlegend=row == 1), row=row, col=1)
    for row, (_, part) in enumerate(below, start=len(parts) + 1):
        for bar in _published(part):
            figure.add_trace(bar.update(showlegend=row == len(parts) + 1), row=row, col=1)
    names = {name for bar in figure.data for name in bar.x}
    order = sorted(names, key=lambda name: (_place(name), name))
    figure.update_xaxes(categoryorder="array", categoryarray=order, range=[-0.5, len(order) - 0.5], showticklabels=True)
    values = [*measured["mean"], *measured["high"], *(() if published is None else published["amount"])]
    figure.update_yaxes(
        range=[0, 1.06 * max((value for value in values if not is_missing(value)), default=1.0)], nticks=5
    )
    figure.update_yaxes(title=f"{metric} ({scale_of(metric)})", row=1, col=1)
    figure.update_annotations(x=0, xanchor="left", yshift=5, font={"size": 13})
    figure.update_layout(barmode="group", bargap=0.3)
    averages = measured[measured["group"] == "avg"]
    citation = published_marks.legend_name(published) if published is not None and below else ""
    return finish_figure(figure, title, scored_counts(averages), height=110 + PANEL * count, reference=citation)


def _measured(part: DataFrame, dataset: str) -> Iterator[Bar]:
    from plotly.graph_objects import Bar

    for place, (group, title) in enumerate(GROUPS.items()):
        bars = part[part["group"] == group]
        if len(bars):
            yield Bar(
                x=_names(bars["label"]),
                y=bars["mean"].tolist(),
                name=title,
                legendgroup=group,
                marker={"color": COLOURS[place]},
                error_y=whiskers(bars, ON_BARS),
                customdata=[[mark] for mark in bars["mark"]],
                hovertext=hover_texts(bars, (f"{label}, {dataset}, {title}" for label in bars["label"])),
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
    return [plain_text(value, 30) for value in values]


def _place(name: str) -> int:
    """The place of a mode, with or without a scope, among the modes."""
    mode = name.partition(" · ")[0]
    return ORDER.index(mode) if mode in ORDER else len(ORDER)
