"""Which published figures stand beside a view of the Dashboard, and which of their rows a figure can take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from workbench.published import published_figures, published_tables

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.ui.dashboard.dashboard_state import View

NONE = "none"
DOCUMENT_SHARE = "doc_language_share"
PART = "~"
"""Between a table's key, a model and a dataset in the name of a choice: `chirkova2024.5~Command-R-35B~MKQA`."""

USUAL: Mapping[View, str] = {
    "leaderboard": "ranaldi2025_crossrag.14",
    "languages": "chirkova2024.1",
    "prompts": "chirkova2024.5",
    "modes": "ranaldi2025_crossrag.14",
    "retrieval": "singh_docqa.1",
    "deltas": "ranaldi2025_crossrag.2",
    "documents": "ranaldi2025_crossrag.13",
}
"""The table that a view is drawn after."""

ALIKE: Mapping[str, tuple[str, ...]] = {
    "char3_recall": ("char3_recall_paper",),
    "char3_recall_romanised": ("char3_recall_paper",),
}
"""Metrics that a published one may stand beside though they are not the same; the figure says which is which."""


def choices(view: View, metric: str) -> dict[str, str]:
    """What can stand beside a view of one metric: the name of a choice and its title, the view's own table first."""
    if view not in USUAL:
        return {}
    found: dict[str, str] = {}
    for table in published_tables():
        part = _fitting(view, published_figures([table.key]), metric)
        for _, row in part.drop_duplicates(_parts(view)).iterrows():
            told = [str(row[name]) for name in _parts(view)[1:]]
            found[PART.join([table.key, *told])] = ", ".join(filter(None, [table.title, *told]))
    own = [name for name in found if name.startswith(f"{USUAL[view]}{PART}")]
    return {name: found[name] for name in [*own, *found]}


def usual(view: View, there: Mapping[str, str]) -> str:
    """The choice that a view begins with: of the table that it is drawn after, else the first there is."""
    return next(iter(there), NONE) if view in USUAL else NONE


def rows(view: View, choice: str, metric: str) -> DataFrame | None:
    """The published rows of a choice that a view of `metric` can draw, None where there are none."""
    key, *told = choice.split(PART)
    if choice == NONE or key not in {table.key for table in published_tables()}:
        return None
    found = _fitting(view, published_figures([key]), metric)
    for name, value in zip(_parts(view)[1:], told, strict=False):
        found = found[found[name] == value]
    if not len(found):
        return None
    if view in ("deltas", "retrieval", "documents"):
        return found
    # Said on the figure itself: a published metric that is only nearly the same.
    other = found["measure"].ne(metric) & found["measure"].ne("")
    cited = found["citation"].where(~other, found["citation"] + " (" + found["measure"] + ")")
    return found.assign(citation=cited)


def _parts(view: View) -> list[str]:
    """What tells one choice from another: where datasets do not stand side by side, the dataset too."""
    if view == "documents":
        return ["key", "dataset", "scope"]
    return ["key", "model"] if view in ("modes", "deltas", "retrieval") else ["key", "model", "dataset"]


def _fitting(view: View, found: DataFrame, metric: str) -> DataFrame:
    if view == "deltas":
        return found[(found["scale"] == "difference") & (found["metric"] == f"{metric}_delta")]
    if view == "documents":
        return found[found["metric"] == DOCUMENT_SHARE]
    if view == "retrieval":
        part = found[found["measure"].str.startswith(f"{metric}@")]
        return part.assign(at=[int(name.partition("@")[2]) for name in part["measure"]])
    part = found[found["measure"].isin([metric, *ALIKE.get(metric, ())])]
    if view == "leaderboard":
        return part[part["language"] == "avg"]
    if view == "modes":
        return part[(part["mode"] != "") & part["language"].isin(["avg", "hr", "lr"])]
    if view == "prompts":
        return part[(part["variant"] != "") & (part["scope"] != "")]
    cells = part[(part["scope"] != "") & (part["mode"] == "") & (part["setting"] == "")]
    # A cell of the figure has room for one figure: tables that give several for it are for the other views.
    return cells[~cells.duplicated([*_parts(view), "scope", "language"], keep=False)]
