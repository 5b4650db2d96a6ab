"""The figure of label shares: one row per label with its 95 % interval, the paper's shares as hollow diamonds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.annotation import INSPECTED, LabelShare, Taxonomy
from workbench.ui.dashboard.charts import published_marks
from workbench.ui.dashboard.charts.chart_style import (
    COLOURS,
    FITTING,
    add_row_names,
    empty_figure,
    finish_figure,
    language_label,
    number_range,
    plain_text,
    whiskers,
)

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

TITLE = "How many answers have each label"
NAME = 44
"""Characters of a label's name in its row."""


def share_rows(shares: Sequence[LabelShare], taxonomy: Taxonomy) -> DataFrame:
    """One row per label and language, as the figure, the table and the file have them; shares from 0 to 1."""
    from pandas import DataFrame

    return DataFrame(
        [
            {
                "label": taxonomy.label(row.label).name,
                "key": row.label,
                "language": row.language or "all",
                "count": row.count,
                "n": row.n,
                "mean": row.share.value,
                "low": row.interval.low if row.interval else None,
                "high": row.interval.high if row.interval else None,
                "ties": row.ties,
                "adjudicated": row.adjudicated,
                "paper_count": row.paper,
            }
            for row in shares
        ]
    ).astype({"mean": float, "low": float, "high": float})


def share_matrix(shares: Sequence[LabelShare], taxonomy: Taxonomy) -> DataFrame:
    """Labels by languages, as the paper's table is: shares in percent with their n, the paper's next to them."""
    from pandas import DataFrame

    columns: dict[str, dict[str, str]] = {}
    for row in shares:
        name, label = (row.language or "all"), taxonomy.label(row.label).name
        value = "–" if row.share.value is None else f"{row.share.value * 100:.0f} % of {row.n:,}"
        columns.setdefault(name, {})[label] = value
        if row.paper is not None:
            printed = f"{row.paper / INSPECTED * 100:.0f} % of {INSPECTED}"
            columns.setdefault(f"{name}, published", {})[label] = printed
    names = [label.name for label in taxonomy.labels]
    return DataFrame({name: [cells.get(label, "") for label in names] for name, cells in columns.items()}, index=names)


def shares(rows: DataFrame, language: str, paper: DataFrame) -> Figure:
    """The shares of one language, "all" for all of them, as `share_rows` states them.

    `paper` has the published rows, with their `label` as the key of ours.
    """
    from plotly.graph_objects import Figure, Scatter

    selected = rows[(rows["language"] == language) & (rows["n"] > 0)]
    if not len(selected):
        return empty_figure(TITLE, "No answer in this language is labelled without a tie.")
    names = dict(zip(selected["key"], (plain_text(name, NAME) for name in selected["label"]), strict=True))
    hovers = [
        f"<b>{name}</b><br>{count:,} of {n:,} answers: {mean * 100:.1f} %<br>{ties:,} ties left out"
        for name, count, n, mean, ties in zip(
            names.values(), selected["count"], selected["n"], selected["mean"], selected["ties"], strict=True
        )
    ]
    figure = Figure(
        Scatter(
            x=selected["mean"].tolist(),
            y=list(names.values()),
            mode="markers",
            name="your queue",
            marker={"size": 11, "color": COLOURS[0]},
            error_x=whiskers(selected),
            hovertext=hovers,
            hovertemplate="%{hovertext}<extra></extra>",
        )
    )
    printed = paper[(paper["language"] == language) & paper["label"].isin(list(names))]
    citation = ""
    if len(printed):
        citation = published_marks.legend_name(printed)
        places: list[object] = [names[key] for key in printed["label"]]
        figure.add_trace(published_marks.points(printed["amount"].tolist(), places, printed, citation))
    height = add_row_names(figure, list(names.values()), [*selected["mean"], *selected["high"], *printed["amount"]])
    figure.update_xaxes(title="share of answers, with 95 % interval", tickformat=".0%")
    where = "all languages" if language == "all" else language_label(language)
    counts = number_range(int(selected["n"].min()), int(selected["n"].max()))
    return finish_figure(
        figure,
        TITLE,
        f"{where} · n = {counts} answers",
        height=max(150 + height, 260),
        reference=citation,
        columns=FITTING,
    )
