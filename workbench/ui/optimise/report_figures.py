"""A search's report as tidy frames, for its tables and downloads, and the charts that are drawn from them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from workbench.languages import is_known, language
from workbench.metrics import metric_name, scale_of
from workbench.optimise import NO_SHARE, MeanFigure, NodeFigures, ReportedRecipe, SearchReport
from workbench.ui.dashboard.charts.curves import TITLES, Cost, frontier
from workbench.ui.parts.chart_style import (
    COLOURS,
    GREY,
    empty_figure,
    hover_texts,
    number_range,
    plain_text,
)
from workbench.ui.parts.interval_chart import MarkStyle, interval_chart

if TYPE_CHECKING:
    from pandas import DataFrame, Series
    from plotly.graph_objects import Figure

    from workbench.metrics import Interval

VARIANTS = {"taken": MarkStyle(COLOURS[0]), "not taken": MarkStyle(COLOURS[0], "circle-open")}
ON_FRONT, NOT_TOLD_APART, BEATEN = "on the front", "not told apart from the best", "beaten"
RECIPES: Mapping[Hashable, MarkStyle] = {
    ON_FRONT: MarkStyle(COLOURS[0]),
    NOT_TOLD_APART: MarkStyle(COLOURS[1], "diamond"),
    BEATEN: MarkStyle(GREY, "circle-open"),
}


def recipes_frame(recipes: Iterable[ReportedRecipe]) -> DataFrame:
    """One row per recipe, with its quality on both halves of the questions, and seconds and tokens of an answer."""
    return _frame(
        {
            "recipe": recipe.choices,
            "standing": standing(recipe),
            **_figure("search", recipe.searched),
            **_figure("held-out", recipe.holdout),
            "seconds per answer": recipe.seconds,
            "tokens per answer": recipe.tokens,
            "failed answers": recipe.errors,
            "on the front": recipe.on_front,
            "fingerprint": recipe.recipe.fingerprint,
        }
        for recipe in recipes
    )


def languages_frame(report: SearchReport) -> DataFrame:
    """One row per language: its best recipe on both halves, beside the best one for all languages."""
    result = report.languages
    rows: list[dict[str, Any]] = []
    for item in result.languages if result else ():
        searched, holdout = report.figure_in(item.language, item.winner)
        _, single = report.figure_in(item.language, result.single if result else 0)
        rows.append(
            {
                "language": _language_name(item.language),
                "best recipe in it": report.choices_of(report.figures.recipes[item.winner]),
                **_figure("search", searched),
                **_figure("held-out", holdout),
                "held-out, best for all languages": single.mean,
                "gain of its own recipe": item.gain,
                **_bounds(item.interval, "gain, "),
                "p (corrected)": item.p,
                "held-out groups": item.groups,
            }
        )
    return _frame(rows)


def node_frame(node: NodeFigures, metric: str = "") -> DataFrame:
    """One row per variant of a node and metric, of one metric where it is named."""
    return _frame(
        {
            "variant": mark.label,
            "choices": mark.choices,
            "measured by": mark.metric,
            "mean": mark.figure.mean,
            "low": mark.figure.low,
            "high": mark.figure.high,
            "n": mark.figure.n,
            "recipes": mark.recipes,
            "taken": mark.is_taken,
            "why not eligible": mark.excluded,
        }
        for mark in node.marks
        if metric in ("", mark.metric)
    )


def importance_frame(report: SearchReport) -> DataFrame:
    """One row per language ("" for all) and node: the share of the variance between recipes that it explains."""
    return _frame(
        {
            **_place(each.language, field.field),
            "share": field.share,
            **_bounds(field.interval),
            "best minus worst": field.spread,
            "recipes": each.recipes,
            "groups": each.groups,
            "reason": "" if field.share is not None else NO_SHARE[field.separable],
        }
        for each in report.importances
        for field in each.fields
    )


def effects_frame(report: SearchReport) -> DataFrame:
    """One row per language ("" for all), node and variant: by how much it raises the mean over that of all recipes."""
    return _frame(
        {
            **_place(each.language, field.field),
            "variant": value.value,
            "effect": value.effect,
            **_bounds(value.interval),
            "recipes": value.recipes,
        }
        for each in report.importances
        for field in each.fields
        for value in sorted(field.values, key=lambda value: -value.effect)
    )


def _frame(rows: Iterable[Mapping[str, Any]]) -> DataFrame:
    """Rows as a frame in which a value that is missing is NaN, also where all of a column's are."""
    from pandas import DataFrame

    frame = DataFrame(list(rows))
    return frame.astype({name: float for name in ("mean", "share", "low", "high") if name in frame})


def _place(code: str, node: str) -> dict[str, str]:
    return {"code": code, "language": _language_name(code), "node": node}


def standing(reported: ReportedRecipe) -> str:
    """What is known of a recipe among the others, in a few words."""
    if reported.is_recommended:
        return "recommended, the cheapest not told apart" if reported.is_cheapest else "recommended"
    if reported.is_best:
        return "what the search took"
    if reported.is_cheapest:
        return "the cheapest not told apart"
    if reported.may_be_best:
        return "not told apart from the best"
    return "told apart" if reported.is_compared else "not compared"


def _bounds(interval: Interval | None, start: str = "") -> dict[str, float | None]:
    low, high = (interval.low, interval.high) if interval else (None, None)
    return {f"{start}low": low, f"{start}high": high}


def _figure(side: str, figure: MeanFigure) -> dict[str, Any]:
    return {side: figure.mean, f"{side}, low": figure.low, f"{side}, high": figure.high, f"{side}, n": figure.n}


def node_chart(frame: DataFrame, title: str, metric: str) -> Figure:
    """A row per variant of a node: its mean by one metric with the 95 % interval, filled where it was taken."""
    rows = frame[frame["mean"].notna()] if len(frame) else frame
    title, axis = f"{plain_text(title)}: {metric_name(metric)}", f"{metric_name(metric)} ({scale_of(metric)})"
    if not len(rows):
        return empty_figure(title, "Nothing was measured at this node.")
    hover = [
        f"{text}<br>{plain_text(why)}" if why else text
        for text, why in zip(hover_texts(rows, rows["variant"].tolist()), rows["why not eligible"], strict=True)
    ]
    groups = ["taken" if taken else "not taken" for taken in rows["taken"]]
    marks = rows.rename(columns={"variant": "label", "mean": "value"}).assign(group=groups, hover=hover)
    return interval_chart(
        marks,
        title,
        f"n = {_range(rows['n'])} questions of the search; {_range(rows['recipes'])} recipes per variant",
        f"{axis}, mean and 95 % interval",
        marks=VARIANTS,
    )


def importance_chart(frame: DataFrame, language: str) -> Figure:
    """A row per node: the share of the variance between recipes that it explains, with its 95 % interval."""
    rows = frame[frame["share"].notna()] if len(frame) else frame
    title = f"How much each choice matters: {plain_text(language)}"
    if not len(rows):
        return empty_figure(title, "Too few recipes or questions, or no two recipes differ.")
    return interval_chart(
        rows.rename(columns={"node": "label", "share": "value", "groups": "n"}),
        title,
        f"{int(rows['recipes'].iloc[0]):,} recipes, n = {int(rows['groups'].iloc[0]):,} groups of questions",
        "share of the variance between recipes, 95 % interval",
        number=".0%",
    )


def cost_chart(frame: DataFrame, metric: str, cost: Cost) -> Figure:
    """One point per recipe by cost and quality; filled are those that no other beats at quality, tokens and time."""
    if not len(frame):
        return frontier(frame, metric, cost)
    kind = frame["standing"].isin(["told apart", "not compared"]).map({True: BEATEN, False: NOT_TOLD_APART})
    names = {"recipe": "title", "search": "mean"} | {f"search, {name}": name for name in ("low", "high", "n")}
    points = frame.rename(columns={**names, **{title: name for name, title in TITLES.items()}})
    return frontier(points.assign(group=kind.mask(frame["on the front"], ON_FRONT)), metric, cost, RECIPES)


def _range(values: Series[Any]) -> str:
    return number_range(int(values.min()), int(values.max()))


def _language_name(code: str) -> str:
    if not code:
        return "All languages"
    return f"{language(code).name} ({code})" if is_known(code) else code
