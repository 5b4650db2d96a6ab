"""What all charts share: colours that read in both themes, texts as plain text, and a title that states n.

Published figures cannot be confused with measured ones: points are hollow, cells are outlined and in italics, and all
are grey, which no measured figure is. They have no interval and open no instances; the legend begins with “published:”.
"""

from __future__ import annotations

import html
from collections.abc import Hashable, Iterable, Sequence
from itertools import repeat
from textwrap import wrap
from typing import TYPE_CHECKING

from workbench.languages import is_known, language

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure, Scatter

COLOURS = ("#2f7f9f", "#c9803a", "#5b8c5a", "#8a6fb0", "#b3566b", "#7c8794", "#a08a2c")
ON_BARS = "#6f7a83"
"""Whiskers over bars; readable on the background of both themes."""
GREY = "#8a8f94"
"""Published figures, and nothing else."""
HOVER_BACK, HOVER_TEXT = "#1d2730", "#fbfbf9"
"""Tooltips, the same in both themes: 15:1."""

NOTHING_SCORED = "No answer that matches these filters is scored by this metric."
"""Why a figure of one metric is empty."""

GROUPS = {"avg": "average", "hr": "high resource", "lr": "low resource"}


def plain_text(text: object, limit: int = 70) -> str:
    """A text on one line that Plotly shows letter by letter; it interprets tags in labels otherwise.

    Cut after `limit` characters.

    >>> plain_text("<b>x</b>")
    '&lt;b&gt;x&lt;/b&gt;'
    """
    line = " ".join(str(text).split())
    return html.escape(line if len(line) <= limit else line[: limit - 1] + "…", quote=False)


def language_label(code: str) -> str:
    """A language's name and code, or the name of a group of languages.

    >>> language_label("fi"), language_label("lr")
    ('Finnish (fi)', 'low resource')
    """
    if code in GROUPS:
        return GROUPS[code]
    return f"{plain_text(language(code).name)} ({code})" if is_known(code) else plain_text(code or "not detected")


def scored_counts(frame: DataFrame) -> str:
    """The sums of `n` and `unscored` in a frame of measured figures, as words."""
    n = int(frame["n"].sum()) if len(frame) else 0
    unscored = int(frame["unscored"].sum()) if len(frame) and "unscored" in frame else 0
    return f"n = {n:,} scored, {unscored:,} unscored"


FITTING, SCROLLED = 2, 3
"""Columns in the legend of a figure that fits on a phone, and of one that is scrolled there."""
HEADING, LINE = {FITTING: 42, SCROLLED: 76}, {FITTING: 56, SCROLLED: 100}
"""Characters of a title, and of a line below it, that fit in the narrowest such figure."""
COLUMN = {FITTING: 20, SCROLLED: 28}
"""Characters of a name in such a column."""


def finish_figure(
    figure: Figure, title: str, subtitle: str, *, height: int, reference: str = "", columns: int = SCROLLED
) -> Figure:
    """The figure with its title, subtitle, legend and margins.

    `height`, in pixels, is that of a figure with a short title and no legend. `subtitle` states n. `reference` cites
    the published figures and is added where no legend does. The legend has `columns` of equal width, or one where names
    are long.
    """
    legend, foot = _legend(figure, columns)
    cited = any((trace.name or "").replace("<br>", " ").startswith(reference) for trace in figure.data)
    lines = _lines(subtitle, LINE[columns])
    if reference and not (cited and foot):
        lines += _lines(f"hollow: {reference}", LINE[columns], "<i>", "</i>")
    heading = [f"<b>{part}</b>" for part in _wrapped(title, HEADING[columns])]
    top = 34 + 20 * (len(heading) + len(lines))
    figure.update_layout(
        title={
            "text": "<br>".join([*heading, *lines]),
            "font": {"size": 16},
            "x": 0,
            "xanchor": "left",
            "y": 1 - 18 / (height + foot),
            "yanchor": "top",
        },
        margin={"l": 8, "r": 8, "t": top, "b": 46 + foot},
        height=height + foot + top - 74,
        legend=legend,
        hoverlabel={
            "align": "left",
            "bgcolor": HOVER_BACK,
            "bordercolor": HOVER_BACK,
            "font": {"color": HOVER_TEXT, "size": 13},
        },
    )
    figure.update_xaxes(automargin=True)
    figure.update_yaxes(automargin=True)
    return figure


def number_range(low: int, high: int) -> str:
    """One number, or a range of two.

    >>> number_range(3, 3), number_range(3, 1200)
    ('3', '3 to 1,200')
    """
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _legend(figure: Figure, columns: int) -> tuple[dict[str, object], int]:
    """Wraps the names of the traces; returns the legend and its height in pixels, 0 where it is not shown."""
    traces = [trace for trace in figure.data if trace.name and trace.showlegend is not False]
    fits = all(len(_wrapped(trace.name, COLUMN[columns])) <= 2 for trace in traces)
    columns, width = (min(columns, len(traces)), COLUMN[columns]) if fits else (1, LINE[columns])
    for trace in figure.data:
        if trace.name:
            trace.name = "<br>".join(_wrapped(trace.name, width))
    lines = [trace.name.count("<br>") + 1 for trace in traces]
    rows = [max(lines[start : start + columns]) for start in range(0, len(lines), max(columns, 1))]
    legend = {
        "orientation": "h",
        "yref": "container",
        "yanchor": "bottom",
        "y": 0,
        "xref": "container",
        "x": 0,
        "title": None,
        # Columns of equal width take the same number of rows on every screen, so that no room is left empty.
        "entrywidthmode": "fraction",
        "entrywidth": 0.98 / max(columns, 1),
    }
    shown = len(traces) > 1 or any(trace.showlegend for trace in traces)
    return legend, (sum(6 + 15 * row for row in rows) + 14 if shown else 0)


def _lines(text: str, width: int, opening: str = "", closing: str = "") -> list[str]:
    # The complete title is bold, whatever its font says.
    style = "font-size:13px;font-weight:400"
    return [f'<span style="{style}">{opening}{part}{closing}</span>' for part in _wrapped(text, width)]


def _wrapped(text: str, width: int) -> list[str]:
    # Never within a word: it may be an escaped character.
    return wrap(text, width, break_long_words=False, break_on_hyphens=False)


def empty_figure(title: str, why: str) -> Figure:
    """A figure without data that states why it has none."""
    from plotly.graph_objects import Figure

    figure = Figure()
    figure.add_annotation(text=why, showarrow=False, x=0.5, y=0.5, xref="paper", yref="paper", font={"size": 14})
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    return finish_figure(figure, title, "n = 0", height=220, columns=FITTING)


def colours_by_name(names: Iterable[Hashable]) -> dict[Hashable, str]:
    """One colour per distinct name, in order; colours repeat where there are more names."""
    return {name: COLOURS[index % len(COLOURS)] for index, name in enumerate(dict.fromkeys(names))}


def whiskers(frame: DataFrame, colour: str | None = None) -> dict[str, object]:
    """The 95 % intervals of a frame as Plotly's error bars, in their marks' colour; none where there is no interval."""
    return {
        "color": colour,
        "type": "data",
        "symmetric": False,
        "array": (frame["high"] - frame["mean"]).tolist(),
        "arrayminus": (frame["mean"] - frame["low"]).tolist(),
        "thickness": 1.4,
        "width": 4,
    }


def hover_texts(frame: DataFrame, names: Iterable[str], number: str = ".3f") -> list[str]:
    """The hover text of each figure: its name, value, interval and n, with the number unscored where it has one."""
    lines = []
    columns = (frame[name].tolist() for name in ("mean", "low", "high", "n"))
    unscored = (f" scored, {count:,} unscored" for count in frame["unscored"]) if "unscored" in frame else repeat("")
    for name, mean, low, high, n, rest in zip(names, *columns, unscored, strict=False):
        value = ("nothing scored" if rest else "no value") if is_missing(mean) else f"{mean:{number}}"
        interval = "" if is_missing(low) else f" (95 %: {low:{number}} to {high:{number}})"
        lines.append(f"{plain_text(name)}<br><b>{value}</b>{interval}<br>n = {n:,}{rest}")
    return lines


def is_missing(value: float | None) -> bool:
    """Whether a value is None or NaN."""
    return value is None or value != value


def published_name(rows: DataFrame) -> str:
    """The legend of some published rows: `published: Chirkova et al. (2024), Table 1, Command-R-35B, MKQA`."""
    parts = []
    for name, prefix in (("citation", ""), ("table", "Table "), ("model", ""), ("dataset", "")):
        values = [value for value in dict.fromkeys(rows[name]) if value]
        if len(values) <= 2:
            parts += [f"{prefix}{plain_text(value)}" for value in values]
        else:
            parts.append(f"{len(values)} {name}s")
    return f"published: {', '.join(parts)}"


def published_points(
    x: Sequence[object], y: Sequence[object], rows: DataFrame, name: str, mode: str = "markers"
) -> Scatter:
    """Published figures as hollow diamonds."""
    from plotly.graph_objects import Scatter

    return Scatter(
        x=x,
        y=y,
        name=name,
        mode=mode,
        marker={"symbol": "diamond-open", "size": 11, "color": GREY, "line": {"width": 2}},
        line={"dash": "dot", "color": GREY, "width": 1.5},
        unselected={"marker": {"opacity": 1}},
        hovertext=published_hover(rows),
        hovertemplate="%{hovertext}<extra></extra>",
    )


def published_cells(x: Sequence[str], y: Sequence[str], rows: DataFrame, name: str) -> Scatter:
    """Published figures as outlined cells with their value in italics: the percentages of shares."""
    from plotly.graph_objects import Scatter

    return Scatter(
        x=x,
        y=y,
        name=name,
        mode="markers+text",
        marker={"symbol": "square-open", "size": 30, "color": GREY, "line": {"width": 1}},
        text=[f"<i>{value * 100:.1f}</i>" for value in rows["amount"]],
        textfont={"color": GREY, "size": 12},
        unselected={"marker": {"opacity": 1}, "textfont": {"color": GREY}},
        hovertext=published_hover(rows),
        hovertemplate="%{hovertext}<extra></extra>",
        showlegend=True,
    )


def published_hover(rows: DataFrame) -> list[str]:
    """The hover text of each published figure: value as printed, source, setting and what is doubtful."""
    texts = []
    for row in rows.itertuples():
        lines = [
            f"<b>published</b>: {row.printed} {plain_text(row.unit)}",
            f"{plain_text(row.citation)}, Table {plain_text(row.table)}",
            ", ".join(
                plain_text(item) for item in (row.dataset, row.language, row.model, row.setting, row.prompt) if item
            ),
            plain_text(row.note, 110) if row.note else "",
        ]
        texts.append("<br>".join(line for line in lines if line))
    return texts
