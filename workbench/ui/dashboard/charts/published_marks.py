"""Published figures next to measured ones, drawn so that they cannot be confused.

Bars are hatched and hollow, points are hollow diamonds, cells are outlined and in italics. All are grey, which no
measured figure is, have no interval and open no instances; the legend begins with “published:”.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.ui.dashboard.charts.chart_style import GREY, plain_text

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Bar, Scatter

PUBLISHED = "published"


def legend_name(rows: DataFrame) -> str:
    """The legend of some published rows: `published: Chirkova et al. (2024), Table 1, Command-R-35B, MKQA`."""
    parts = []
    for name, prefix in (("citation", ""), ("table", "Table "), ("model", ""), ("dataset", "")):
        values = [value for value in dict.fromkeys(rows[name]) if value]
        if len(values) <= 2:
            parts += [f"{prefix}{plain_text(value)}" for value in values]
        else:
            parts.append(f"{len(values)} {name}s")
    return f"{PUBLISHED}: {', '.join(parts)}"


def bars(x: list[str], rows: DataFrame, name: str) -> Bar:
    """Published figures as hatched, hollow bars."""
    from plotly.graph_objects import Bar

    return Bar(
        x=x,
        y=rows["amount"].tolist(),
        name=name,
        marker={
            "color": "rgba(0,0,0,0)",
            "line": {"color": GREY, "width": 1.5},
            "pattern": {"shape": "/", "fgcolor": GREY, "fillmode": "replace", "size": 6},
        },
        hovertext=hover(rows),
        hovertemplate="%{hovertext}<extra></extra>",
        unselected={"marker": {"opacity": 1}},
    )


def points(x: list[object], y: list[object], rows: DataFrame, name: str, mode: str = "markers") -> Scatter:
    """Published figures as hollow diamonds."""
    from plotly.graph_objects import Scatter

    return Scatter(
        x=x,
        y=y,
        name=name,
        mode=mode,
        marker={"symbol": "diamond-open", "size": 11, "color": GREY, "line": {"width": 2}},
        line={"dash": "dot", "color": GREY, "width": 1.5},
        unselected={"marker": {"opacity": 1}},
        hovertext=hover(rows),
        hovertemplate="%{hovertext}<extra></extra>",
    )


def cells(x: list[str], y: list[str], rows: DataFrame, name: str, texts: Sequence[str] = ()) -> Scatter:
    """Published figures as outlined cells with their value in italics: `texts`, or the percentages of shares."""
    from plotly.graph_objects import Scatter

    return Scatter(
        x=x,
        y=y,
        name=name,
        mode="markers+text",
        marker={"symbol": "square-open", "size": 30, "color": GREY, "line": {"width": 1}},
        text=[f"<i>{text}</i>" for text in texts or [f"{value * 100:.1f}" for value in rows["amount"]]],
        textfont={"color": GREY, "size": 12},
        unselected={"marker": {"opacity": 1}, "textfont": {"color": GREY}},
        hovertext=hover(rows),
        hovertemplate="%{hovertext}<extra></extra>",
        showlegend=True,
    )


def hover(rows: DataFrame) -> list[str]:
    """The hover text of each published figure: value as printed, source, setting and what is doubtful."""
    texts = []
    for row in rows.itertuples():
        lines = [
            f"<b>published</b>: {row.printed} {plain_text(row.unit)}",
            f"{plain_text(row.citation)}, Table {plain_text(row.table)}",
            ", ".join(
                plain_text(item) for item in (row.dataset, row.language, row.model, row.setting, row.prompt) if item
            ),
            plain_text(row.note, 110) if row.note else "",
        ]
        texts.append("<br>".join(line for line in lines if line))
    return texts
