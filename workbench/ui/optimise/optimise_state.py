"""The Optimise screen's state: in the session, and in the URL that shows the same search again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

from workbench.core import shorten
from workbench.ui.parts import safe_html
from workbench.ui.parts.page_state import PageSession, PageState

ReportView = Literal["best", "nodes", "choices", "costs", "recipes", "published"]
TITLES: Mapping[ReportView, str] = {
    "best": "Best recipe",
    "nodes": "Nodes",
    "choices": "Choices",
    "costs": "Quality and cost",
    "recipes": "All recipes",
    "published": "Published tables",
}


class OptimiseState(PageState):
    """The search that is open ("" for the newest), the view of its results, and the node whose plot is open."""

    PAGE: ClassVar[str] = "optimise"

    search: str = ""
    view: ReportView = "best"
    node: str = ""

    def after(self, path: str) -> Self:
        """Another search begins with no node open."""
        return self.with_(node="") if path == "search" else self


SESSION = PageSession(OptimiseState)


def known_search(name: str, known: Mapping[str, str]) -> str:
    """The search that is shown: the one named, or the newest of `known`, of which there is at least one.

    A name that is none of them is reported.
    """
    if name and name not in known:
        safe_html.message(
            f"The link names the search “{shorten(name)}”, which is not in this workspace; another one is shown.",
            "error",
        )
        return next(iter(known))
    return name or next(iter(known))
