"""Points over the cells of a heat map: Plotly's heat maps cannot be clicked, unseen points over their cells can."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from workbench.ui.dashboard.charts.chart_style import DARK_TEXT, SCALE

if TYPE_CHECKING:
    from plotly.graph_objects import Scatter


def points(
    x: Iterable[str], y: Iterable[str], texts: Iterable[str], marks: Iterable[str], told: Iterable[str], *, size: int
) -> Scatter:
    """A point a cell with its text, its mark, and what it says when pointed at. `size` of its side in pixels."""
    from plotly.graph_objects import Scatter

    return Scatter(
        x=list(x),
        y=list(y),
        mode="markers+text",
        marker={"symbol": "square", "size": size, "opacity": 0, "color": SCALE[1][1]},
        selected={"marker": {"opacity": 0.25}},
        unselected={"marker": {"opacity": 0}, "textfont": {"color": DARK_TEXT}},
        text=list(texts),
        textfont={"color": DARK_TEXT, "size": 12},
        customdata=[[mark] for mark in marks],
        hovertext=list(told),
        hovertemplate="%{hovertext}<extra></extra>",
        name="measured here",
        showlegend=False,
    )
