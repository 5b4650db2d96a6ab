"""Tables 2 to 8 of Kim et al. (2024) next to a search: what AutoRAG's authors measured, as a reference only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from workbench.metrics import published_figures, published_tables
from workbench.ui.parts import figure, safe_html
from workbench.ui.parts.safe_html import element, escaped, inline, table

if TYPE_CHECKING:
    from pandas import DataFrame

SOURCE = "kim2024_autorag"
TABLE = "optimise_published"
ROW = ("dataset", "setting", "model")
"""What names a row of a published table."""
NO_TEST = "Figures as printed in the paper. Its questions, documents and models differ from yours, so this is no test."


def published_tables_view() -> None:
    """The choice of a table, and the table as it was printed: a row per module, a column per metric."""
    tables = {item.key: item.title for item in published_tables() if item.source == SOURCE}
    topics = {key: str(published_figures([key])["setting"].iloc[0]).partition(":")[0] for key in tables}
    key = st.selectbox(
        "Table",
        list(tables),
        key=TABLE,
        format_func=lambda item: f"{tables[item]}: {topics[item]}",
        help="The result tables of the paper that greedy search by node comes from.",
    )
    st.caption(NO_TEST)
    rows = published_figures([key])
    printed = printed_table(rows)
    values = {str(name) for name in printed.columns[len(ROW) :]}
    names = [name for name in printed.columns if name in values or printed[name].astype(bool).any()]
    body = [
        [
            element("span", escaped(row[name]), css="wb-once")
            if name in values
            else inline(row[name], css="wb-title" if name == "setting" else "")
            for name in names
        ]
        for row in printed.to_dict("records")
    ]
    safe_html.show(table([str(name).replace("_", " ") for name in names], body))
    figure.rows(rows, f"search-{key}")


def printed_table(rows: DataFrame) -> DataFrame:
    """The figures of one table side by side: ROW, then a column per metric with its unit, as text, "" for none."""
    units = dict(zip(rows["metric"], rows["unit"], strict=True))
    wide = rows.pivot_table(
        index=list(ROW), columns="metric", values="printed", aggfunc="first", sort=False, fill_value=""
    )
    wide = wide[list(units)].reset_index()
    return wide.rename(columns={name: name if name == unit else f"{name} ({unit})" for name, unit in units.items()})
