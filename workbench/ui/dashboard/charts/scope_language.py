"""Scope × language, as Table 1 of Chirkova et al. 2024: what searching more languages brings to each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.languages import CHIRKOVA_LANGUAGES
from workbench.metrics.scale import scale_of
from workbench.recipes.scope import SCOPES
from workbench.ui.dashboard.charts.grid import grid

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

ROWS = ("none", *SCOPES)
"""`none`: without retrieval."""


def scope_language(measured: DataFrame, metric: str, published: DataFrame | None = None) -> Figure:
    """`measured` has a row a `scope` and `language`; rows of the mode baseline come as scope `none`."""
    cells = measured.assign(row=measured["scope"], column=measured["language"])
    beside = published.assign(row=published["scope"], column=published["language"]) if published is not None else None
    if beside is not None:
        beside = beside.sort_values("row", key=lambda names: names.map(ROWS.index), kind="stable")
    there = set(cells["column"])
    columns = [code for code in CHIRKOVA_LANGUAGES if code in there]
    columns += sorted(there - set(columns))
    rows = [name for name in ROWS if name in set(cells["row"])]
    return grid(
        cells,
        beside,
        title=f"Scope × language: {metric}",
        unit=metric,
        rows=rows,
        columns=columns,
        scale=scale_of(metric),
    )
