"""Lines: retrieval by depth, one for each value that is compared, and the best quality for each cost."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from textwrap import wrap
from typing import TYPE_CHECKING, Literal

from workbench.experiments import choice_name
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

if TYPE_CHECKING:
    from pandas import DataFrame
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
TITLES: dict[Cost, str] = {"seconds": "seconds per question", "tokens": "tokens per question"}
MILLISECONDS = "ms per question"
LABELLED, LABEL_LINE = 12, 22
"""Runs up to which each point has its name beside it, and characters of a line of a name."""


def frontier(measured: DataFrame, metric: str, cost: Cost = "seconds") -> Figure:
    """One point per run by cost and quality, in milliseconds where all runs take less than a second per question.

    `measured` has one row per run with its `title`, `mode` and costs per question: `seconds` and `tokens`.
    """
    from plotly.graph_objects import Figure, Scatter

    # The cost of an imported run is unknown: it has 0, which would make it the best at its cost.
    runs = measured[measured["mean"].notna() & (measured[cost] > 0)] if len(measured) else measured
    unit = TITLES[cost]
    if cost == "seconds" and len(runs) and runs[cost].max() < 1:
        runs, unit = runs.assign(seconds=runs["seconds"] * 1000), MILLISECONDS
    title = f"{metric_name(metric)} against {unit}"
    if not len(runs):
        return empty_figure(title, f"No scored run that matches these filters reports its {cost}.")
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
    colours = colours_by_name(runs["mode"])
    # Of many runs those on the line are named: the others would cover each other.
    named = set(runs["run"] if len(runs) <= LABELLED else best["run"])
    for mode, part in runs.groupby("mode", sort=False):
        figure.add_trace(
            Scatter(
                x=part[cost].tolist(),
                y=part["mean"].tolist(),
                mode="markers+text",
                name=plain_text(choice_name("mode", str(mode))),
                marker={"size": 11, "color": colours[mode]},
                text=[_label(title, run in named) for title, run in zip(part["title"], part["run"], strict=True)],
                textposition="top center",
                textfont={"size": 12},
                cliponaxis=False,
                customdata=[[mark] for mark in part["mark"]],
                hovertext=[
                    f"{line}<br>{spent:,.3g} {unit}"
                    for line, spent in zip(hover_texts(part, part["title"]), part[cost], strict=True)
                ],
                hovertemplate="%{hovertext}<extra></extra>",
            )
        )
    figure.update_xaxes(title=unit, rangemode="tozero")
    figure.update_yaxes(title=f"{metric_name(metric)} ({scale})")
    figure.update_layout(showlegend=False)
    subtitle = f"{scored_counts(runs)} · dashed: no other run is better at its cost"
    return finish_figure(figure, title, subtitle, height=460, columns=FITTING)


def _label(title: str, shown: bool) -> str:
    return "<br>".join(wrap(plain_text(title), LABEL_LINE)) if shown else ""


def undominated(runs: DataFrame, cost: Cost, scale: Scale) -> DataFrame:
    """The runs that are better than every cheaper one, the cheapest first."""
    rated = runs.assign(good=[scale.goodness(mean) for mean in runs["mean"]])
    ordered = rated.sort_values([cost, "good"], ascending=[True, False])
    return ordered[ordered["good"] > ordered["good"].cummax().shift(fill_value=float("-inf"))]
