"""The tables of a screen, as a person reads them."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def table_texts(app: AppTest) -> str:
    """All cells of all tables, a row a line."""
    return "\n".join(" | ".join(map(str, row)) for item in app.dataframe for row in item.value.itertuples(index=False))
