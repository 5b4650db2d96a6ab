"""Which published figures can be shown in a view of the Dashboard, and which of their rows a figure can draw."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from workbench.experiments import choice_name
from workbench.metrics import published_figures, published_tables

if TYPE_CHECKING:
    from pandas import DataFrame, Series

    from workbench.ui.dashboard.dashboard_state import View

NONE = "none"
DOCUMENT_SHARE = "doc_language_share"
PART = "~"
"""Between a table's key, a model and a dataset in the name of a choice: `chirkova2024.5~Command-R-35B~MKQA`."""

VIEW_TABLES: Mapping[View, str] = {
    "leaderboard": "ranaldi2025_crossrag.14",
    "languages": "chirkova2024.1",
    "prompts": "chirkova2024.5",
    "modes": "ranaldi2025_crossrag.14",
    "retrieval": "singh_docqa.1",
    "deltas": "ranaldi2025_crossrag.2",
    "documents": "ranaldi2025_crossrag.13",
}
"""The published table that a view follows."""

SIMILAR_METRICS: Mapping[str, tuple[str, ...]] = {
    "char3_recall": ("char3_recall_paper",),
    "char3_recall_romanised": ("char3_recall_paper",),
    "flexible_em": ("flexible_em_paper",),
}
"""Metrics next to which a nearly equal published one may be shown; the figure states which is which."""


@cache
def choices(view: View, metric: str) -> dict[str, str]:
    """The published figures that a view of one metric can show: choices and their titles, those of its table first."""
    if view not in VIEW_TABLES:
        return {}
    titles: dict[str, str] = {}
    tables = {table.key: table.title for table in published_tables()}
    fitting = _fitting(view, published_figures(), metric)
    for key, *parts in fitting[_parts(view)].drop_duplicates().to_numpy():
        titles[PART.join([key, *parts])] = ", ".join(filter(None, [tables[key], *parts]))
    first = [name for name in titles if name.startswith(f"{VIEW_TABLES[view]}{PART}")]
    return {name: titles[name] for name in [*first, *titles]}


def default_choice(view: View, titles: Mapping[str, str]) -> str:
    """The choice that a view begins with: from the table that it follows, else the first available."""
    return next(iter(titles), NONE) if view in VIEW_TABLES else NONE


def rows(view: View, choice: str, metric: str) -> DataFrame | None:
    """The published rows of a choice that a view of `metric` can draw, None where there are none."""
    key, *parts = choice.split(PART)
    if choice == NONE or key not in {table.key for table in published_tables()}:
        return None
    fitting = _fitting(view, published_figures([key]), metric)
    for name, value in zip(_parts(view)[1:], parts, strict=False):
        fitting = fitting[fitting[name] == value]
    if not len(fitting):
        return None
    if view in ("deltas", "retrieval", "documents"):
        return fitting
    # Stated on the figure itself: a published metric that is only nearly the same.
    other = fitting["measure"].ne(metric) & fitting["measure"].ne("")
    cited = fitting["citation"].where(~other, fitting["citation"] + " (" + fitting["measure"] + ")")
    return fitting.assign(citation=cited)


def _parts(view: View) -> list[str]:
    """The columns that distinguish choices: the dataset too where a view does not show datasets separately."""
    if view == "documents":
        return ["key", "dataset", "scope"]
    return ["key", "model"] if view in ("modes", "deltas", "retrieval") else ["key", "model", "dataset"]


def _fitting(view: View, table_rows: DataFrame, metric: str) -> DataFrame:
    if view == "deltas":
        return table_rows[(table_rows["scale"] == "difference") & (table_rows["metric"] == f"{metric}_delta")]
    if view == "documents":
        return table_rows[table_rows["metric"] == DOCUMENT_SHARE]
    if view == "retrieval":
        part = table_rows[table_rows["measure"].str.startswith(f"{metric}@")]
        return part.assign(at=[int(name.partition("@")[2]) for name in part["measure"]])
    part = table_rows[table_rows["measure"].isin([metric, *SIMILAR_METRICS.get(metric, ())])]
    if view == "leaderboard":
        return part[part["language"] == "avg"]
    if view == "modes":
        return part[(part["mode"] != "") & part["language"].isin(["avg", "hr", "lr"])]
    if view == "prompts":
        return part[(part["variant"] != "") & (part["scope"] != "")]
    cells = part[(part["scope"] != "") & (part["mode"] == "") & (part["setting"] == "")]
    # A cell of the figure has room for one value: tables with several values for it are left to the other views.
    return cells[~cells.duplicated([*_parts(view), "scope", "language"], keep=False)]


def scope_of(choice: str) -> str:
    """The scope that a choice of documents by language names, "" for none.

    >>> scope_of("ranaldi2025_crossrag.13~MKQA~all"), scope_of("none")
    ('all', '')
    """
    parts = choice.split(PART)
    return parts[2] if len(parts) > 2 else ""


def recipe_words(published: DataFrame) -> Series[str]:
    """The printed settings, but “baseline”, which says nothing beside other tables, by what it is here."""
    return published["setting"].mask(published["mode"] == "baseline", choice_name("mode", "baseline"))
