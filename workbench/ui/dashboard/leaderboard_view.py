"""The leaderboard: a row per run with its bar, its interval and n, and the button that opens its answers.

It is drawn without a chart library, which a browser needs a second for, and in one piece: a browser draws 25 rows of
Streamlit's own elements in a third of a second. This is the first view that most people see.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cache
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench.metrics import Scale, metric_name, scale_of
from workbench.ui.dashboard.published_choices import recipe_words
from workbench.ui.parts import figure, safe_html
from workbench.ui.parts.chart_style import NOTHING_SCORED, is_missing, published_name, scored_counts
from workbench.ui.parts.safe_html import NOTHING, Html, element, escaped, inline

if TYPE_CHECKING:
    from pandas import DataFrame

SCRIPT = Path(__file__).with_name("leaderboard.js").read_text("utf-8")
"""Reports the mark of the button that is pressed, and loads the chart library; a constant, like every script."""
COMPONENT = st.components.v2.component("workbench_leaderboard", js=SCRIPT, isolate_styles=False)
OPENED = "dash_opened"


def draw(measured: DataFrame, metric: str, published: DataFrame | None = None) -> None:
    """Runs in the order of the frame, each with its rank, n and, where it answered only a part, what part.

    `measured` has one row per run with its `title`, `rank` (NaN for none: drawn hollow), the questions `answered` of
    all `questions`, and whether it is `partial`; `published` has averages over languages.
    """
    scale = scale_of(metric)
    rows = (_row(row, scale) for row in measured.to_dict("records"))
    safe_html.show(element("div", _head(metric, scale, measured), *rows))
    if not measured["n"].any():
        safe_html.message(NOTHING_SCORED)
    COMPONENT(key=OPENED, data={"charts": _chart_library()}, on_mark_change=_open, width=1)
    if published is not None:
        safe_html.show(_cited(published, scale))


@cache
def _chart_library() -> str:
    """Where a browser finds the part of Streamlit that draws charts, below the app; "" where no file looks like it."""
    scripts = Path(st.__file__).with_name("static") / "static/js"
    return next((f"static/js/{file.name}" for file in scripts.glob("PlotlyChart.*.js")), "")


def _open() -> None:
    st.session_state[figure.CLICKED_MARK] = str(st.session_state[OPENED].get("mark") or "")


def _head(metric: str, scale: Scale, measured: DataFrame) -> Html:
    unit = f"{scale}; bar: mean, line: 95 % interval"
    return element(
        "div",
        element("div", escaped(f"Leaderboard: {metric_name(metric)}"), css="wb-title"),
        element("div", escaped(f"{unit} · {scored_counts(measured)}"), css="wb-muted"),
        css="wb-chart",
    )


def _row(row: Mapping[Hashable, Any], scale: Scale) -> Html:
    ranked, note = not is_missing(row["rank"]), "" if row["n"] else "nothing scored"
    if row["partial"]:
        note = f"not ranked: {row['answered']:,} of {row['questions']:,} questions answered"
    span = "" if is_missing(row["low"]) else f"{row['low']:.2f}–{row['high']:.2f}, "
    name = [inline(row["title"]), *([element("div", escaped(note), css="wb-muted")] if note else ())]
    bar = track([row["mean"], row["low"], row["high"]], scale, "" if ranked else "wb-hollow")
    rank = f"{row['rank']:.0f}" if ranked else "–"
    title = "The answers of this run, the worst first."
    button = element("button", escaped("Answers"), css="wb-opens", value=row["mark"], title=title)
    return standing(rank, name, bar, row["mean"], f"{span}n = {row['n']:,}", "wb-opened", button)


def standing(
    rank: str, name: Sequence[Html], bar: Html, value: float, note: str, css: str = "", button: Html = NOTHING
) -> Html:
    """A row with a rank, a name, a bar, the value that it stands for, a note such as n, and a button."""
    return element(
        "div",
        element("span", escaped(rank), css="wb-rank"),
        element("div", *name, css="wb-standing-name"),
        bar,
        element("b", escaped("–" if is_missing(value) else f"{value:.2f}")),
        element("span", escaped(note), css="wb-muted"),
        button,
        css=f"wb-standing {css}".strip(),
    )


def track(values: Sequence[float], scale: Scale, css: str) -> Html:
    """A bar as long as the first of the values, with a line between the two others where there are any."""
    shares = tuple((value - scale.low) / (scale.high - scale.low) for value in values if not is_missing(value))
    whisker = element("span", css="wb-whisker", shares=shares) if len(shares) == 3 else NOTHING
    return element("span", whisker, css=f"wb-bar {css}".strip(), shares=shares[:1] or (0,))


def _cited(published: DataFrame, scale: Scale) -> Html:
    """The published figures as printed, below a line that says where and of what."""
    rows = [
        standing(
            "", [inline(name or retrieval)], track([amount], scale, "wb-published"), amount, "as printed", "wb-cited"
        )
        for name, retrieval, amount in zip(
            recipe_words(published), published["retrieval"], published["amount"], strict=True
        )
    ]
    title = element("div", inline(unescape(published_name(published))), css="wb-title")
    return element("div", title, *rows)
