"""Quality against what it costs: a point a run, and the line of runs that no other run beats on both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from workbench.metrics.scale import Scale, scale_of
from workbench.ui.dashboard.charts.chart_style import (
    COLOURS,
    FITTING,
    colour_of,
    counted,
    finished,
    hover_texts,
    nothing,
    plain,
)

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

Cost = Literal["seconds", "tokens"]
TITLES: dict[Cost, str] = {"seconds": "seconds a question", "tokens": "tokens a question"}
MILLISECONDS = "ms a question"


def frontier(measured: DataFrame, metric: str, cost: Cost = "seconds") -> Figure:
    """`measured` has a row a run with `title`, `mode` and what it costs a question: `seconds` and `tokens`."""
    from plotly.graph_objects import Figure, Scatter

    # What a run from elsewhere cost nobody knows: it has 0, which would make it the best at its price.
    there = measured[measured["mean"].notna() & (measured[cost] > 0)] if len(measured) else measured
    unit = TITLES[cost]
    if cost == "seconds" and len(there) and there[cost].max() < 1:
        there, unit = there.assign(seconds=there["seconds"] * 1000), MILLISECONDS
    title = f"{metric} against {unit}"
    if not len(there):
        return nothing(title, f"No scored run under these filters tells its {cost}.")
    figure = Figure()
    scale = scale_of(metric)
    best = undominated(there, cost, scale)
    figure.add_trace(
        Scatter(
            x=best[cost].tolist(),
            y=best["mean"].tolist(),
            mode="lines",
            name="best at its price",
            line={"color": COLOURS[5], "width": 1.5, "dash": "dash", "shape": "hv"},
            hoverinfo="skip",
        )
    )
    colours = colour_of(there["mode"])
    for mode, part in there.groupby("mode", sort=False):
        figure.add_trace(
            Scatter(
                x=part[cost].tolist(),
                y=part["mean"].tolist(),
                mode="markers",
                name=plain(mode or "elsewhere"),
                marker={"size": 11, "color": colours[mode]},
                customdata=[[mark] for mark in part["mark"]],
                hovertext=[
                    f"{line}<br>{spent:,.3g} {unit}"
                    for line, spent in zip(hover_texts(part, part["title"]), part[cost], strict=True)
                ],
                hovertemplate="%{hovertext}<extra></extra>",
            )
        )
    figure.update_xaxes(title=unit, rangemode="tozero")
    figure.update_yaxes(title=f"{metric} ({scale})")
    return finished(figure, title, counted(there), height=460, columns=FITTING)


def undominated(runs: DataFrame, cost: Cost, scale: Scale) -> DataFrame:
    """The runs that are better than every cheaper one, the cheapest first."""
    good = runs.assign(good=[scale.goodness(mean) for mean in runs["mean"]])
    ordered = good.sort_values([cost, "good"], ascending=[True, False])
    return ordered[ordered["good"] > ordered["good"].cummax().shift(fill_value=float("-inf"))]
