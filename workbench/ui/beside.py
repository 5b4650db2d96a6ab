"""Which published figures stand beside a view of the Dashboard, and which of their rows a figure can take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from workbench.published import published, references

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.ui.look_url import View

NONE = "none"
PART = "~"
"""Between a table's key and a model in the name of a choice: `chirkova2024.5~Command-R-35B`."""

USUAL: Mapping[View, str] = {
    "leaderboard": "ranaldi2025_crossrag.14",
    "languages": "chirkova2024.1",
    "prompts": "chirkova2024.5",
    "modes": "ranaldi2025_crossrag.14",
    "retrieval": "singh_docqa.1",
    "deltas": "ranaldi2025_crossrag.2",
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
    for table in references():
        rows = _fitting(view, published([table.key]), metric)
        for model in dict.fromkeys(rows["model"]):
            found[f"{table.key}{PART}{model}"] = ", ".join(filter(None, [table.title, model]))
    own = [name for name in found if name.startswith(f"{USUAL[view]}{PART}")]
    return {name: found[name] for name in [*own, *found]}


def usual(view: View, there: Mapping[str, str]) -> str:
    """The choice that a view begins with: a row of the table that it is drawn after, else none."""
    return next((name for name in there if name.startswith(f"{USUAL[view]}{PART}")), NONE)


def rows(view: View, choice: str, metric: str) -> DataFrame | None:
    """The published rows of a choice that a view of `metric` can draw, None where there are none."""
    key, _, model = choice.partition(PART)
    if choice == NONE or key not in {table.key for table in references()}:
        return None
    found = _fitting(view, published([key]), metric)
    found = found[found["model"] == model]
    if not len(found):
        return None
    # Said on the figure itself: a published metric that is only nearly the same.
    other = found["measure"].ne(metric) & found["measure"].ne("")
    cited = found["citation"].where(~other, found["citation"] + " (" + found["measure"] + ")")
    return found.assign(citation=cited)


def _fitting(view: View, found: DataFrame, metric: str) -> DataFrame:
    if view == "deltas":
        return found[(found["scale"] == "difference") & (found["metric"] == f"{metric}_delta")]
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
    return cells[~cells.duplicated(["key", "model", "scope", "language"], keep=False)]
