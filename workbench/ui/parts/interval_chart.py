"""A chart of values with their 95 % intervals: one row per label, its name above its marks, one colour per group.

Published figures are drawn as hollow grey marks, in the row of their label or in a row of their own below.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from workbench.ui.parts.chart_style import (
    COLOURS,
    FITTING,
    NOTHING_SCORED,
    ON_BARS,
    empty_figure,
    finish_figure,
    hover_texts,
    is_missing,
    plain_text,
    published_name,
    published_points,
    whiskers,
)

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

LABEL = 100
"""Characters of a row's name."""
ROW, LEVEL = 44, 16
"""Pixels of a row with one line of marks, and of each further line: groups of one label are below each other."""
ABOVE, BELOW = 30, 15
"""Pixels from a row's first line of marks to the row's upper end, and from its last line to its lower end."""
SYMBOLS = ("circle", "diamond", "square", "triangle-up")
PUBLISHED_SYMBOLS = ("diamond", "square", "triangle-up")
"""Of published groups, each hollow."""
NOTHING_STATED = "Nothing can be stated yet: the table says why."


class MarkStyle(NamedTuple):
    """How the marks of a group are drawn: a colour, and a Plotly symbol."""

    colour: str
    symbol: str = "circle"


def interval_chart(
    frame: DataFrame,
    title: str,
    subtitle: str,
    axis: str,
    *,
    marks: Mapping[str, MarkStyle] | None = None,
    published: DataFrame | None = None,
    reference: float | None = None,
    number: str = ".3f",
    empty: str = NOTHING_SCORED,
) -> Figure:
    """A mark with its interval per row of `frame`; labels are in the order in which they first occur.

    `frame` has `label` (plain text, escaped here), `value`, `low` and `high` (empty where there is none), `n`, and
    where they apply: `group`, which has a colour and an entry in the legend; `unscored`, stated with n; `hover`, an
    escaped text in place of the usual one; `mark`, the URL query that a click opens. Groups of one label share its row;
    a label that occurs twice in a group has two rows.

    `title` and `subtitle`, which states n, are escaped by the caller. `marks` says how groups are drawn, and their
    order. `published` has the columns of published figures and `label`, and `group` where a label has several.
    `reference` draws a vertical line, such as what chance gives. `number` is the format of values. `empty` says why
    there is nothing, for a frame without rows.
    """
    from plotly.graph_objects import Figure, Scatter

    if not len(frame):
        return empty_figure(title, empty)
    grouped = frame.assign(group=frame.get("group", "your results"))
    positions = _positions(grouped["label"].tolist(), grouped["group"].tolist())
    rows, names = dict.fromkeys(positions), [str(label) for label, _ in dict.fromkeys(positions)]
    order = [name for name in marks or () if name in set(grouped["group"])] or list(dict.fromkeys(grouped["group"]))
    lines = max(Counter(positions).values())
    height = ROW + LEVEL * (lines - 1)
    places = {row: index for index, row in enumerate(rows)}
    figure = Figure()
    for level, group in enumerate(order):
        selected = (grouped["group"] == group).to_numpy()
        part = grouped[selected].rename(columns={"value": "mean"})
        style = (marks or {}).get(group) or MarkStyle(COLOURS[level % len(COLOURS)], SYMBOLS[level % len(SYMBOLS)])
        shift = level * LEVEL / height if lines > 1 else 0.0
        figure.add_trace(
            Scatter(
                x=part["mean"].tolist(),
                y=[places[row] + shift for row, here in zip(positions, selected, strict=True) if here],
                mode="markers",
                name=plain_text(group),
                marker={
                    "size": 11,
                    "color": style.colour,
                    "symbol": style.symbol,
                    "line": {"width": 2, "color": style.colour},
                },
                error_x=whiskers(part, style.colour),
                customdata=[[mark] for mark in part["mark"]] if "mark" in part else None,
                hovertext=_hovers(part, number, named=lines > 1),
                hovertemplate="%{hovertext}<extra></extra>",
            )
        )
    values = [*grouped["value"], *grouped["low"], *grouped["high"], *([] if reference is None else [reference])]
    citation = ""
    if published is not None and len(published):
        citation = published_name(published)
        values += [*published["amount"]]
        names += [name for name in dict.fromkeys(published["label"]) if name not in names]
        _add_published(figure, published, names, citation, LEVEL / height)
    _add_row_names(figure, [plain_text(name, LABEL) for name in names], values, height, lines)
    if reference is not None:
        figure.add_vline(x=reference, line={"color": ON_BARS, "width": 1.5, "dash": "dot"})
    # The names are a trace too: a legend of a single group would say nothing.
    figure.update_layout(showlegend=len(figure.data) > 2)
    figure.update_xaxes(title=axis, tickformat=".0%" if number.endswith("%") else None)
    return finish_figure(
        figure,
        title,
        subtitle,
        height=max(140 + height * len(names), 240),
        reference=citation,
        columns=FITTING,
    )


def long_rows(frame: DataFrame, series: Mapping[str, str]) -> DataFrame:
    """Rows for `interval_chart` from a frame with a value of each series side by side; those without any are left out.

    `frame` has `name`, `n`, and for each series, whose group is called as its value says, `<series>`, `<series>_low`
    and `<series>_high`.
    """
    from pandas import concat

    some = frame[frame[list(series)].notna().any(axis=1)] if len(frame) else frame
    parts = []
    for key, group in series.items():
        columns = {"name": "label", key: "value", f"{key}_low": "low", f"{key}_high": "high", "n": "n"}
        part = some.rename(columns=columns)[list(columns.values())]
        parts.append(part.astype({"value": float, "low": float, "high": float}).assign(group=group))
    return concat(parts, ignore_index=True)


def _positions(labels: Sequence[str], groups: Sequence[str]) -> list[tuple[str, int]]:
    """The row of each record: its label, and how often the label came before in the same group."""
    seen: Counter[tuple[str, str]] = Counter()
    positions = []
    for pair in zip(labels, groups, strict=True):
        positions.append((pair[0], seen[pair]))
        seen[pair] += 1
    return positions


def _hovers(part: DataFrame, number: str, *, named: bool) -> list[str]:
    if "hover" in part:
        return part["hover"].tolist()
    names = [f"{label}, {group}" if named else label for label, group in zip(part["label"], part["group"], strict=True)]
    return hover_texts(part, names, number)


def _add_published(figure: Figure, published: DataFrame, names: list[str], citation: str, step: float) -> None:
    groups = published.get("group", published["label"].map(lambda _: ""))
    for level, group in enumerate(dict.fromkeys(groups)):
        part = published[groups == group]
        places = [names.index(label) + step * level for label in part["label"]]
        name = f"published: {group}" if group else citation
        points = published_points(part["amount"].tolist(), places, part, name)
        figure.add_trace(points.update(marker_symbol=f"{PUBLISHED_SYMBOLS[level % len(PUBLISHED_SYMBOLS)]}-open"))


def _add_row_names(figure: Figure, names: Sequence[str], values: Sequence[float], height: int, lines: int) -> None:
    """Writes each row's name just above its marks, so that long names take no room next to them.

    A line between two rows shows which marks a name belongs to. The axis includes 0 and all `values`.
    """
    from plotly.graph_objects import Scatter

    known = [0.0, *(value for value in values if not is_missing(value))]
    margin = 0.03 * (max(known) - min(known) or 1.0)
    start, last = min(known) - margin, len(names) - 1 + (lines - 1) * LEVEL / height
    figure.add_trace(
        Scatter(
            x=[start] * len(names),
            y=list(range(len(names))),
            # The invisible marker keeps the text off the line.
            mode="markers+text",
            text=names,
            textposition="top right",
            textfont={"size": 12},
            marker={"size": 12, "opacity": 0},
            hoverinfo="skip",
            showlegend=False,
            selected={"marker": {"opacity": 0}},
            unselected={"marker": {"opacity": 0}},
        )
    )
    figure.update_xaxes(range=[start, max(known) + margin])
    figure.update_yaxes(
        range=[last + BELOW / height, -ABOVE / height], showticklabels=False, showgrid=False, zeroline=False
    )
    for index in range(len(names) - 1):
        y = index + ((lines - 1) * LEVEL + BELOW) / height
        figure.add_shape(type="line", xref="paper", x0=0, x1=1, y0=y, y1=y, line={"color": ON_BARS, "width": 0.5})
