"""Paired differences from one run: what a change of recipe brought, and whether chance would do as much."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.metrics.scale import Scale, scale_of
from workbench.ui.dashboard.charts import published_marks
from workbench.ui.dashboard.charts.chart_style import (
    FITTING,
    ON_BARS,
    between,
    finished,
    isnan,
    nothing,
    plain,
    rows_with_names,
    whiskers,
)

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

BETTER, WORSE, UNSURE = "#3f8a5f", "#b3566b", "#9aa3a8"
SIGNIFICANT = 0.05


def deltas(measured: DataFrame, title: str, metric: str, published: DataFrame | None = None) -> Figure:
    """`measured` has a row a comparison: `name`, `mean` (second minus first), `low`, `high`, `p`, whether that is
    `corrected` by Holm over all that are, `n` answers, `questions`, `left_out`, `detectable` and `mark`.
    """
    from plotly.graph_objects import Bar, Figure

    tested = measured[measured["n"] > 0] if len(measured) else measured
    if not len(tested):
        return nothing(title, "No other run answered the same questions under these filters.")
    scale = scale_of(metric)
    figure = Figure(
        Bar(
            x=tested["mean"].tolist(),
            y=[plain(name, 64) for name in tested["name"]],
            orientation="h",
            width=0.36,
            name="measured here",
            marker={"color": [_colour(mean, p, scale) for mean, p in zip(tested["mean"], tested["p"], strict=True)]},
            error_x=whiskers(tested, ON_BARS),
            customdata=[[mark] for mark in tested["mark"]],
            hovertext=_told(tested),
            hovertemplate="%{hovertext}<extra></extra>",
            showlegend=published is not None,
        )
    )
    order = [plain(name, 64) for name in tested["name"]]
    values = [*tested["mean"], *tested["low"], *tested["high"]]
    cited = ""
    if published is not None and len(published):
        cited = published_marks.cited(published)
        values += [*published["amount"]]
        labels = [
            f"published: {plain(setting, 36)}, {plain(dataset)} {code}"
            for setting, dataset, code in zip(
                published["setting"], published["dataset"], published["language"], strict=True
            )
        ]
        figure.add_trace(published_marks.points(published["amount"].tolist(), list(labels), published, cited))
        order += list(dict.fromkeys(labels))
    rows = rows_with_names(figure, order, values)
    figure.update_xaxes(title="difference of means, question by question", zeroline=True, zerolinewidth=2)
    pairs, questions = (between(int(tested[name].min()), int(tested[name].max())) for name in ("n", "questions"))
    corrected = int(tested["corrected"].sum())
    # Of a single comparison there is nothing to correct.
    holm = f", Holm over {corrected:,} comparisons" if corrected > 1 else ""
    told = (
        f"paired permutation test{holm}; coloured where p < 0.05 · "
        f"n = {pairs} pairs of answers to {questions} questions, "
        f"{int(tested['left_out'].max()):,} at most unscored for one or both"
    )
    return finished(figure, title, told, height=max(260, 150 + rows), reference=cited, columns=FITTING)


def _colour(mean: float, p: float | None, scale: Scale) -> str:
    if p is None or isnan(p) or p >= SIGNIFICANT:
        return UNSURE
    return BETTER if (mean > 0) == scale.higher_is_better else WORSE


def _told(tested: DataFrame) -> list[str]:
    names = ("name", "mean", "low", "high", "p", "corrected", "n", "questions", "left_out", "detectable")
    lines = []
    for name, mean, low, high, p, corrected, n, questions, left_out, least in zip(
        *(tested[item].tolist() for item in names), strict=True
    ):
        between = "" if isnan(low) else f" (95 %: {low:+.3f} to {high:+.3f})"
        holm = " after Holm" if corrected else ""
        shown = "" if isnan(least) else f"<br>smallest difference so many would show: {least:.3f}"
        lines.append(
            f"{plain(name)}<br><b>{mean:+.3f}</b>{between}<br>p = {p:.4f}{holm}<br>"
            f"n = {n:,} pairs of answers to {questions:,} questions, {left_out:,} unscored for one or both{shown}"
        )
    return lines
