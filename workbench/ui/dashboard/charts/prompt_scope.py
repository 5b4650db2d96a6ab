"""Prompt × scope, as Tables 5 and 9 of Chirkova et al. 2024: recall and correct language rate by system prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.metrics.scale import scale_of
from workbench.prompts import VARIANTS
from workbench.ui.dashboard.charts.grid import grid
from workbench.ui.dashboard.charts.scope_language import ROWS

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

POOLED = "pooled"
"""Stands for the language where all are taken together."""


def prompt_scope(measured: DataFrame, metric: str, published: DataFrame | None = None) -> Figure:
    """`measured` has a row a `prompt`, `scope` and `language`; the languages stand side by side within a scope."""
    cells = measured.assign(row=measured["prompt"], column=_column(measured))
    beside = None if published is None else published.assign(row=published["variant"], column=_column(published))
    known = [item.name for item in VARIANTS]
    if beside is not None:
        beside = beside.sort_values("row", key=lambda names: names.map(known.index), kind="stable")
    there = list(dict.fromkeys(cells["row"]))
    rows = [name for name in known if name in there] + [name for name in there if name not in known]
    columns = sorted(dict.fromkeys(cells["column"]), key=_place)
    whole = cells[cells["language"] == POOLED]
    return grid(
        cells,
        beside,
        title=f"Prompt × scope: {metric}",
        unit=metric,
        rows=rows,
        columns=columns,
        scale=scale_of(metric),
        told_of=whole if len(whole) else cells,
    )


def _place(column: str) -> tuple[int, str]:
    scope, _, code = column.partition("<br>")
    return (ROWS.index(scope) if scope in ROWS else len(ROWS), "" if code == POOLED else code)


def _column(frame: DataFrame) -> list[str]:
    return [f"{scope}<br>{code}" for scope, code in zip(frame["scope"], frame["language"], strict=True)]
