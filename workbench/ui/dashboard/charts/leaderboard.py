"""The leaderboard: one row per run with its rank, n and 95 % interval; published averages below, hollow."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from workbench.metrics import scale_of
from workbench.ui.dashboard.charts import published_marks
from workbench.ui.dashboard.charts.chart_style import (
    COLOURS,
    FITTING,
    NOTHING_SCORED,
    add_row_names,
    empty_figure,
    finish_figure,
    hover_texts,
    is_missing,
    plain_text,
    scored_counts,
    whiskers,
)

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure


LABEL = 48
"""Characters of a run's title in its row."""


def leaderboard(measured: DataFrame, metric: str, published: DataFrame | None = None) -> Figure:
    """Runs in the order of the frame, each with its rank, n and, where it answered only a part, what part.

    `measured` has one row per run with its `title`, `rank` (NaN for none), the questions `answered` of all `questions`,
    and whether it is `partial`; `published` has averages over languages.
    """
    from plotly.graph_objects import Figure, Scatter

    if not len(measured):
        return empty_figure(f"Leaderboard: {metric}", NOTHING_SCORED)
    scale = scale_of(metric)
    best = measured
    names = _names(best)
    figure = Figure(
        Scatter(
            x=best["mean"].tolist(),
            y=names,
            mode="markers",
            name="your results",
            # What is not ranked is hollow.
            marker={
                "size": 11,
                "color": COLOURS[0],
                "symbol": ["circle-open" if is_missing(rank) else "circle" for rank in best["rank"]],
                "line": {"width": 2, "color": COLOURS[0]},
            },
            error_x=whiskers(best),
            customdata=[[mark] for mark in best["mark"]],
            hovertext=hover_texts(best, best["title"]),
            hovertemplate="%{hovertext}<extra></extra>",
        )
    )
    labels: list[str] = []
    values = [*best["mean"], *best["high"]]
    citation = ""
    if published is not None and len(published):
        labels = [
            f"published: {plain_text(name or retrieval, 40)}, {plain_text(model)}"
            for name, retrieval, model in zip(
                published["setting"], published["retrieval"], published["model"], strict=True
            )
        ]
        citation = published_marks.legend_name(published)
        values += [*published["amount"]]
        figure.add_trace(published_marks.points(published["amount"].tolist(), list(labels), published, citation))
    rows = add_row_names(figure, [*names, *dict.fromkeys(labels)], values)
    figure.update_xaxes(title=f"{metric} ({scale}), mean and 95 % interval")
    title = f"Leaderboard: {metric}"
    return finish_figure(
        figure, title, scored_counts(best), height=max(130 + rows, 260), reference=citation, columns=FITTING
    )


def _names(measured: DataFrame) -> list[str]:
    """The rows' names, which are distinct: rank, title, n, and why a run has no rank."""
    columns = ("title", "rank", "n", "answered", "questions", "partial")
    names = []
    for title, rank, n, answered, questions, partial in zip(
        *(measured[name].tolist() for name in columns), strict=True
    ):
        place = "–" if is_missing(rank) else f"{rank:.0f}."
        note = (
            f", only {answered:,} of {questions:,} questions answered" if partial else "" if n else ", nothing scored"
        )
        names.append(f"{place} {plain_text(title, LABEL)}  (n = {n:,}{note})")
    counts = Counter(names)
    return [name if counts[name] == 1 else f"{name} · {place}" for place, name in enumerate(names, start=1)]
