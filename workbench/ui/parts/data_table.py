"""Tables of records that sort, search and download, and whose download runs no formula in a spreadsheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench.workspace import safe_cell

if TYPE_CHECKING:
    from pandas import DataFrame


def data_table(records: DataFrame | Sequence[Mapping[str, Any]] | Mapping[str, Sequence[Any]], **options: Any) -> None:
    """Draws `records`; their texts, heads and row names are written as in the product's CSV files (`safe_cell`).

    `options` are those of `st.dataframe`.
    """
    from pandas import DataFrame

    safe = DataFrame(records).rename(columns=_safe, index=_safe)
    for column, kind in enumerate(safe.dtypes):
        if kind.kind == "O":
            safe.isetitem(column, [_safe(value) for value in safe.iloc[:, column]])
    st.dataframe(safe, **options)


def _safe(value: Any) -> Any:
    return safe_cell(value) if isinstance(value, str) else value
