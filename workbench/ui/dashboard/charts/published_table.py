"""Any published table next to the user's results: one metric, one group of marks per language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.published.terms import MEASURES
from workbench.ui.dashboard.charts import published_marks
from workbench.ui.dashboard.charts.chart_style import (
    COLOURS,
    ON_BARS,
    finish_figure,
    hover_texts,
    language_label,
    plain_text,
    scored_counts,
    whiskers,
)

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

AXES = {
    "share": "0 to 1",
    "difference": "difference, -1 to 1",
    "seconds": "seconds",
    "count": "count",
    "scale 1 to 5": "1 to 5",
}
SYMBOLS = (
    "diamond-open", "square-open", "triangle-up-open", "circle-open", "cross-open", "star-open", "hexagon-open",
    "triangle-down-open", "x-open", "pentagon-open", "bowtie-open", "hourglass-open", "star-diamond-open",
    "diamond-tall-open", "star-triangle-up-open", "hexagram-open",
)  # fmt: skip


def published_table(published: DataFrame, measured: DataFrame | None, metric: str) -> Figure:
    """The figures of one table for one metric by language; comparable results as bars behind them.

    `published`: the rows of the table with this metric, its name as printed. `measured` has one row per `series` and
    `language`; None where nothing comparable was measured.
    """
    from plotly.graph_objects import Bar, Figure

    figure = Figure()
    if measured is not None and len(measured):
        for place, (name, part) in enumerate(measured.groupby("series", sort=False)):
            places = _places(part)
            figure.add_trace(
                Bar(
                    x=places,
                    y=part["mean"].tolist(),
                    name=f"your results: {plain_text(name, 50)}",
                    marker={"color": COLOURS[place % len(COLOURS)], "opacity": 0.7},
                    error_y=whiskers(part, ON_BARS),
                    customdata=[[mark] for mark in part["mark"]],
                    hovertext=hover_texts(part, (f"{name}, {language_label(code)}" for code in part["language"])),
                    hovertemplate="%{hovertext}<extra></extra>",
                )
            )
    citation, metric_name = published_marks.legend_name(published), plain_text(MEASURES.get(metric, metric))
    keys = ["dataset", "model", "setting", "prompt", "retrieval"]
    varied = [key for key in keys if published[key].nunique() > 1]
    groups = published.groupby(varied, sort=False) if varied else [((), published)]
    for place, (key, part) in enumerate(groups):
        variant = ", ".join(plain_text(word, 42) for word in (key if isinstance(key, tuple) else (key,)) if word)
        trace = published_marks.points(
            _places(part),
            part["amount"].tolist(),
            part,
            f"published: {variant}" if variant else citation,
        )
        trace.update(marker={"symbol": SYMBOLS[place % len(SYMBOLS)]})
        figure.add_trace(trace)
    scale = str(published["scale"].iloc[0])
    figure.update_yaxes(title=f"{metric_name} ({AXES[scale]})", rangemode="tozero")
    count = f"{len(published):,} published figures"
    if measured is not None and len(measured):
        count += f" · your results: {scored_counts(measured)}"
    title = citation.removeprefix("published: ")
    return finish_figure(figure, f"{title}: {metric_name}", count, height=420)


def _places(part: DataFrame) -> list[object]:
    """The places of languages on the axis: a name above its code, which leaves room for all of them."""
    return [language_label(code).replace(" (", "<br>(") for code in part["language"]]
