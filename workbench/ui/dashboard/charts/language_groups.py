"""Documents in English, in the question's language and in others, as in Ranaldi et al. (2025, CrossRAG), Table 13."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

from workbench.ui.dashboard.charts.grid import grid
from workbench.ui.dashboard.dashboard_state import mark
from workbench.ui.parts.chart_style import empty_figure, language_label

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

TITLE = "Documents: English, UL, other"
PARTS = {
    "documents in English": "English",
    "documents in the question language": "UL",
    "documents in other languages": "other",
}
"""The groups as the published table names them, and as a row does; an English question's are never UL."""
ENGLISH, UL, OTHERS = PARTS


def language_groups(flows: DataFrame, published: DataFrame | None = None, scope: str = "") -> Figure:
    """Shares of the documents by question language and group; the shares of a question language sum to 1.

    `flows` has `language`, `document_language` and `documents`; `published` rows have a group as their `setting`.
    All flows are of one `scope` where it is given.
    """
    from pandas import DataFrame

    if not len(flows):
        return empty_figure(TITLE, "No documents match these filters.")
    counts = flows.groupby(["language", "document_language"], as_index=False)["documents"].sum()
    counts["row"] = [
        _part(one, other) for one, other in zip(counts["language"], counts["document_language"], strict=True)
    ]
    cells = DataFrame(counts.groupby(["row", "language"], as_index=False)["documents"].sum())
    totals = cells.groupby("language")["documents"].transform("sum")
    cells = cells.assign(column=cells["language"], mean=cells["documents"] / totals, low=nan, high=nan)
    cells["mark"] = [_mark(part, code, scope) for part, code in zip(cells["row"], cells["language"], strict=True)]
    hover = [
        f"questions in {language_label(code)}<br>{part}<br><b>{share:.1%}</b>, {count:,} documents"
        for part, code, share, count in zip(
            cells["row"], cells["language"], cells["mean"], cells["documents"], strict=True
        )
    ]
    cells["row"] = cells["row"].map(PARTS)
    if published is not None:
        published = published.assign(row=published["setting"].map(PARTS), column=published["language"])
        published = published.sort_values("row", key=lambda rows: rows.map([*PARTS.values()].index), kind="stable")
    return grid(
        cells,
        published,
        title=TITLE,
        unit="share of documents",
        rows=[part for part in PARTS.values() if part in set(cells["row"])],
        columns=sorted(set(cells["language"])),
        hover=hover,
        count_words=f"{f'scope {scope} · ' if scope else ''}n = {int(cells['documents'].sum()):,} documents",
    )


def _part(question_language: str, document_language: str) -> str:
    if document_language == "en":
        return ENGLISH
    return UL if document_language == question_language else OTHERS


def _mark(part: str, code: str, scope: str) -> str:
    # No single mark stands for documents in any of the other languages.
    return "" if part == OTHERS else mark(scopes=scope, languages=code, document="en" if part == ENGLISH else code)
