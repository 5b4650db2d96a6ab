"""A figure on the screen: clicks on its marks, its rows as a table that leads to the same instances, and as CSV."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from workbench.core import fingerprint
from workbench.ui.parts import downloads
from workbench.ui.parts.data_table import data_table
from workbench.workspace import csv_text

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

CLICKED_MARK = "dash_marked"
"""The session's key under which a click leaves the mark that it hit, for the page that drew the figure."""
PICTURE = "dash_picture"
PICTURES = ("png", "svg")
CSV_HELP = "The plotted values, with n and unscored. The camera above the figure saves it as an image."
ROWS = 16
"""Rows of a table that are in view; a longer one scrolls below its head."""
INTERNAL = ("mark", "run")
"""Columns that no reader of a file has a use for: what a click opens, and a run's number in the database."""
BUTTONS = ["lasso2d", "select2d", "autoScale2d"]
TEXT = {"light": "#1d2730", "dark": "#e6ebee"}
"""The colour of a figure's text, as in .streamlit/config.toml: pictures that are saved do not see the style sheet."""


def draw(figure: Figure, frame: DataFrame, name: str, version: object) -> None:
    """The figure, then its table and downloads.

    `name` names the files. `version` changes when the figure does, so that a click on an older figure is not taken for
    one on this.
    """
    key = f"{name}_{fingerprint('figure', str(version))}"
    picture = {"format": st.session_state.get(PICTURE, PICTURES[0]), "filename": name, "scale": 2}
    config = {"displaylogo": False, "modeBarButtonsToRemove": BUTTONS, "toImageButtonOptions": picture}
    title = " ".join(re.findall(r"<b>(.*?)</b>", str(figure.layout.title.text or "")))
    marked = "mark" in frame.columns and len(frame) > 0
    colour = {"color": TEXT.get(str(st.context.theme.type), TEXT["light"])}
    figure.update_layout(font=colour, title_font=colour, legend_font=colour)
    figure.update_xaxes(tickfont=colour, title_font=colour)
    figure.update_yaxes(tickfont=colour, title_font=colour)
    if marked:
        st.plotly_chart(
            figure,
            config=config,
            key=f"figure_{key}",
            on_select=lambda: _figure_clicked(f"figure_{key}"),
            selection_mode="points",
            alt=title,
        )
    else:
        st.plotly_chart(figure, config=config, key=f"figure_{key}", alt=title)
    rows_below(frame, name, version)


def rows_below(frame: DataFrame, name: str, version: object) -> None:
    """What a figure is drawn from, as a table and as CSV; a row of the table leads to the same as its mark."""
    if not len(frame):
        return
    key, marked = f"{name}_{fingerprint('figure', str(version))}", "mark" in frame.columns
    with st.container(horizontal=True, gap="small", key=f"taken_{key}"):
        with st.expander("As a table", icon=":material/table:", key=f"fold_{key}", on_change="rerun") as fold:
            if fold.open:
                _table(frame, key, marked=marked)
        csv_button("Figures (CSV)", lambda: frame, name, f"csv_{key}", CSV_HELP)


def rows(frame: DataFrame, name: str) -> None:
    """A button for further rows of a figure, as CSV."""
    csv_button("Published figures (CSV)", lambda: frame, f"{name}-published", f"csv_{name}_published")


def csv_button(label: str, frame: Callable[[], DataFrame], name: str, key: str, help_text: str | None = None) -> None:
    """A button for some rows as CSV, which are computed when it is pressed."""
    downloads.button(label, lambda: "\ufeff" + as_csv(frame()), f"{name}.csv", key, help=help_text)


def picture() -> None:
    """The control for the format that every figure's camera saves."""
    st.segmented_control(
        "Image format",
        PICTURES,
        key=PICTURE,
        default=PICTURES[0],
        format_func=str.upper,
        required=True,
        help="The format saved by the camera in the upper right corner of each figure.",
    )


def as_csv(frame: DataFrame) -> str:
    """The rows as CSV in which no spreadsheet runs a formula: six digits, empty cells where there is no value."""
    columns = [name for name in frame.columns if name not in INTERNAL]
    rows = ([_cell(name, value) for name, value in zip(columns, row, strict=True)] for row in frame[columns].values)
    return csv_text([columns, *rows])


def _cell(column: str, value: object) -> object:
    if not isinstance(value, float):
        return value
    return None if value != value else int(value) if column == "rank" else float(f"{value:.6g}")


def _table(frame: DataFrame, key: str, *, marked: bool) -> None:
    shown = frame.drop(columns=[name for name in (*INTERNAL, "metric") if name in frame.columns])
    if "rank" in shown:
        shown = shown.astype({"rank": "Int64"})
    linked_table(shown, frame["mark"].tolist() if marked else (), key)


def linked_table(shown: DataFrame, marks: Sequence[str], key: str) -> None:
    """A table whose rows lead to the answers of their `marks`, "" for a row without any; () where none has."""
    selection: dict[str, object] = {}
    if any(marks):
        st.caption("Choose a row of yours to open its answers." if "" in marks else "Choose a row to open its answers.")
        selection = {"on_select": lambda: _row_clicked(f"table_{key}", marks), "selection_mode": "single-row"}
    numbers = {name: st.column_config.NumberColumn(format="%.3f") for name in shown.select_dtypes("float")}
    height = 38 + 35 * min(len(shown), ROWS)
    data_table(shown, hide_index=True, key=f"table_{key}", height=height, column_config=numbers, **selection)


def _figure_clicked(key: str) -> None:
    points = st.session_state[key].selection.points
    data = next((point["customdata"] for point in points if point.get("customdata")), None)
    if data:
        st.session_state[CLICKED_MARK] = data[0] if isinstance(data, list | tuple) else data.get("0", "")


def _row_clicked(key: str, marks: Sequence[str]) -> None:
    rows = st.session_state[key].selection.rows
    if rows:
        st.session_state[CLICKED_MARK] = marks[rows[0]]
