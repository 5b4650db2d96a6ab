"""Values with their 95 % intervals, one row per name: what metrics, judges and merges of labels are drawn as."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from workbench.ui.dashboard.charts.chart_style import (
    COLOURS,
    FITTING,
    ON_BARS,
    add_row_names,
    empty_figure,
    finish_figure,
    is_missing,
    plain_text,
)

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

ROW = 72
"""Pixels of a row: a name, and the marks of two series below it."""


def estimates(
    frame: DataFrame, series: Mapping[str, str], title: str, subtitle: str, *, axis: str, reference: float | None = None
) -> Figure:
    """A mark with its interval per row of `frame` and series; rows without any value are left out.

    `frame` has `name`, `n`, and for each series, called in the legend as its value says, `<series>`, `<series>_low` and
    `<series>_high`. `reference` draws a vertical line, such as what chance gives.
    """
    from plotly.graph_objects import Figure, Scatter

    shown = frame[frame[list(series)].notna().any(axis=1)] if len(frame) else frame
    if not len(shown):
        return empty_figure(title, "Nothing can be stated yet: the table says why.")
    names = [plain_text(name) for name in shown["name"]]
    figure = Figure()
    values: list[float] = [] if reference is None else [reference]
    for place, (key, label) in enumerate(series.items()):
        middle, low, high = (shown[name].astype(float) for name in (key, f"{key}_low", f"{key}_high"))
        values += [value for column in (middle, low, high) for value in column if not is_missing(value)]
        figure.add_trace(
            Scatter(
                x=middle.tolist(),
                y=[number + 0.05 + 0.18 * place for number in range(len(names))],
                mode="markers",
                name=label,
                marker={"size": 10, "color": COLOURS[place], "symbol": "diamond" if place else "circle"},
                error_x={
                    "type": "data",
                    "symmetric": False,
                    "array": (high - middle).tolist(),
                    "arrayminus": (middle - low).tolist(),
                    "thickness": 1.6,
                    "width": 4,
                    "color": COLOURS[place],
                },
                hovertext=[
                    _hover(name, label, (value, least, most), n)
                    for name, value, least, most, n in zip(names, middle, low, high, shown["n"], strict=True)
                ],
                hovertemplate="%{hovertext}<extra></extra>",
                showlegend=len(series) > 1,
            )
        )
    add_row_names(figure, [f"{number}" for number in range(len(names))], values)
    # The rows are numbers, so that two series can lie below each other; the names are what is written.
    figure.data[-1].update(y=[number - 0.04 for number in range(len(names))], text=names)
    figure.update_yaxes(type="linear", range=[len(names) - 0.4, -0.75], categoryorder=None, categoryarray=None)
    if reference is not None:
        figure.add_vline(x=reference, line={"color": ON_BARS, "width": 1.5, "dash": "dot"})
    figure.update_xaxes(title=axis)
    return finish_figure(figure, title, subtitle, height=110 + ROW * len(names), columns=FITTING)


def _hover(name: str, label: str, figure: tuple[float, float, float], n: int) -> str:
    value, low, high = figure
    if is_missing(value):
        return f"{name}<br>{label}: no value<br>n = {n:,}"
    interval = "" if is_missing(low) else f" (95 %: {low:.2f} to {high:.2f})"
    return f"{name}<br>{label}: <b>{value:.2f}</b>{interval}<br>n = {n:,}"
