"""The figure of proposals: how many answers have each label, by the rules and by people, in one language or in all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from workbench.annotation import Taxonomy
from workbench.ui.dashboard.charts.chart_style import (
    COLOURS,
    FITTING,
    empty_figure,
    finish_figure,
    language_label,
    plain_text,
)

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

TITLE = "What went wrong: proposals next to people’s labels"
RULES, PEOPLE = "by rules", "by people"
NONE = "No proposal"
ROW = 46
"""Pixels of a label's row."""
ENTRY = 90
"""Pixels of a name in the legend."""
NAME = 30
"""Characters of a label's name."""
Counts = Mapping[tuple[str, str], int]
"""How many, by label and language."""


def proposal_rows(rules: Counts, people: Counts, taxonomy: Taxonomy) -> DataFrame:
    """One row per label, language and source, as the figure, the table and the file have them."""
    from pandas import DataFrame

    order = {key: place for place, key in enumerate((*taxonomy.keys, ""))}
    rows = [
        {"label": taxonomy.label(key).name if key else NONE, "key": key, "language": code, "by": by, "answers": count}
        for by, counts in ((RULES, rules), (PEOPLE, people))
        for (key, code), count in counts.items()
        if key in order
    ]
    rows.sort(key=lambda row: (order[str(row["key"])], row["language"], row["by"] == PEOPLE))
    return DataFrame(rows, columns=["label", "key", "language", "by", "answers"])


def proposal_bars(rows: DataFrame, language: str = "") -> Figure:
    """Bars of both sources by label, of one language or, where it is "", of all; `rows` as `proposal_rows` has them."""
    from plotly.graph_objects import Bar, Figure

    selected = rows[rows["language"] == language] if language else rows
    if not len(selected):
        return empty_figure(TITLE, "No answer of these filters has a proposal yet.")
    names = list(dict.fromkeys(selected["label"]))
    figure = Figure()
    for place, by in enumerate((PEOPLE, RULES)):
        counts = selected[selected["by"] == by].groupby("label")["answers"].sum()
        figure.add_trace(
            Bar(
                y=[plain_text(name, NAME) for name in names],
                x=[int(counts.get(name, 0)) for name in names],
                name=by,
                orientation="h",
                marker={"color": COLOURS[1 - place]},
                hovertemplate="%{y}<br><b>%{x}</b><extra>%{fullData.name}</extra>",
            )
        )
    figure.update_layout(barmode="group", bargap=0.25, legend_traceorder="reversed")
    figure.update_yaxes(autorange="reversed")
    figure.update_xaxes(title="answers", rangemode="tozero", tickformat=",d")
    sums = {by: int(selected[selected["by"] == by]["answers"].sum()) for by in (RULES, PEOPLE)}
    questions_in = language_label(language) if language else "all languages"
    words = f"{questions_in} · {sums[RULES]:,} proposals, {sums[PEOPLE]:,} labels"
    finish_figure(figure, TITLE, words, height=90 + ROW * len(names), columns=FITTING)
    # A share of the plot is too little here: on a phone the labels take half of the width.
    return figure.update_layout(legend={"entrywidth": ENTRY, "entrywidthmode": "pixels"})
