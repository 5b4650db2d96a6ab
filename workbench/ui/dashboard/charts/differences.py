"""Paired differences from one run: the effect of a change of recipe, and whether chance could explain it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.metrics import Scale, scale_of
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
SAME = "same score on every question"
ONE = "one question only: no difference is shown"
QUESTIONS_LEAST = 2
"""Questions from which a difference is drawn: one question says nothing about others."""


def deltas(measured: DataFrame, title: str, metric: str, published: DataFrame | None = None) -> Figure:
    """One bar per comparison, coloured where p < 0.05, with its 95 % interval.

    No bar is drawn where both have the same score on every question, or over a single question; the name states it.
    `measured` has one row per comparison: `name`, `mean` (second minus first), `low`, `high`, `p`, `family` (how many
    comparisons p is corrected for, 1 where it is not), `n` answers, of which `differing` have two different scores,
    `questions`, `left_out`, `detectable` and `mark`.
    """
    from plotly.graph_objects import Bar, Figure

    tested = measured[measured["n"] > 0] if len(measured) else measured
    if not len(tested):
        return empty_figure(title, "No other run that matches these filters answered the same questions.")
    scale = scale_of(metric)
    bare = (tested["differing"] == 0) | (tested["questions"] < QUESTIONS_LEAST)
    drawn = tested.assign(**{name: tested[name].mask(bare) for name in ("mean", "low", "high")})
    order = _names(tested)
    figure = Figure(
        Bar(
            x=drawn["mean"].tolist(),
            y=order,
            orientation="h",
            width=0.36,
            name="your results",
            marker={"color": [_colour(mean, p, scale) for mean, p in zip(tested["mean"], tested["p"], strict=True)]},
            error_x=whiskers(drawn, ON_BARS),
            customdata=[[mark] for mark in tested["mark"]],
            hovertext=_hover_texts(tested),
            hovertemplate="%{hovertext}<extra></extra>",
            showlegend=published is not None,
        )
    )
    values = [*drawn["mean"], *drawn["low"], *drawn["high"]]
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
    figure.update_xaxes(title="mean difference per question", zeroline=True, zerolinewidth=2, zerolinecolor=ON_BARS)
    pairs, questions = (number_range(int(tested[name].min()), int(tested[name].max())) for name in ("n", "questions"))
    family = int(tested["family"].max())
    # A single comparison needs no correction.
    holm = f", Holm over {family:,} comparisons" if family > 1 else ""
    subtitle = (
        f"paired permutation test{holm} · coloured: p < 0.05 · n = {pairs} pairs of answers to {questions} questions, "
        f"at most {int(tested['left_out'].max()):,} unscored for one or both"
    )
    return finish_figure(figure, title, subtitle, height=max(260, 150 + rows), reference=citation, columns=FITTING)


def _colour(mean: float, p: float | None, scale: Scale) -> str:
    if p is None or is_missing(p) or p >= SIGNIFICANT:
        return NOT_SIGNIFICANT
    return BETTER if (mean > 0) == scale.higher_is_better else WORSE


def _names(tested: DataFrame) -> list[str]:
    """The rows' names, with the reason where a row has no bar."""
    names = []
    for name, differing, questions in zip(tested["name"], tested["differing"], tested["questions"], strict=True):
        note = SAME if not differing else ONE if questions < QUESTIONS_LEAST else ""
        names.append(f"{plain_text(name, 52)}: {note}" if note else plain_text(name, 64))
    return names


def _hover_texts(tested: DataFrame) -> list[str]:
    names = ("name", "mean", "low", "high", "p", "family", "n", "questions", "left_out", "detectable", "differing")
    lines = []
    for name, mean, low, high, p, family, n, questions, left_out, detectable, differing in zip(
        *(tested[item].tolist() for item in names), strict=True
    ):
        interval = "" if is_missing(low) else f" (95 %: {low:+.3f} to {high:+.3f})"
        holm = " after Holm" if family > 1 else ""
        least = (
            ""
            if is_missing(detectable)
            else f"<br>smallest detectable difference with these questions: {detectable:.3f}"
        )
        value = f"<b>{mean:+.3f}</b>{interval}<br>p = {p:.4f}{holm}" if differing else f"<b>{SAME}</b>"
        lines.append(
            f"{plain_text(name)}<br>{value}<br>"
            f"n = {n:,} pairs of answers to {questions:,} questions, {left_out:,} unscored for one or both{least}"
        )
    return lines
