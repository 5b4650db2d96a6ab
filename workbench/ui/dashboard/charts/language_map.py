"""Question language × document language: in which languages the documents for each question language are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.ui.dashboard.charts.grid import click_targets
from workbench.ui.dashboard.dashboard_state import mark
from workbench.ui.parts.chart_style import coloured_cells, empty_figure, finish_figure, language_label

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

TITLE = "Documents by question language"


def language_map(flows: DataFrame, scope: str = "") -> Figure:
    """Shares of the documents' languages for each question language; each row of the map sums to 100 %.

    `flows` has `language`, `document_language` and `documents`, all of one `scope` where it is given.
    """
    from plotly.graph_objects import Figure

    if not len(flows):
        return empty_figure(TITLE, "No documents match these filters.")
    cells = flows.groupby(["language", "document_language"], as_index=False)["documents"].sum()
    cells["mark"] = [
        mark(scopes=scope, languages=one, document=other)
        for one, other in zip(cells["language"], cells["document_language"], strict=True)
    ]
    cells["share"] = cells["documents"] / cells.groupby("language")["documents"].transform("sum")
    question_languages, document_languages = (sorted(set(cells[name])) for name in ("language", "document_language"))
    shares = cells["share"].tolist()
    figure = Figure(coloured_cells(cells["document_language"].tolist(), cells["language"].tolist(), shares))
    hovers = [
        f"questions in {language_label(one)}<br>documents in {language_label(other)}<br>"
        f"<b>{share:.1%}</b>, {count:,} documents"
        for one, other, share, count in zip(
            cells["language"], cells["document_language"], shares, cells["documents"], strict=True
        )
    ]
    texts = [f"{share:.0%}" if share >= 0.005 else "" for share in shares]
    figure.add_trace(
        click_targets(cells["document_language"], cells["language"], texts, cells["mark"], hovers, size=24)
    )
    figure.update_xaxes(
        title="document language", categoryorder="array", categoryarray=document_languages, showgrid=False
    )
    figure.update_yaxes(
        title="question language",
        categoryorder="array",
        categoryarray=question_languages,
        autorange="reversed",
        showgrid=False,
    )
    lead = f"scope {scope} · " if scope else ""
    subtitle = f"{lead}share of documents · n = {int(cells['documents'].sum()):,} documents given to the generator"
    return finish_figure(figure, TITLE, subtitle, height=max(280, 170 + 30 * len(question_languages)))
