"""A table as coloured cells: rows × columns, each with its value, its n, and a mark that opens its instances."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from workbench.metrics import Scale
from workbench.ui.parts.chart_style import (
    CELL,
    CELL_TEXT,
    NOTHING_SCORED,
    coloured_cells,
    empty_figure,
    finish_figure,
    hover_texts,
    is_missing,
    published_cells,
    published_name,
    scored_counts,
)

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure, Scatter

ROW = 42
CROWDED = 14
"""Measured columns; with more, the cells have no room for intervals, which the hover texts and the table have."""
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
    counted: DataFrame | None = None,
    hover: Sequence[str] = (),
    count_words: str = "",
) -> Figure:
    """Cells by the columns `row` and `column` of both frames, in the order of `rows` and `columns`.

    Cells show the mean and, where there is room, its interval, as percentages where they are shares. Published rows
    are below the measured ones, in the measured columns where they have any of these. `counted` are the rows whose n
    the title states, all where None. `hover` (one text per cell) and `count_words` replace the texts about scored
    answers.
    """
    from plotly.graph_objects import Figure

    cells = measured[measured["mean"].notna()] if len(measured) else measured
    if not len(cells):
        return empty_figure(title, NOTHING_SCORED)
    percent = f"{unit} × 100" + ("" if scale.higher_is_better else ", lower is better")
    unit_words = percent if scale.is_share else f"{unit} ({scale})"
    figure = Figure(
        coloured_cells(cells["column"].tolist(), cells["row"].tolist(), cells["mean"].tolist(), scale.low, scale.high)
    )
    columns = [name for name in columns if name in set(cells["column"])]
    crowded = len(columns) > CROWDED
    cell_texts = [_figure(mean, low, high, scale, crowded) for mean, low, high in _values(cells)]
    names = (f"{row}, {column}" for row, column in zip(cells["row"], cells["column"], strict=True))
    hovers = hover or hover_texts(cells, names)
    figure.add_trace(click_targets(cells["column"], cells["row"], cell_texts, cells["mark"], hovers, size=26))
    order, citation = list(rows), ""
    if published is not None and len(published):
        if set(published["column"]) & set(cells["column"]):
            published = published[published["column"].isin(cells["column"])]
        labels = [f"published · {row}" for row in published["row"]]
        citation = published_name(published)
        figure.add_trace(published_cells(published["column"].tolist(), labels, published, citation))
        order += list(dict.fromkeys(labels))
        columns = [*columns, *(name for name in dict.fromkeys(published["column"]) if name not in columns)]
    figure.update_xaxes(categoryorder="array", categoryarray=list(columns), side="bottom", showgrid=False)
    figure.update_xaxes(range=[-0.5, len(columns) - 0.5])
    figure.update_yaxes(
        categoryorder="array", categoryarray=order, range=[len(order) - 0.5, -0.5], showgrid=False, zeroline=False
    )
    return finish_figure(
        figure,
        title,
        f"{unit_words} · {count_words or scored_counts(measured if counted is None else counted)}",
        height=max(250, 170 + ROW * len(order)),
        reference=citation,
    )


def click_targets(
    x: Iterable[str], y: Iterable[str], texts: Iterable[str], marks: Iterable[str], hovers: Iterable[str], *, size: int
) -> Scatter:
    """One invisible point per cell of a heat map, with its text, mark and hover text; `size` of its side in pixels.

    Plotly's heat maps cannot be clicked, points over their cells can.
    """
    from plotly.graph_objects import Scatter

    return Scatter(
        x=list(x),
        y=list(y),
        mode="markers+text",
        marker={"symbol": "square", "size": size, "opacity": 0, "color": CELL},
        selected={"marker": {"opacity": 0.25}},
        unselected={"marker": {"opacity": 0}, "textfont": {"color": CELL_TEXT}},
        text=list(texts),
        textfont={"color": CELL_TEXT, "size": 12},
        customdata=[[mark] for mark in marks],
        hovertext=list(hovers),
        hovertemplate="%{hovertext}<extra></extra>",
        name="your results",
        showlegend=False,
    )


def _values(cells: DataFrame) -> zip[tuple[float, float, float]]:
    return zip(cells["mean"], cells["low"], cells["high"], strict=True)


def _figure(mean: float, low: float, high: float, scale: Scale, crowded: bool) -> str:
    times, digits = (100, 1) if scale.is_share else (1, 2)
    value = f"{mean * times:.{digits}f}"
    if crowded:
        return f'<span style="font-size:10px">{value}</span>'
    # Both ends: an interval near 0 or 1 extends to one side only, which ± would not show.
    interval = f"{low * times:.{digits - 1}f}–{high * times:.{digits - 1}f}"
    return value if is_missing(low) else f'{value}<br><span style="font-size:10px">{interval}</span>'
