"""Metrics by scope as tables: scope × language and prompt × scope, as in Chirkova et al. (2024), Tables 1, 5 and 9."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.languages import CHIRKOVA_LANGUAGES
from workbench.metrics import scale_of
from workbench.pipeline import SCOPES, VARIANTS
from workbench.ui.dashboard.charts.grid import grid

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

ROWS = ("none", *SCOPES)
"""The scopes in order; `none` is without retrieval."""
POOLED = "pooled"
"""Replaces the language where all languages are taken together."""


def scope_language(measured: DataFrame, metric: str, published: DataFrame | None = None) -> Figure:
    """Scope × language: what searching more languages changes for questions in each.

    `measured` has one row per `scope` and `language`; rows of the mode baseline have the scope `none`.
    """
    cells = measured.assign(row=measured["scope"], column=measured["language"])
    if published is not None:
        published = published.assign(row=published["scope"], column=published["language"])
        published = published.sort_values("row", key=lambda names: names.map(ROWS.index), kind="stable")
    languages = set(cells["column"])
    columns = [code for code in CHIRKOVA_LANGUAGES if code in languages]
    columns += sorted(languages - set(columns))
    rows = [name for name in ROWS if name in set(cells["row"])]
    return grid(
        cells,
        published,
        title=f"Scope × language: {metric}",
        unit=metric,
        rows=rows,
        columns=columns,
        scale=scale_of(metric),
    )


def prompt_scope(measured: DataFrame, metric: str, published: DataFrame | None = None) -> Figure:
    """Prompt × scope: recall or correct language rate by system prompt.

    `measured` has one row per `prompt`, `scope` and `language`; languages are next to each other within a scope.
    """
    cells = measured.assign(row=measured["prompt"], column=_columns(measured))
    known = [item.name for item in VARIANTS]
    if published is not None:
        published = published.assign(row=published["variant"], column=_columns(published))
        published = published.sort_values("row", key=lambda names: names.map(known.index), kind="stable")
    prompts = list(dict.fromkeys(cells["row"]))
    rows = [name for name in known if name in prompts] + [name for name in prompts if name not in known]
    pooled = cells[cells["language"] == POOLED]
    return grid(
        cells,
        published,
        title=f"Prompt × scope: {metric}",
        unit=metric,
        rows=rows,
        columns=sorted(dict.fromkeys(cells["column"]), key=_column_order),
        scale=scale_of(metric),
        counted=pooled if len(pooled) else cells,
    )


def _column_order(column: str) -> tuple[int, str]:
    scope, _, code = column.partition("<br>")
    return (ROWS.index(scope) if scope in ROWS else len(ROWS), "" if code == POOLED else code)


def _columns(frame: DataFrame) -> list[str]:
    return [f"{scope}<br>{code}" for scope, code in zip(frame["scope"], frame["language"], strict=True)]
