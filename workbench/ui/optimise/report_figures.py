"""A search's report as tidy frames, for its tables and downloads, and the charts that are drawn from them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from workbench.languages import is_known, language
from workbench.metrics import metric_name, scale_of
from workbench.optimise import NO_SHARE, MeanFigure, NodeFigures, ReportedRecipe, SearchReport
from workbench.ui.parts.chart_style import (
    COLOURS,
    FITTING,
    GREY,
    empty_figure,
    finish_figure,
    hover_texts,
    is_missing,
    number_range,
    plain_text,
)
from workbench.ui.parts.interval_chart import MarkStyle, interval_chart

if TYPE_CHECKING:
    from pandas import DataFrame, Series
    from plotly.graph_objects import Figure

    from workbench.metrics import Interval

Cost = Literal["seconds", "tokens"]
COSTS: Mapping[Cost, str] = {"seconds": "seconds per answer", "tokens": "tokens per answer"}
VARIANTS = {"taken": MarkStyle(COLOURS[0]), "not taken": MarkStyle(COLOURS[0], "circle-open")}
ON_FRONT, NOT_TOLD_APART, BEATEN = "on the front", "not told apart from the best", "beaten"
RECIPES = {
    ON_FRONT: MarkStyle(COLOURS[0]),
    NOT_TOLD_APART: MarkStyle(COLOURS[1], "diamond"),
    BEATEN: MarkStyle(GREY, "circle-open"),
}


def recipes_frame(recipes: Iterable[ReportedRecipe]) -> DataFrame:
    """One row per recipe, with its quality on both halves of the questions, and seconds and tokens of an answer."""
    from pandas import DataFrame

    return DataFrame(
        [
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
        ]
    )


def languages_frame(report: SearchReport) -> DataFrame:
    """One row per language: its best recipe on both halves, beside the best one for all languages."""
    from pandas import DataFrame

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
    return DataFrame(rows)


def node_frame(node: NodeFigures, metric: str = "") -> DataFrame:
    """One row per variant of a node and metric, of one metric where it is named."""
    from pandas import DataFrame

    rows = [
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
    ]
    return DataFrame(rows).astype({"mean": float, "low": float, "high": float}) if rows else DataFrame(rows)


def importance_frame(report: SearchReport) -> DataFrame:
    """One row per language ("" for all) and node: the share of the variance between recipes that it explains."""
    from pandas import DataFrame

    rows = [
        {
            "code": each.language,
            "language": _language_name(each.language),
            "node": field.field,
            "share": field.share,
            **_bounds(field.interval),
            "best minus worst": field.spread,
            "recipes": each.recipes,
            "groups": each.groups,
            "reason": "" if field.share is not None else NO_SHARE[field.separable],
        }
        for each in report.importances
        for field in each.fields
    ]
    return DataFrame(rows).astype({"share": float, "low": float, "high": float}) if rows else DataFrame(rows)


def effects_frame(report: SearchReport) -> DataFrame:
    """One row per language ("" for all), node and variant: by how much it raises the mean over that of all recipes."""
    from pandas import DataFrame

    rows = [
        {
            "code": each.language,
            "language": _language_name(each.language),
            "node": field.field,
            "variant": value.value,
            "effect": value.effect,
            **_bounds(value.interval),
            "recipes": value.recipes,
        }
        for each in report.importances
        for field in each.fields
        for value in sorted(field.values, key=lambda value: -value.effect)
    ]
    return DataFrame(rows)


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
    from plotly.express import scatter

    column = unit = COSTS[cost]
    name = metric_name(metric)
    title = f"{name} against {unit}"
    rows = frame[frame["search"].notna() & frame[column].notna()] if len(frame) else frame
    if not len(rows):
        return empty_figure(title, f"No recipe reports its {cost}.")
    x = rows[column]
    if cost == "seconds" and x.max() < 1:
        x, unit = x * 1000.0, "ms per answer"
    kind = rows["standing"].isin(["told apart", "not compared"]).map({True: BEATEN, False: NOT_TOLD_APART})
    kind = kind.mask(rows["on the front"], ON_FRONT)
    hover = [_recipe_hover(row, name) for row in rows.to_dict("records")]
    figure = scatter(
        rows.assign(x=x, kind=kind, hover=hover),
        x="x",
        y="search",
        color="kind",
        symbol="kind",
        category_orders={"kind": list(RECIPES)},
        color_discrete_map={name: mark.colour for name, mark in RECIPES.items()},
        symbol_map={name: mark.symbol for name, mark in RECIPES.items()},
        custom_data=["hover"],
    )
    figure.update_traces(marker={"size": 11, "line_width": 1.5}, hovertemplate="%{customdata[0]}<extra></extra>")
    figure.for_each_trace(lambda trace: trace.update(marker_line_color=trace.marker.color))
    figure.update_xaxes(title=unit, rangemode="tozero")
    scale = scale_of(metric)
    margin = (scale.high - scale.low) / 30
    limits = {"clipmin": scale.low - margin, "clipmax": scale.high + margin}
    figure.update_yaxes(title=f"{name} ({scale})", autorangeoptions=limits)
    subtitle = (
        f"{len(rows):,} recipes, n = {_range(rows['search, n'])} questions of the search; front over quality, tokens "
        "and time"
    )
    return finish_figure(figure, f"{name} against {unit}", subtitle, height=460, columns=FITTING)


def _recipe_hover(row: Mapping[Hashable, Any], metric: str) -> str:
    seconds, tokens = row["seconds per answer"], row["tokens per answer"]
    costs = [] if is_missing(seconds) else [f"{seconds * 1000:,.3g} ms"]
    costs += [] if is_missing(tokens) else [f"{tokens:,.0f} tokens"]
    return (
        f"{plain_text(row['recipe'])}<br><b>{row['search']:.3f}</b> {plain_text(metric)}<br>"
        f"{', '.join(costs) or 'cost unknown'}<br>{row['standing']}"
    )


def _range(values: Series[Any]) -> str:
    return number_range(int(values.min()), int(values.max()))


def _language_name(code: str) -> str:
    if not code:
        return "All languages"
    return f"{language(code).name} ({code})" if is_known(code) else code
