"""Tables of records: what their own download would write into a spreadsheet."""

from pathlib import Path

from pandas import DataFrame
from streamlit.testing.v1 import AppTest


def _page() -> None:
    from workbench.ui.parts.data_table import data_table

    data_table(
        [{"name": "=HYPERLINK(1)", "n": -1.5, "=head": None}, {"name": "plain", "n": 2.0, "=head": "@x"}],
        key="rows",
    )


def test_no_text_of_a_table_is_a_formula_and_numbers_stay_numbers() -> None:
    table: DataFrame = AppTest.from_function(_page).run().dataframe[0].value
    assert table.columns.tolist() == ["name", "n", "'=head"]
    assert table["name"].tolist() == ["'=HYPERLINK(1)", "plain"]
    assert table["n"].tolist() == [-1.5, 2.0]
    assert table["'=head"].tolist() == [None, "'@x"]


def test_every_table_of_the_screens_is_one_of_these() -> None:
    screens = Path(__file__).parents[2] / "workbench" / "ui"
    assert [path.name for path in screens.rglob("*.py") if "st.dataframe(" in path.read_text("utf-8")] == [
        "data_table.py"
    ]
