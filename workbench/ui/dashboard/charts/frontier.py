"""Quality against cost: one point per run, and the line of runs that no other run beats on both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from workbench.metrics import Scale, scale_of
from workbench.ui.parts.chart_style import (
    COLOURS,
    FITTING,
    colours_by_name,
    empty_figure,
    finish_figure,
    hover_texts,
    plain_text,
    scored_counts,
)

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

Cost = Literal["seconds", "tokens"]
TITLES: dict[Cost, str] = {"seconds": "seconds per question", "tokens": "tokens per question"}
MILLISECONDS = "ms per question"


def frontier(measured: DataFrame, metric: str, cost: Cost = "seconds") -> Figure:
    """One point per run by cost and quality, in milliseconds where all runs take less than a second per question.

    `measured` has one row per run with its `title`, `mode` and costs per question: `seconds` and `tokens`.
    """
    from plotly.graph_objects import Figure, Scatter

    # The cost of an imported run is unknown: it has 0, which would make it the best at its cost.
    runs = measured[measured["mean"].notna() & (measured[cost] > 0)] if len(measured) else measured
    unit = TITLES[cost]
    if cost == "seconds" and len(runs) and runs[cost].max() < 1:
        runs, unit = runs.assign(seconds=runs["seconds"] * 1000), MILLISECONDS
    title = f"{metric} against {unit}"
    if not len(runs):
        return empty_figure(title, f"No scored run that matches these filters reports its {cost}.")
    figure = Figure()
    scale = scale_of(metric)
    best = undominated(runs, cost, scale)
    figure.add_trace(
        Scatter(
            x=best[cost].tolist(),
            y=best["mean"].tolist(),
            mode="lines",
            name="best for its cost",
            line={"color": COLOURS[5], "width": 1.5, "dash": "dash", "shape": "hv"},
            hoverinfo="skip",
        )
    )
    colours = colours_by_name(runs["mode"])
    for mode, part in runs.groupby("mode", sort=False):
        figure.add_trace(
            Scatter(
                x=part[cost].tolist(),
                y=part["mean"].tolist(),
                mode="markers",
                name=plain_text(mode or "imported"),
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
    return finish_figure(figure, title, scored_counts(runs), height=460, columns=FITTING)


def undominated(runs: DataFrame, cost: Cost, scale: Scale) -> DataFrame:
    """The runs that are better than every cheaper one, the cheapest first."""
    rated = runs.assign(good=[scale.goodness(mean) for mean in runs["mean"]])
    ordered = rated.sort_values([cost, "good"], ascending=[True, False])
    return ordered[ordered["good"] > ordered["good"].cummax().shift(fill_value=float("-inf"))]
