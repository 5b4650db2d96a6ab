"""A search's report as tidy frames: what its figures are drawn from, its tables show and its downloads hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.optimise import MeanFigure, NodeFigures, ReportedRecipe, SearchReport, name_of

if TYPE_CHECKING:
    from pandas import DataFrame


def recipes_frame(report: SearchReport) -> DataFrame:
    """One row per recipe, the best first."""
    from pandas import DataFrame

    return DataFrame([_recipe(item) for item in report.recipes])


def members_frame(report: SearchReport) -> DataFrame:
    """The recipes that are not told apart from the best, the best first."""
    from pandas import DataFrame

    return DataFrame([_recipe(item) for item in report.recipes if item.may_be_best])


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
                "language": name_of(item.language),
                "best recipe in it": report.choices_of(report.figures.recipes[item.winner]),
                **_figure("search", searched),
                **_figure("held-out", holdout),
                "held-out, best for all languages": single.mean,
                "gain of its own recipe": item.gain,
                "gain, low": item.interval.low if item.interval else None,
                "gain, high": item.interval.high if item.interval else None,
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
            "variant": item.label,
            "choices": item.choices,
            "measured by": item.metric,
            "mean": item.figure.mean,
            "low": item.figure.low,
            "high": item.figure.high,
            "n": item.figure.n,
            "recipes": item.recipes,
            "taken": item.is_taken,
            "why not eligible": item.excluded,
        }
        for item in node.marks
        if metric in ("", item.metric)
    ]
    return DataFrame(rows).astype({"mean": float, "low": float, "high": float}) if rows else DataFrame(rows)


def importance_frame(report: SearchReport) -> DataFrame:
    """One row per language ("" for all) and node: the share of the variance between recipes that it explains."""
    from pandas import DataFrame

    rows = [
        {
            "code": each.language,
            "language": name_of(each.language),
            "node": item.field,
            "share": item.share,
            "low": item.interval.low if item.interval else None,
            "high": item.interval.high if item.interval else None,
            "best minus worst": item.spread,
            "recipes": each.recipes,
            "groups": each.groups,
            "why none": "" if item.share is not None else NO_SHARE[item.separable],
        }
        for each in report.importances
        for item in each.fields
    ]
    return DataFrame(rows).astype({"share": float, "low": float, "high": float}) if rows else DataFrame(rows)


NO_SHARE = {True: "no two recipes differ", False: "its values came only together with those of others"}


def effects_frame(report: SearchReport) -> DataFrame:
    """One row per language ("" for all), node and variant: by how much it raises the mean over that of all recipes."""
    from pandas import DataFrame

    rows = [
        {
            "code": each.language,
            "language": name_of(each.language),
            "node": item.field,
            "variant": value.value,
            "effect": value.effect,
            "low": value.interval.low if value.interval else None,
            "high": value.interval.high if value.interval else None,
            "recipes": value.recipes,
        }
        for each in report.importances
        for item in each.fields
        for value in sorted(item.values, key=lambda value: -value.effect)
    ]
    return DataFrame(rows)


def costs_frame(report: SearchReport) -> DataFrame:
    """One row per compared recipe with quality, seconds and tokens of an answer, the best first."""
    from pandas import DataFrame

    rows = [_recipe(item) for item in report.recipes if item.is_compared]
    return DataFrame(rows)


def _recipe(item: ReportedRecipe) -> dict[str, Any]:
    return {
        "recipe": item.choices,
        "standing": standing(item),
        **_figure("search", item.searched),
        **_figure("held-out", item.holdout),
        "seconds per answer": item.seconds,
        "tokens per answer": item.tokens,
        "failed answers": item.errors,
        "on the front": item.on_front,
        "fingerprint": item.recipe.fingerprint,
    }


def standing(item: ReportedRecipe) -> str:
    """What is known of a recipe among the others, in a few words."""
    if item.is_best:
        return "best, and the cheapest not told apart" if item.is_cheapest else "best"
    if item.is_cheapest:
        return "the cheapest not told apart"
    if item.may_be_best:
        return "not told apart from the best"
    return "told apart" if item.is_compared else "not compared"


def _figure(side: str, figure: MeanFigure) -> dict[str, Any]:
    return {side: figure.mean, f"{side}, low": figure.low, f"{side}, high": figure.high, f"{side}, n": figure.n}
