"""Any published table next to the user's results: one metric, one row per setting, one column per language."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import wrap
from typing import TYPE_CHECKING

from workbench.metrics import PUBLISHED_MEASURES
from workbench.ui.dashboard.charts.grid import ROW, click_targets
from workbench.ui.parts.chart_style import (
    GROUPS,
    coloured_cells,
    finish_figure,
    plain_text,
    published_cells,
    published_name,
    scored_counts,
)

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

Format = Callable[[float], str]
FORMATS: dict[str, tuple[str, Format]] = {
    "share": ("× 100", lambda value: f"{value * 100:.1f}"),
    "difference": ("difference × 100", lambda value: f"{value * 100:+.1f}"),
    "seconds": ("in seconds", lambda value: f"{value:,.3g}"),
    "count": ("as a count", lambda value: f"{value:,.0f}"),
    "scale 1 to 5": ("1 to 5", lambda value: f"{value:.2f}"),
}
"""For each scale: its unit in the title, and how a value is written."""
VARIED = ("dataset", "model", "setting", "prompt", "retrieval", "note")
"""What the rows of a table can differ in."""
MEASURED, PUBLISHED = "your results", "published"
LABEL, LINE = 64, 44
"""Characters of a name in a row's label, and of one of the label's lines."""


def published_table(published: DataFrame, measured: DataFrame | None, metric: str) -> Figure:
    """The figures of one table for one metric, a row per setting; comparable results as coloured rows above them.

    `published`: the rows of the table with this metric, its name as printed. `measured` has one row per `series` and
    `language`; None where nothing comparable was measured.
    """
    from plotly.graph_objects import Figure

    scale = str(published["scale"].iloc[0])
    unit, write = FORMATS[scale]
    figure, rows = Figure(), []
    has_results = measured is not None and len(measured) > 0
    if measured is not None and has_results:
        labels = [f"{MEASURED} · {plain_text(name, LABEL)}" for name in measured["series"]]
        _add_results(figure, measured, labels, write)
        rows += list(dict.fromkeys(labels))
    published = published.assign(label=row_labels(published))
    figure.add_trace(
        published_cells(
            _columns(published),
            published["label"].tolist(),
            published,
            published_name(published),
            [write(value) for value in published["amount"]],
        )
    )
    rows += list(dict.fromkeys(published["label"]))
    codes = {*published["language"], *(measured["language"] if measured is not None else ())}
    languages = [*sorted(codes - {*GROUPS}), *(name for name in GROUPS if name in codes)]
    figure.update_xaxes(
        categoryorder="array",
        categoryarray=[_column(code) for code in languages],
        range=[-0.5, len(languages) - 0.5],
        showgrid=False,
    )
    figure.update_yaxes(
        categoryorder="array", categoryarray=rows, range=[len(rows) - 0.5, -0.5], showgrid=False, zeroline=False
    )
    count = f"{len(published):,} published figures"
    if measured is not None and has_results:
        over_all = measured[measured["language"] == next(iter(GROUPS))]
        count += f" · your results: {scored_counts(over_all if len(over_all) else measured)}"
    citation = published_name(published).removeprefix("published: ")
    name = plain_text(PUBLISHED_MEASURES.get(metric, metric))
    return finish_figure(figure, f"{citation}: {name}, {unit}", count, height=max(220, 150 + ROW * len(rows)))


def row_labels(published: DataFrame) -> list[str]:
    """What distinguishes each figure's row from the others of its table, beginning with “published”."""
    varied = [key for key in VARIED[:-1] if published[key].nunique() > 1]
    if published.duplicated([*varied, "language"]).any():
        varied.append(VARIED[-1])
    labels = []
    for _, row in published.iterrows():
        words = [plain_text(row[key], LABEL) for key in varied if row[key]]
        labels.append("<br>".join(wrap(" · ".join([PUBLISHED, *words]), LINE, break_long_words=False)))
    return labels


def _add_results(figure: Figure, measured: DataFrame, labels: list[str], write: Format) -> None:

    from workbench.ui.parts.chart_style import hover_texts, language_label

    columns, values = _columns(measured), measured["mean"].tolist()
    figure.add_trace(coloured_cells(columns, labels, values))
    names = [
        f"{name}, {language_label(code)}" for name, code in zip(measured["series"], measured["language"], strict=True)
    ]
    texts = [write(value) if value == value else "" for value in values]
    figure.add_trace(click_targets(columns, labels, texts, measured["mark"], hover_texts(measured, names), size=26))


def _columns(part: DataFrame) -> list[str]:
    return [_column(code) for code in part["language"]]


def _column(code: str) -> str:
    """A column's heading: a language's code, or the name of a group of languages on two lines."""
    return GROUPS.get(code, code or "all").replace(" ", "<br>")
