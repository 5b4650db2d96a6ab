"""A table as coloured cells: rows × columns, each with its value, its n, and a mark that leads to its instances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.metrics.scale import Scale
from workbench.ui.dashboard.charts import published_marks
from workbench.ui.dashboard.charts.chart_style import SCALE, counted, finished, hover_texts, isnan, nothing
from workbench.ui.dashboard.charts.click_targets import points

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

ROW = 42
SHARES = Scale()


def grid(
    measured: DataFrame,
    published: DataFrame | None = None,
    *,
    title: str,
    unit: str,
    rows: Sequence[str],
    columns: Sequence[str],
    scale: Scale = SHARES,
    told_of: DataFrame | None = None,
    hover: Sequence[str] = (),
    n: str = "",
) -> Figure:
    """Cells by the columns `row` and `column` of both frames, in the order of `rows` and `columns`.

    Cells show the mean and its interval, 100 times as much where it is a share. Published rows stand below the measured
    ones, in the measured columns where they have some of these. `told_of`: the rows whose n the title tells, all where
    None. `hover` (a text a cell) and `n` take the place of what is said of
    scored answers.
    """
    from plotly.graph_objects import Figure, Heatmap

    cells = measured[measured["mean"].notna()] if len(measured) else measured
    if not len(cells):
        return nothing(title, "No answer is scored by this metric under these filters.")
    shown = f"{unit} × 100" if scale.is_share else f"{unit} ({scale})"
    figure = Figure(
        Heatmap(
            x=cells["column"].tolist(),
            y=cells["row"].tolist(),
            z=cells["mean"].tolist(),
            zmin=scale.low,
            zmax=scale.high,
            colorscale=[list(stop) for stop in SCALE],
            showscale=False,
            xgap=2,
            ygap=2,
            hoverinfo="skip",
        )
    )
    texts = [_figure(mean, low, high, scale) for mean, low, high in _values(cells)]
    names = (f"{row}, {column}" for row, column in zip(cells["row"], cells["column"], strict=True))
    figure.add_trace(
        points(cells["column"], cells["row"], texts, cells["mark"], hover or hover_texts(cells, names), size=26)
    )
    order, cited = list(rows), ""
    columns = [name for name in columns if name in set(cells["column"])]
    if published is not None and len(published):
        if set(published["column"]) & set(cells["column"]):
            published = published[published["column"].isin(cells["column"])]
        labels = [f"published · {row}" for row in published["row"]]
        cited = published_marks.cited(published)
        figure.add_trace(published_marks.cells(published["column"].tolist(), labels, published, cited))
        order += list(dict.fromkeys(labels))
        columns = [*columns, *(name for name in dict.fromkeys(published["column"]) if name not in columns)]
    figure.update_xaxes(categoryorder="array", categoryarray=list(columns), side="bottom", showgrid=False)
    figure.update_xaxes(range=[-0.5, len(columns) - 0.5])
    figure.update_yaxes(
        categoryorder="array", categoryarray=order, range=[len(order) - 0.5, -0.5], showgrid=False, zeroline=False
    )
    return finished(
        figure,
        title,
        f"{shown} · {n or counted(measured if told_of is None else told_of)}",
        height=max(250, 170 + ROW * len(order)),
        reference=cited,
    )


def _values(cells: DataFrame) -> zip[tuple[float, float, float]]:
    return zip(cells["mean"], cells["low"], cells["high"], strict=True)


def _figure(mean: float, low: float, high: float, scale: Scale) -> str:
    times, digits = (100, 1) if scale.is_share else (1, 2)
    shown = f"{mean * times:.{digits}f}"
    # Both ends: an interval near 0 or 1 reaches to one side only, which ± would not tell.
    reach = f"{low * times:.{digits - 1}f}–{high * times:.{digits - 1}f}"
    return shown if isnan(low) else f'{shown}<br><span style="font-size:10px">{reach}</span>'
