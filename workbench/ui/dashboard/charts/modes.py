"""Modes by dataset with high- and low-resource languages apart, as Figure 2 of Ranaldi et al. 2025 (CrossRAG)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.metrics.scale import scale_of
from workbench.pipeline.mode import MODES
from workbench.ui.dashboard.charts import reference
from workbench.ui.dashboard.charts.look import (
    COLOURS,
    GROUPS,
    ON_BARS,
    counted,
    finished,
    nothing,
    plain,
    told,
    whiskers,
)

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

ORDER = tuple(item.name for item in MODES)


def modes(measured: DataFrame, metric: str, published: DataFrame | None = None) -> Figure:
    """`measured` has a row a `mode`, `dataset` and `group` (avg, hr or lr); `published` the same with `language`."""
    from plotly.graph_objects import Bar, Figure

    title = f"Modes by dataset: {metric}"
    if not len(measured):
        return nothing(title, "No answer is scored by this metric under these filters.")
    measured = _in_order(measured)
    figure = Figure()
    for place, group in enumerate(name for name in GROUPS if name in set(measured["group"])):
        part = measured[measured["group"] == group]
        figure.add_trace(
            Bar(
                x=[_names(part["dataset"]), _names(part["mode"])],
                y=part["mean"].tolist(),
                name=GROUPS[group],
                marker={"color": COLOURS[place]},
                error_y=whiskers(part, ON_BARS),
                customdata=[[mark] for mark in part["mark"]],
                hovertext=told(part, (f"{mode}, {dataset}, {GROUPS[group]}" for mode, dataset in _pairs(part))),
                hovertemplate="%{hovertext}<extra></extra>",
            )
        )
    cited = ""
    if published is not None and len(published):
        published = _in_order(published)
        cited = reference.cited(published)
        for group in GROUPS:
            part = published[published["language"] == group]
            if len(part):
                places = [[f"published: {plain(name)}" for name in part["dataset"]], _names(part["mode"])]
                name = f"{cited}, {GROUPS[group]}" if group == "avg" else f"published: {GROUPS[group]}"
                figure.add_trace(reference.bars(places, part, name))
    figure.update_layout(barmode="group", bargap=0.25)
    figure.update_yaxes(title=f"{metric} ({scale_of(metric)})", rangemode="tozero")
    whole = measured[measured["group"] == "avg"]
    return finished(figure, title, counted(whole), height=520, reference=cited)


def _in_order(frame: DataFrame) -> DataFrame:
    """By dataset, and in each the modes as the papers list them."""
    return frame.assign(place=[_place(mode) for mode in frame["mode"]]).sort_values(["dataset", "place"], kind="stable")


def _place(mode: str) -> int:
    return ORDER.index(mode) if mode in ORDER else len(ORDER)


def _names(values: object) -> list[str]:
    return [plain(value, 30) for value in values]  # type: ignore[attr-defined]


def _pairs(part: DataFrame) -> list[tuple[str, str]]:
    return list(zip(part["mode"], part["dataset"], strict=True))
