"""Question language × document language: in which languages evidence was found for each question language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.ui.dashboard.charts.chart_style import SCALE, finished, named, nothing
from workbench.ui.dashboard.charts.click_targets import points
from workbench.ui.dashboard.dashboard_state import mark

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

TITLE = "Document languages by question"


def language_map(flows: DataFrame) -> Figure:
    """`flows` has `language`, `document_language`, and `documents`; each row of the map sums to 100 %."""
    from plotly.graph_objects import Figure, Heatmap

    if not len(flows):
        return nothing(TITLE, "No documents were handed over under these filters.")
    cells = flows.groupby(["language", "document_language"], as_index=False)["documents"].sum()
    cells["mark"] = [
        mark(languages=one, document=other)
        for one, other in zip(cells["language"], cells["document_language"], strict=True)
    ]
    cells["share"] = cells["documents"] / cells.groupby("language")["documents"].transform("sum")
    asked, found = sorted(set(cells["language"])), sorted(set(cells["document_language"]))
    shares = cells["share"].tolist()
    figure = Figure(
        Heatmap(
            x=cells["document_language"].tolist(),
            y=cells["language"].tolist(),
            z=shares,
            zmin=0,
            zmax=1,
            colorscale=[list(stop) for stop in SCALE],
            showscale=False,
            xgap=2,
            ygap=2,
            hoverinfo="skip",
        )
    )
    told = [
        f"questions in {named(one)}<br>documents in {named(other)}<br><b>{share:.1%}</b>, {count:,} documents"
        for one, other, share, count in zip(
            cells["language"], cells["document_language"], shares, cells["documents"], strict=True
        )
    ]
    texts = [f"{share:.0%}" if share >= 0.005 else "" for share in shares]
    figure.add_trace(points(cells["document_language"], cells["language"], texts, cells["mark"], told, size=24))
    figure.update_xaxes(title="document language", categoryorder="array", categoryarray=found, showgrid=False)
    figure.update_yaxes(
        title="question language", categoryorder="array", categoryarray=asked, autorange="reversed", showgrid=False
    )
    counted = f"share of documents handed over · n = {int(cells['documents'].sum()):,} documents"
    return finished(figure, TITLE, counted, height=max(280, 170 + 30 * len(asked)))
