"""Paired differences from one run: the effect of a change of recipe, and whether chance could explain it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.metrics.scale import Scale, scale_of
from workbench.ui.dashboard.charts import published_marks
from workbench.ui.dashboard.charts.chart_style import (
    FITTING,
    ON_BARS,
    add_row_names,
    empty_figure,
    finish_figure,
    is_missing,
    number_range,
    plain_text,
    whiskers,
)

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

BETTER, WORSE, NOT_SIGNIFICANT = "#3f8a5f", "#b3566b", "#9aa3a8"
SIGNIFICANT = 0.05


def deltas(measured: DataFrame, title: str, metric: str, published: DataFrame | None = None) -> Figure:
    """One bar per comparison, coloured where p < 0.05, with its 95 % interval.

    `measured` has one row per comparison: `name`, `mean` (second minus first), `low`, `high`, `p`, whether that is
    `corrected` by Holm over all that are, `n` answers, `questions`, `left_out`, `detectable` and `mark`.
    """
    from plotly.graph_objects import Bar, Figure

    tested = measured[measured["n"] > 0] if len(measured) else measured
    if not len(tested):
        return empty_figure(title, "No other run that matches these filters answered the same questions.")
    scale = scale_of(metric)
    figure = Figure(
        Bar(
            x=tested["mean"].tolist(),
            y=[plain_text(name, 64) for name in tested["name"]],
            orientation="h",
            width=0.36,
            name="your results",
            marker={"color": [_colour(mean, p, scale) for mean, p in zip(tested["mean"], tested["p"], strict=True)]},
            error_x=whiskers(tested, ON_BARS),
            customdata=[[mark] for mark in tested["mark"]],
            hovertext=_hover_texts(tested),
            hovertemplate="%{hovertext}<extra></extra>",
            showlegend=published is not None,
        )
    )
    order = [plain_text(name, 64) for name in tested["name"]]
    values = [*tested["mean"], *tested["low"], *tested["high"]]
    citation = ""
    if published is not None and len(published):
        citation = published_marks.legend_name(published)
        values += [*published["amount"]]
        labels = [
            f"published: {plain_text(setting, 36)}, {plain_text(dataset)} {code}"
            for setting, dataset, code in zip(
                published["setting"], published["dataset"], published["language"], strict=True
            )
        ]
        figure.add_trace(published_marks.points(published["amount"].tolist(), list(labels), published, citation))
        order += list(dict.fromkeys(labels))
    rows = add_row_names(figure, order, values)
    figure.update_xaxes(title="mean difference per question", zeroline=True, zerolinewidth=2)
    pairs, questions = (number_range(int(tested[name].min()), int(tested[name].max())) for name in ("n", "questions"))
    corrected = int(tested["corrected"].sum())
    # A single comparison needs no correction.
    holm = f", Holm over {corrected:,} comparisons" if corrected > 1 else ""
    subtitle = (
        f"paired permutation test{holm}; grey: not significant (p ≥ 0.05) · "
        f"n = {pairs} pairs of answers to {questions} questions, "
        f"at most {int(tested['left_out'].max()):,} unscored for one or both"
    )
    return finish_figure(figure, title, subtitle, height=max(260, 150 + rows), reference=citation, columns=FITTING)


def _colour(mean: float, p: float | None, scale: Scale) -> str:
    if p is None or is_missing(p) or p >= SIGNIFICANT:
        return NOT_SIGNIFICANT
    return BETTER if (mean > 0) == scale.higher_is_better else WORSE


def _hover_texts(tested: DataFrame) -> list[str]:
    names = ("name", "mean", "low", "high", "p", "corrected", "n", "questions", "left_out", "detectable")
    lines = []
    for name, mean, low, high, p, corrected, n, questions, left_out, detectable in zip(
        *(tested[item].tolist() for item in names), strict=True
    ):
        interval = "" if is_missing(low) else f" (95 %: {low:+.3f} to {high:+.3f})"
        holm = " after Holm" if corrected else ""
        least = (
            ""
            if is_missing(detectable)
            else f"<br>smallest detectable difference with these questions: {detectable:.3f}"
        )
        lines.append(
            f"{plain_text(name)}<br><b>{mean:+.3f}</b>{interval}<br>p = {p:.4f}{holm}<br>"
            f"n = {n:,} pairs of answers to {questions:,} questions, {left_out:,} unscored for one or both{least}"
        )
    return lines
