"""Documents in English, in the question's language and in others, as Table 13 of Ranaldi et al. 2025 (CrossRAG)."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

from workbench.ui.dashboard.charts.chart_style import named, nothing
from workbench.ui.dashboard.charts.grid import grid
from workbench.ui.dashboard.dashboard_state import mark

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

TITLE = "Documents: English, own, others"
PARTS = {
    "documents in English": "in English",
    "documents in the question language": "in its own",
    "documents in other languages": "in others",
}
"""As the table calls them, and as a row does; those of an English question count as in English."""
ENGLISH, OWN, OTHERS = PARTS


def language_groups(flows: DataFrame, published: DataFrame | None = None) -> Figure:
    """`flows` has `language`, `document_language` and `documents`; `published` rows have a part as their `setting`."""
    from pandas import DataFrame

    if not len(flows):
        return nothing(TITLE, "No documents were handed over under these filters.")
    counts = flows.groupby(["language", "document_language"], as_index=False)["documents"].sum()
    counts["row"] = [
        _part(one, other) for one, other in zip(counts["language"], counts["document_language"], strict=True)
    ]
    cells = DataFrame(counts.groupby(["row", "language"], as_index=False)["documents"].sum())
    whole = cells.groupby("language")["documents"].transform("sum")
    cells = cells.assign(column=cells["language"], mean=cells["documents"] / whole, low=nan, high=nan)
    cells["mark"] = [_mark(part, code) for part, code in zip(cells["row"], cells["language"], strict=True)]
    hover = [
        f"questions in {named(code)}<br>{part}<br><b>{share:.1%}</b>, {count:,} documents"
        for part, code, share, count in zip(
            cells["row"], cells["language"], cells["mean"], cells["documents"], strict=True
        )
    ]
    cells["row"] = cells["row"].map(PARTS)
    beside = None
    if published is not None:
        beside = published.assign(row=published["setting"].map(PARTS), column=published["language"])
        beside = beside.sort_values("row", key=lambda rows: rows.map([*PARTS.values()].index), kind="stable")
    return grid(
        cells,
        beside,
        title=TITLE,
        unit="share of documents",
        rows=[part for part in PARTS.values() if part in set(cells["row"])],
        columns=sorted(set(cells["language"])),
        hover=hover,
        n=f"n = {int(cells['documents'].sum()):,} documents",
    )


def _part(asked: str, found: str) -> str:
    return ENGLISH if found == "en" else OWN if found == asked else OTHERS


def _mark(part: str, code: str) -> str:
    # Documents in any of the other languages are no one mark.
    return "" if part == OTHERS else mark(languages=code, document="en" if part == ENGLISH else code)
