"""The charts of a search: variants of a node, importances, and quality against cost; each from a tidy frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from workbench.metrics import scale_of
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
