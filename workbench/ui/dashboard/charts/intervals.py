"""Metrics with their intervals: differences between runs, and modes by dataset."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from workbench.core import shorten
from workbench.experiments import choice_name
from workbench.metrics import Scale, metric_name, scale_of
from workbench.pipeline import MODES
from workbench.ui.parts.chart_style import (
    COLOURS,
    GROUPS,
    is_missing,
    number_range,
    plain_text,
    scored_counts,
)
from workbench.ui.parts.interval_chart import MarkStyle, interval_chart

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

BETTER, WORSE, NOT_SIGNIFICANT = "better, p < 0.05", "worse, p < 0.05", "no significant difference"
SIGNIFICANT = 0.05
SAME = "same score on every question"
ONE = "one question only: no difference is shown"
QUESTIONS_LEAST = 2
"""Questions from which a difference is drawn: one question says nothing about others."""
ORDER = tuple(mode.title for mode in MODES)


def deltas(measured: DataFrame, title: str, metric: str, published: DataFrame | None = None) -> Figure:
    """The difference of each comparison with its 95 % interval, coloured where p < 0.05.

    Nothing is drawn where both have the same score on every question, or over a single question; the name states it.
    `measured` has one row per comparison: `name`, `mean` (second minus first), `low`, `high`, `p`, `family` (how many
    comparisons p and the interval are corrected for), `n` answers, of which `differing` have two different scores,
    `questions`, `left_out`, `detectable` and `mark`. `title` is escaped.
    """
    tested = measured[measured["n"] > 0]
    scale = scale_of(metric)
    bare = (tested["differing"] == 0) | (tested["questions"] < QUESTIONS_LEAST)
    frame = tested.assign(
        label=_delta_labels(tested),
        group=[_significance(mean, p, scale) for mean, p in zip(tested["mean"], tested["p"], strict=True)],
        hover=_delta_hovers(tested),
        value=tested["mean"].mask(bare),
        low=tested["low"].mask(bare),
        high=tested["high"].mask(bare),
    )
    if published is not None:
        names = zip(published["setting"], published["dataset"], published["language"], strict=True)
        published = published.assign(
            label=[f"published: {shorten(setting, 36)}, {dataset} {code}" for setting, dataset, code in names]
        )
    return interval_chart(
        frame.drop(columns="mean"),
        title,
        _delta_subtitle(tested) if len(tested) else "",
        f"difference in “{metric_name(metric)}”",
        marks={BETTER: MarkStyle("#3f8a5f"), WORSE: MarkStyle("#b3566b"), NOT_SIGNIFICANT: MarkStyle("#8b959b")},
        published=published,
        reference=0,
        empty="No other run that matches these filters answered the same questions.",
    )


def _delta_subtitle(tested: DataFrame) -> str:
    pairs, questions = (number_range(int(tested[name].min()), int(tested[name].max())) for name in ("n", "questions"))
    family = int(tested["family"].max())
    # A single comparison needs no correction.
    corrected = f", p and intervals by Bonferroni over {family:,} comparisons" if family > 1 else ""
    return (
        f"paired permutation test{corrected} · coloured: p < 0.05 · n = {pairs} pairs of answers to {questions} "
        f"questions, at most {int(tested['left_out'].max()):,} unscored for one or both"
    )


def _significance(mean: float, p: float | None, scale: Scale) -> str:
    if p is None or is_missing(p) or p >= SIGNIFICANT:
        return NOT_SIGNIFICANT
    return BETTER if (mean > 0) == scale.higher_is_better else WORSE


def _delta_labels(tested: DataFrame) -> list[str]:
    """The rows' names, with the reason where a row has no mark."""
    labels = []
    for name, differing, questions in zip(tested["name"], tested["differing"], tested["questions"], strict=True):
        note = SAME if not differing else ONE if questions < QUESTIONS_LEAST else ""
        labels.append(f"{shorten(name, 52)}: {note}" if note else name)
    return labels


def _delta_hovers(tested: DataFrame) -> list[str]:
    columns = ("name", "mean", "low", "high", "p", "family", "n", "questions", "left_out", "detectable", "differing")
    hovers = []
    for name, mean, low, high, p, family, n, questions, left_out, detectable, differing in zip(
        *(tested[column].tolist() for column in columns), strict=True
    ):
        corrected = ", corrected" if family > 1 else ""
        interval = "" if is_missing(low) else f" (95 %{corrected}: {low:+.3f} to {high:+.3f})"
        least = (
            ""
            if is_missing(detectable)
            else f"<br>smallest detectable difference with these questions: {detectable:.3f}"
        )
        value = f"<b>{mean:+.3f}</b>{interval}<br>p = {p:.4f}{corrected}" if differing else f"<b>{SAME}</b>"
        hovers.append(
            f"{plain_text(name)}<br>{value}<br>"
            f"n = {n:,} pairs of answers to {questions:,} questions, {left_out:,} unscored for one or both{least}"
        )
    return hovers


def modes(measured: DataFrame, metric: str, published: DataFrame | None = None) -> Figure:
    """Modes by dataset and resources of the languages, as in Ranaldi et al. (2025, CrossRAG), Figure 2.

    `measured` has one row per `label` (a mode, with its scope where it is not its paper's), `dataset` and `group` (avg,
    hr or lr); `published` has the group as `language`. Where there are several datasets, a row is named by its own.
    """
    several = measured["dataset"].nunique() > 1
    frame = measured.assign(
        place=[_mode_index(label) for label in measured["label"]],
        group=measured["group"].map(GROUPS),
        label=measured["dataset"] + " · " + measured["label"] if several else measured["label"],
    ).sort_values(["dataset", "place", "label"], kind="stable")
    if published is not None:
        published = published[published["language"].isin(GROUPS)].sort_values("dataset", kind="stable")
        published = published.assign(
            label="published: " + published["dataset"] + " · " + published["mode"].map(partial(choice_name, "mode")),
            group=published["language"].map(GROUPS),
        )
    return interval_chart(
        frame.rename(columns={"mean": "value"}),
        f"Modes: {metric_name(metric)}",
        scored_counts(measured[measured["group"] == "avg"]),
        f"{metric_name(metric)} ({scale_of(metric)}), mean and 95 % interval",
        marks={name: MarkStyle(colour) for name, colour in zip(GROUPS.values(), COLOURS, strict=False)},
        published=published,
    )


def _mode_index(label: str) -> int:
    """The position of a mode, with or without a scope, among the modes."""
    mode = label.partition(", ")[0]
    return ORDER.index(mode) if mode in ORDER else len(ORDER)
