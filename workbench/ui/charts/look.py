"""What all charts share: colours that read in both themes, texts as plain text, and a title that tells n."""

from __future__ import annotations

import html
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING

from workbench.languages import is_known, language

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

COLOURS = ("#2f7f9f", "#c9803a", "#5b8c5a", "#8a6fb0", "#b3566b", "#7c8794", "#a08a2c")
GREY = "#8a8f94"
"""Published figures, and nothing else."""
SCALE = ((0.0, "#e9f1f4"), (0.6, "#a3ccd9"), (1.0, "#4b96b0"))
"""Light throughout, so that one dark text reads on every cell in both themes."""
DARK_TEXT = "#14222a"

GROUPS = {"avg": "average", "hr": "high resource", "lr": "low resource"}


def plain(text: object, limit: int = 70) -> str:
    """A text that Plotly shows letter by letter: it reads tags in labels otherwise.

    >>> plain("<b>x</b>")
    '&lt;b&gt;x&lt;/b&gt;'
    """
    line = " ".join(str(text).split())
    return html.escape(line if len(line) <= limit else line[: limit - 1] + "…", quote=False)


def named(code: str) -> str:
    """A language's name and code, or the name of a group of languages.

    >>> named("fi"), named("lr")
    ('Finnish (fi)', 'low resource')
    """
    if code in GROUPS:
        return GROUPS[code]
    return f"{plain(language(code).name)} ({code})" if is_known(code) else plain(code or "not detected")


def counted(frame: DataFrame) -> str:
    """How much stands behind a frame of measured figures."""
    n = int(frame["n"].sum()) if len(frame) else 0
    unscored = int(frame["unscored"].sum()) if len(frame) and "unscored" in frame else 0
    return f"n = {n:,} scored, {unscored:,} unscored"


def finished(figure: Figure, title: str, told: str, *, height: int, reference: str = "") -> Figure:
    """The figure with its title, a second line that tells n, a third that names published figures, and its margins."""
    lines = [f"<b>{title}</b>", f'<span style="font-size:13px">{told}</span>']
    if reference:
        lines.append(f'<span style="font-size:13px"><i>hollow or hatched: {reference}</i></span>')
    entries = sum(bool(trace.name) and trace.showlegend is not False for trace in figure.data)
    foot = 0 if entries < 2 else 22 * min(entries, 1 + entries // 2) + 14
    figure.update_layout(
        title={
            "text": "<br>".join(lines),
            "font": {"size": 16, "weight": 400},
            "x": 0,
            "xanchor": "left",
            "y": 1 - 18 / (height + foot),
            "yanchor": "top",
        },
        margin={"l": 8, "r": 8, "t": 74 + 20 * (len(lines) - 2), "b": 46 + foot},
        height=height + foot,
        legend={"orientation": "h", "yref": "container", "yanchor": "bottom", "y": 0, "x": 0, "title": None},
        hoverlabel={"align": "left"},
    )
    figure.update_xaxes(automargin=True)
    figure.update_yaxes(automargin=True)
    return figure


def nothing(title: str, why: str) -> Figure:
    """A figure that says why it shows nothing."""
    from plotly.graph_objects import Figure

    figure = Figure()
    figure.add_annotation(text=why, showarrow=False, x=0.5, y=0.5, xref="paper", yref="paper", font={"size": 14})
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    return finished(figure, title, "n = 0 scored, 0 unscored", height=220)


def colour_of(names: Iterable[Hashable]) -> dict[Hashable, str]:
    """A colour for each name, in order."""
    return {name: COLOURS[place % len(COLOURS)] for place, name in enumerate(dict.fromkeys(names))}


def whiskers(frame: DataFrame) -> dict[str, object]:
    """The 95 % intervals of a frame as Plotly's error bars; none where there is no interval."""
    return {
        "type": "data",
        "symmetric": False,
        "array": (frame["high"] - frame["mean"]).tolist(),
        "arrayminus": (frame["mean"] - frame["low"]).tolist(),
        "thickness": 1.4,
        "width": 4,
    }


def told(frame: DataFrame, names: Iterable[str]) -> list[str]:
    """What each measured figure says when pointed at: its name, value, interval, n and the unscored."""
    lines = []
    columns = (frame[name].tolist() for name in ("mean", "low", "high", "n", "unscored"))
    for name, mean, low, high, n, unscored in zip(names, *columns, strict=True):
        value = "nothing scored" if isnan(mean) else f"{mean:.3f}"
        between = "" if isnan(low) else f" (95 %: {low:.3f} to {high:.3f})"
        lines.append(f"{plain(name)}<br><b>{value}</b>{between}<br>n = {n:,} scored, {unscored:,} unscored")
    return lines


def isnan(value: float | None) -> bool:
    """Whether there is no value."""
    return value is None or value != value
