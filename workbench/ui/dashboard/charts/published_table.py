"""Any published table beside what was measured here: one metric, a group of marks a language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.published.terms import MEASURES
from workbench.ui.dashboard.charts import published_marks
from workbench.ui.dashboard.charts.chart_style import (
    COLOURS,
    ON_BARS,
    counted,
    finished,
    hover_texts,
    named,
    plain,
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
    "scale 1 to 5": "marks from 1 to 5",
}
SYMBOLS = (
    "diamond-open", "square-open", "triangle-up-open", "circle-open", "cross-open", "star-open", "hexagon-open",
    "triangle-down-open", "x-open", "pentagon-open", "bowtie-open", "hourglass-open", "star-diamond-open",
    "diamond-tall-open", "star-triangle-up-open", "hexagram-open",
)  # fmt: skip


def published_table(published: DataFrame, measured: DataFrame | None, metric: str) -> Figure:
    """`published`: the rows of one table with one metric, its name as printed. `measured` has a row a `series` and
    `language` where something comparable was measured, else it is None.
    """
    from plotly.graph_objects import Bar, Figure

    figure = Figure()
    has = measured is not None and len(measured) > 0
    if measured is not None and has:
        for place, (name, part) in enumerate(measured.groupby("series", sort=False)):
            places = _places(part)
            figure.add_trace(
                Bar(
                    x=places,
                    y=part["mean"].tolist(),
                    name=f"measured here: {plain(name, 50)}",
                    marker={"color": COLOURS[place % len(COLOURS)], "opacity": 0.7},
                    error_y=whiskers(part, ON_BARS),
                    customdata=[[mark] for mark in part["mark"]],
                    hovertext=hover_texts(part, (f"{name}, {named(code)}" for code in part["language"])),
                    hovertemplate="%{hovertext}<extra></extra>",
                )
            )
    cited, shown = published_marks.cited(published), plain(MEASURES.get(metric, metric))
    keys = ["dataset", "model", "setting", "prompt", "retrieval"]
    varied = [key for key in keys if published[key].nunique() > 1]
    groups = published.groupby(varied, sort=False) if varied else [((), published)]
    for place, (key, part) in enumerate(groups):
        told_apart = ", ".join(plain(word, 42) for word in (key if isinstance(key, tuple) else (key,)) if word)
        trace = published_marks.points(
            _places(part),
            part["amount"].tolist(),
            part,
            f"published: {told_apart}" if told_apart else cited,
        )
        trace.update(marker={"symbol": SYMBOLS[place % len(SYMBOLS)]})
        figure.add_trace(trace)
    scale = str(published["scale"].iloc[0])
    figure.update_yaxes(title=f"{shown} ({AXES[scale]})", rangemode="tozero")
    count = f"{len(published):,} published figures"
    line = f"{count} · measured here: {counted(measured)}" if measured is not None and has else count
    title = cited.removeprefix("published: ")
    height = 420
    return finished(figure, f"{title}: {shown}", line, height=height)


def _places(part: DataFrame) -> list[object]:
    """The places of languages on the axis: a name above its code, which leaves room for all of them."""
    return [named(code).replace(" (", "<br>(") for code in part["language"]]
