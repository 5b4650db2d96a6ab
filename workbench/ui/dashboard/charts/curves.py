"""Lines: retrieval by depth, one for each value that is compared, and the best quality for each cost."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from textwrap import wrap
from typing import TYPE_CHECKING, Literal

from workbench.metrics import Scale, metric_name, scale_of
from workbench.ui.parts.chart_style import (
    COLOURS,
    FITTING,
    colours_by_name,
    empty_figure,
    finish_figure,
    hover_texts,
    number_range,
    plain_text,
    published_name,
    published_points,
    scored_counts,
    whiskers,
)
from workbench.ui.parts.interval_chart import MarkStyle

if TYPE_CHECKING:
    from pandas import DataFrame, Series
    from plotly.graph_objects import Figure


SHIFT = 0.012
"""The distance between the points of two lines at one k, as a share of the axis."""
NAME_LINE, NAMES_WIDTH, APART = 20, 150, 0.055
"""Characters of a line of a name at a curve's end, pixels for the names, and the room of a line on the axis."""
NAMES = {"hit": "Hit@k", "recall": "Recall@k", "p": "P@k"}


def retrieval_curves(measured: DataFrame, family: str, published: DataFrame | None = None) -> Figure:
    """A measure over k, one line per series.

    `measured` and `published` rows have `at` for their k, `measured` one row per `series` and k; `family` is hit,
    recall or p.
    """
    from plotly.graph_objects import Figure, Scatter

    title = f"Retrieval: {NAMES[family]}"
    if not len(measured):
        names = f"{family}@1, {family}@5"
        return empty_figure(title, f"No run that matches these filters is scored by metrics such as {names}.")
    measured = merge_equal(measured)
    colours = colours_by_name(measured["series"])
    figure = Figure()
    step = SHIFT * (measured["at"].max() - measured["at"].min() or measured["at"].max())
    for index, (name, part) in enumerate(measured.sort_values("at").groupby("series", sort=False)):
        figure.add_trace(
            Scatter(
                # Side by side: a point does not hide another of the same height.
                x=[at + step * (index - (len(colours) - 1) / 2) for at in part["at"]],
                y=part["mean"].tolist(),
                mode="lines+markers",
                name=plain_text(name, 90),
                line={"color": colours[name], "width": 2.5},
                marker={"size": 9},
                error_y=whiskers(part, colours[name]),
                customdata=[[mark] for mark in part["mark"]],
                hovertext=hover_texts(part, (f"{name}, k = {k}" for k in part["at"])),
                hovertemplate="%{hovertext}<extra></extra>",
            )
        )
    citation, depths = "", {*measured["at"]}
    if published is not None and len(published):
        citation, depths = published_name(published), depths | {*published["at"]}
        for setting, part in published.sort_values("at").groupby("setting", sort=False):
            name = f"published: {plain_text(setting, 40)}"
            figure.add_trace(
                published_points(part["at"].tolist(), part["amount"].tolist(), part, name, "lines+markers")
            )
    figure.update_xaxes(title="k (number of passages)", tickvals=sorted(depths))
    figure.update_yaxes(title=f"{NAMES[family]} (0 to 1)", range=[0, 1.06])
    first = measured[measured["at"] == measured["at"].min()]
    each = f"n = {number_range(int(first['n'].min()), int(first['n'].max()))} answers with a gold passage in each line"
    last = measured.sort_values("at").groupby("series", sort=False)["mean"].last()
    finish_figure(figure, title, each, height=440, reference=citation, columns=FITTING)
    return name_lines(figure, last.to_dict(), colours)


def name_lines(figure: Figure, ends: Mapping[Hashable, float], colours: Mapping[Hashable, str]) -> Figure:
    """Each line's name where it ends, in its colour, in place of an entry in the legend; names keep apart."""
    room = 2.0
    for name, end in sorted(ends.items(), key=lambda item: -item[1]):
        lines = wrap(plain_text(name, 90), NAME_LINE)
        top = min(end + APART / 2, room)
        room = top - APART * len(lines)
        figure.add_annotation(
            text=f'<span style="color:{colours[name]}">{"<br>".join(lines)}</span>', x=1, xref="paper", xanchor="left",
            y=top, yanchor="top", align="left", showarrow=False, xshift=8, font={"size": 12},
        )  # fmt: skip
    for trace in figure.data:
        trace.showlegend = (trace.name or "").startswith("published")
    figure.layout.margin.r = NAMES_WIDTH
    return figure


def merge_equal(measured: DataFrame) -> DataFrame:
    """Series with the same value at every k as one, named by all of them: one line would hide the others.

    Modes that search alike retrieve alike. The line's marks open the instances of all its series.
    """
    from pandas import concat

    parts: dict[tuple[tuple[int, float, int], ...], list[DataFrame]] = {}
    for _, part in measured.sort_values("at").groupby("series", sort=False):
        values = zip(part["at"], part["mean"].round(9), part["n"], strict=True)
        parts.setdefault(tuple(values), []).append(part)
    merged = []
    for group in parts.values():
        marks = ["&".join(dict.fromkeys(marks)) for marks in zip(*(part["mark"] for part in group), strict=True)]
        names = ", ".join(str(part["series"].iloc[0]) for part in group)
        merged.append(group[0].assign(series=names, mark=marks))
    return concat(merged, ignore_index=True)


Cost = Literal["seconds", "tokens"]
TITLES: dict[Cost, str] = {"seconds": "seconds per answer", "tokens": "tokens per answer"}
LABEL_LINE, LABEL_LINES = 22, 4
"""Characters of a line of a name beside a point, and the most lines of one."""


def readable(costs: Series[float], cost: Cost) -> tuple[Series[float], str]:
    """Costs and their unit, which is milliseconds where each is less than a second."""
    if cost == "seconds" and costs.max() < 1:
        return costs * 1000.0, "ms per answer"
    return costs, TITLES[cost]


def frontier(
    measured: DataFrame, metric: str, cost: Cost = "seconds", marks: Mapping[Hashable, MarkStyle] | None = None
) -> Figure:
    """One point per run or recipe by cost and quality, and a line through those that no other beats at their cost.

    `measured` has one row for each with its `title`, `group` and costs per answer, `seconds` and `tokens`. `marks` says
    how groups are drawn.
    """
    from plotly.graph_objects import Figure, Scatter

    # The cost of an imported run is unknown: it has 0, which would make it the best at its cost.
    runs = measured[measured["mean"].notna() & (measured[cost] > 0)] if len(measured) else measured
    if not len(runs):
        return empty_figure(f"{metric_name(metric)} against {TITLES[cost]}", f"Nothing scored here reports its {cost}.")
    spent, unit = readable(runs[cost], cost)
    runs = runs.assign(**{cost: spent})
    figure = Figure()
    scale = scale_of(metric)
    best = undominated(runs, cost, scale)
    figure.add_trace(
        Scatter(
            x=best[cost].tolist(),
            y=best["mean"].tolist(),
            mode="lines",
            name="best for its cost",
            line={"color": COLOURS[5], "width": 1.5, "dash": "dash", "shape": "hv"},
            hoverinfo="skip",
        )
    )
    colours = colours_by_name(runs["group"])
    styles = marks or {group: MarkStyle(colour) for group, colour in colours.items()}
    # Those on the line are named: the others would cover each other.
    named = set(best["title"])
    for group, style in styles.items():
        part = runs[runs["group"] == group]
        if not len(part):
            continue
        figure.add_trace(
            Scatter(
                x=part[cost].tolist(),
                y=part["mean"].tolist(),
                mode="markers+text",
                name=plain_text(group),
                marker={"size": 11, "color": style.colour, "symbol": style.symbol},
                text=[_label(title) if title in named else "" for title in part["title"]],
                textposition="top center",
                textfont={"size": 12},
                cliponaxis=False,
                customdata=[[mark] for mark in part["mark"]] if "mark" in part else None,
                hovertext=[
                    f"{line}<br>{spent:,.3g} {unit}"
                    for line, spent in zip(hover_texts(part, part["title"]), part[cost], strict=True)
                ],
                hovertemplate="%{hovertext}<extra></extra>",
            )
        )
    figure.update_xaxes(title=unit)
    figure.update_yaxes(title=f"{metric_name(metric)} ({scale})")
    subtitle = f"{scored_counts(runs)} · dashed: no other one is better at its cost"
    return finish_figure(figure, f"{metric_name(metric)} against {unit}", subtitle, height=460, columns=FITTING)


def _label(title: str) -> str:
    lines = wrap(plain_text(title), LABEL_LINE)
    return "<br>".join(lines) if len(lines) <= LABEL_LINES else ""


def undominated(runs: DataFrame, cost: Cost, scale: Scale) -> DataFrame:
    """The runs that are better than every cheaper one, the cheapest first."""
    rated = runs.assign(good=[scale.goodness(mean) for mean in runs["mean"]])
    ordered = rated.sort_values([cost, "good"], ascending=[True, False])
    return ordered[ordered["good"] > ordered["good"].cummax().shift(fill_value=float("-inf"))]
