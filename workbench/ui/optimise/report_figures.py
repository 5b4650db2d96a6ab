"""A search's report as tidy frames: what its figures are drawn from, its tables show and its downloads hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from workbench.languages import is_known, language
from workbench.metrics import scale_of
from workbench.optimise import MeanFigure, NodeFigures, ReportedRecipe, SearchReport
from workbench.ui.parts.chart_style import (
    COLOURS,
    FITTING,
    GREY,
    add_row_names,
    empty_figure,
    finish_figure,
    is_missing,
    number_range,
    plain_text,
    whiskers,
)

if TYPE_CHECKING:
    from pandas import DataFrame, Series
    from plotly.graph_objects import Figure


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
                "language": _language_name(item.language),
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
            "language": _language_name(each.language),
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
            "language": _language_name(each.language),
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


LABEL = 48
"""Characters of a row's name."""
UNMEASURED = "Nothing was measured at this node."
Cost = Literal["seconds", "tokens"]
COSTS: dict[Cost, str] = {"seconds": "seconds per answer", "tokens": "tokens per answer"}


def node_chart(frame: DataFrame, title: str, metric: str) -> Figure:
    """A row per variant of a node: its mean by one metric with the 95 % interval, filled where it was taken."""
    from plotly.graph_objects import Figure, Scatter

    rows = frame[frame["mean"].notna()] if len(frame) else frame
    if not len(rows):
        return empty_figure(f"{plain_text(title)}: {metric}", UNMEASURED)
    names = _distinct([plain_text(name, LABEL) for name in rows["variant"]])
    figure = Figure()
    for taken, words, symbol in ((True, "taken", "circle"), (False, "not taken", "circle-open")):
        part = rows[rows["taken"] == taken]
        if not len(part):
            continue
        figure.add_trace(
            Scatter(
                x=part["mean"].tolist(),
                y=[name for name, is_taken in zip(names, rows["taken"], strict=True) if is_taken == taken],
                mode="markers",
                name=words,
                marker={"size": 11, "color": COLOURS[0], "symbol": symbol, "line": {"width": 2, "color": COLOURS[0]}},
                error_x=whiskers(part),
                hovertext=_hover(part, part["variant"].tolist()),
                hovertemplate="%{hovertext}<extra></extra>",
            )
        )
    height = add_row_names(figure, names, [*rows["mean"], *rows["high"].dropna()])
    figure.update_xaxes(title=f"{metric} ({scale_of(metric)}), mean and 95 % interval")
    counts = number_range(int(rows["n"].min()), int(rows["n"].max()))
    subtitle = f"n = {counts} questions of the search; {number_range(*_bounds(rows['recipes']))} recipes per variant"
    return finish_figure(
        figure, f"{plain_text(title)}: {metric}", subtitle, height=max(130 + height, 240), columns=FITTING
    )


def importance_chart(frame: DataFrame, language: str) -> Figure:
    """A row per node: the share of the variance between recipes that it explains, with its 95 % interval."""
    from plotly.graph_objects import Figure, Scatter

    title = f"What the choices matter: {plain_text(language)}"
    rows = frame[frame["share"].notna()] if len(frame) else frame
    if not len(rows):
        return empty_figure(title, "Too few recipes or questions, or no two recipes differ.")
    shares = rows.assign(mean=rows["share"])
    figure = Figure(
        Scatter(
            x=rows["share"].tolist(),
            y=[plain_text(name, LABEL) for name in rows["node"]],
            mode="markers",
            showlegend=False,
            marker={"size": 11, "color": COLOURS[0]},
            error_x=whiskers(shares),
            hovertext=[
                f"{plain_text(name)}<br><b>{share:.0%}</b>"
                f"{'' if is_missing(low) else f' (95 %: {low:.0%} to {high:.0%})'}"
                for name, share, low, high in zip(*(rows[key] for key in ("node", "share", "low", "high")), strict=True)
            ],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    )
    height = add_row_names(figure, [plain_text(name, LABEL) for name in rows["node"]], [1.0])
    figure.update_xaxes(title="share of the variance between recipes, 95 % interval", tickformat=".0%")
    subtitle = f"{int(rows['recipes'].iloc[0]):,} recipes, n = {int(rows['groups'].iloc[0]):,} groups of questions"
    return finish_figure(figure, title, subtitle, height=max(150 + height, 240), columns=FITTING)


def cost_chart(frame: DataFrame, metric: str, cost: Cost) -> Figure:
    """One point per recipe by cost and quality; filled are those that no other beats at quality, tokens and time."""
    from plotly.graph_objects import Figure, Scatter

    column = unit = COSTS[cost]
    title = f"{metric} against {unit}"
    rows = frame[frame["search"].notna() & frame[column].notna()] if len(frame) else frame
    if not len(rows):
        return empty_figure(title, f"No recipe reports its {cost}.")
    factor = 1.0
    if cost == "seconds" and rows[column].max() < 1:
        factor, unit = 1000.0, "ms per answer"
    figure = Figure()
    groups = (
        ("on the front", COLOURS[0], "circle", rows["on the front"]),
        ("not told apart from the best", COLOURS[1], "diamond", ~rows["on the front"] & (_may_be_best(rows))),
        ("beaten", GREY, "circle-open", ~rows["on the front"] & ~_may_be_best(rows)),
    )
    for name, colour, symbol, mask in groups:
        part = rows[mask]
        if not len(part):
            continue
        hover = [
            f"{plain_text(recipe)}<br><b>{mean:.3f}</b> {plain_text(metric)}<br>{_cost_words(seconds, tokens)}<br>"
            f"{words}"
            for recipe, mean, seconds, tokens, words in zip(
                *(part[key] for key in ("recipe", "search", "seconds per answer", "tokens per answer", "standing")),
                strict=True,
            )
        ]
        figure.add_trace(
            Scatter(
                x=(part[column] * factor).tolist(),
                y=part["search"].tolist(),
                mode="markers",
                name=name,
                marker={"size": 11, "color": colour, "symbol": symbol, "line": {"width": 1.5, "color": colour}},
                hovertext=hover,
                hovertemplate="%{hovertext}<extra></extra>",
            )
        )
    figure.update_xaxes(title=unit, rangemode="tozero")
    figure.update_yaxes(title=f"{metric} ({scale_of(metric)})")
    counts = number_range(*_bounds(rows["search, n"]))
    subtitle = f"{len(rows):,} recipes, n = {counts} questions of the search; front over quality, tokens and time"
    return finish_figure(figure, f"{metric} against {unit}", subtitle, height=460, columns=FITTING)


def _may_be_best(rows: DataFrame) -> Series[bool]:
    return ~rows["standing"].isin(["told apart", "not compared"])


def _cost_words(seconds: float, tokens: float) -> str:
    parts = [] if is_missing(seconds) else [f"{seconds * 1000:,.3g} ms"]
    parts += [] if is_missing(tokens) else [f"{tokens:,.0f} tokens"]
    return ", ".join(parts) or "cost unknown"


def _hover(frame: DataFrame, names: list[str]) -> list[str]:
    columns = (frame[key].tolist() for key in ("mean", "low", "high", "n", "why not eligible"))
    return [
        f"{plain_text(name)}<br><b>{mean:.3f}</b>"
        f"{'' if is_missing(low) else f' (95 %: {low:.3f} to {high:.3f})'}<br>n = {n:,}"
        f"{'<br>' + plain_text(why) if why else ''}"
        for name, mean, low, high, n, why in zip(names, *columns, strict=True)
    ]


def _distinct(names: list[str]) -> list[str]:
    return [name if names.count(name) == 1 else f"{name} · {place}" for place, name in enumerate(names, start=1)]


def _bounds(values: Series[Any]) -> tuple[int, int]:
    return int(values.min()), int(values.max())


def _language_name(code: str) -> str:
    if not code:
        return "All languages"
    return f"{language(code).name} ({code})" if is_known(code) else code
