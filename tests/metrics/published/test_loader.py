"""The published tables as data."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from workbench.core.errors import DataError, UsageError
from workbench.metrics.published.published_figures import (
    COLUMNS,
    FOLDER,
    load_table,
    published_figures,
    published_tables,
)

PAPERS = Path(__file__).parents[4] / "shared" / "data" / "published"
"""The tables as they were read from the papers, where they are available."""


def _file(folder: Path, **changes: str) -> Path:
    row = dict.fromkeys(COLUMNS, "") | {"source": "chirkova2024", "table": "1", "metric": "clr", "unit": "percent"}
    path = folder / "chirkova2024_table1.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerow(row | {"value": "50"} | changes)
    return path


def test_there_are_25_tables_with_every_printed_figure() -> None:
    assert len(published_tables()) == 25
    assert len(published_figures()) == 1125
    assert sum(item.rows for item in published_tables()) == 1125


def test_a_printed_percentage_is_a_share() -> None:
    rows = published_figures(["chirkova2024.1"])
    english = rows[(rows.language == "en") & (rows.retrieval == "none")].iloc[0]
    assert (english["value"], english["unit"], english["amount"], english["scale"]) == (58.4, "percent", 0.584, "share")


def test_a_printed_fraction_stays_the_share_it_is() -> None:
    rows = published_figures(["kim2024_autorag.6"])
    meteor = rows[rows.metric == "meteor"].iloc[0]
    assert (meteor["value"], meteor["amount"], meteor["scale"]) == (0.3235, 0.3235, "share")


def test_points_of_a_difference_differ_from_marks_of_a_judge() -> None:
    difference = published_figures(["ranaldi2025_crossrag.2"]).iloc[0]
    judged = published_figures(["kim2024_autorag.7"]).iloc[0]
    assert (difference["scale"], difference["amount"]) == ("difference", pytest.approx(0.038))
    assert (judged["scale"], judged["amount"]) == ("scale 1 to 5", 3.8505)


def test_metrics_that_are_measured_alike_have_our_names() -> None:
    rows = published_figures()
    measures = dict(zip(rows["metric"], rows["measure"], strict=True))
    assert measures["char3_recall"] == "char3_recall_paper"
    assert measures["hit_at_5"] == "hit@5"
    assert measures["recall_at_5"] == ""


def test_meteor_with_synonyms_is_not_taken_for_ours_without() -> None:
    rows = published_figures()
    assert set(rows[rows["metric"] == "meteor"]["measure"]) == {""}


def test_modes_prompts_and_scopes_are_ours_where_they_have_a_counterpart() -> None:
    rows = published_figures(["ranaldi2025_crossrag.14"])
    assert set(rows["mode"]) == {"baseline", "trag", "monorag", "multirag", "crossrag"}
    assert set(published_figures(["chirkova2024.9"])["variant"]) == {
        "reply-short-same-lang-en", "reply-short-in-ul-en", "reply-short-in-ul-ul", "reply-short-in-ul-ne-ul",
    }  # fmt: skip
    assert set(published_figures(["chirkova2024.1"])["scope"]) == {"none", "en", "ul", "en+ul", "all"}
    assert set(published_figures(["ranaldi2025_crossrag.2"])["mode"]) == {""}


def test_an_unknown_table_is_named_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"chirkova2024\.1"):
        published_figures(["chirkova2024.2"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"unit": "%"}, "unit “%”"),
        ({"value": "584"}, "outside the range of its unit .share."),
        ({"value": "x"}, "outside the range of its unit .share."),
        ({"source": "me"}, "“me”"),
    ],
)
def test_a_damaged_row_is_named_with_file_and_row(tmp_path: Path, changes: dict[str, str], message: str) -> None:
    with pytest.raises(DataError, match=f"chirkova2024_table1.csv, row 2.*{message}"):
        load_table(_file(tmp_path, **changes))


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.csv")), ids=lambda path: path.stem)
def test_every_figure_is_the_one_that_was_read_from_the_paper(file: Path) -> None:
    original = PAPERS / file.name
    if not original.is_file():
        pytest.skip("the tables as they were read from the papers are not part of the project")
    with file.open(encoding="utf-8", newline="") as ours, original.open(encoding="utf-8", newline="") as theirs:
        rows = list(csv.DictReader(ours))
        assert rows == list(csv.DictReader(theirs))
    assert list(load_table(file)["value"]) == [float(row["value"]) for row in rows]


def test_no_table_is_left_out() -> None:
    if not PAPERS.is_dir():
        pytest.skip("the tables as they were read from the papers are not part of the project")
    assert {path.name for path in PAPERS.glob("*.csv")} == {path.name for path in FOLDER.glob("*.csv")}


def test_every_file_of_the_folder_is_loaded() -> None:
    assert len(list(FOLDER.glob("*.csv"))) == len(published_tables())
