"""The Inspect screen's state: in the session, and in the URL that shows the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, Self
from urllib.parse import urlencode

from pydantic import Field

from workbench.experiments import Filter
from workbench.ui.dashboard.dashboard_state import Within, flat_filter
from workbench.ui.parts import permitted
from workbench.ui.parts.page_state import LanguageCode, Number, PageSession, PageState

InspectView = Literal["browse", "annotate"]
TITLES: Mapping[InspectView, str] = {"browse": "Browse", "annotate": "Annotate"}
Only = Literal["wrong-language", "unlabelled"]
"""Instances that are listed alone: answers in another language than the question's, and those without any label."""
ONLY_TITLES: Mapping[Only, str] = {
    "wrong-language": "Answers in the wrong language",
    "unlabelled": "Answers without a label",
}
LISTED = ("filter_", "search", "metric", "order", "within", "only")
"""The fields that say which instances are listed, and in which order."""
FILTERS = ("runs", "languages", "evidence_in", "modes", "scopes", "prompts")
"""The fields of a filter that this screen offers, next to the experiments."""
NAME_LIMIT = 60
"""Characters of an annotator's name."""


class InspectState(PageState):
    """Everything that a user can choose on the Inspect screen.

    Browse: `search` is a text that question, golds or answer contain; `metric` the one that is shown and sorted by, ""
    for the first; `within` two bounds of its scores, "" for any; `page` counts from 1; `instance` is the stored id of
    the one that is open, 0 for none.

    Annotate: `queue` is a queue's id, "" for none; `annotator` a person's name and `reads` the languages that they
    read; `others`: they are given answers in further languages too; `item` is the number of the item that is open, 0
    for the next one, and `showing` whether it is shown for the first or the second time.
    """

    PAGE: ClassVar[str] = "inspect"

    view: InspectView = "browse"
    filter_: Annotated[Filter, flat_filter("experiments", *FILTERS)] = Filter()
    search: str = ""
    metric: str = ""
    order: Literal["worst", "best"] = "worst"
    within: Within = ""
    only: tuple[Only, ...] = ()
    page: Annotated[int, Field(ge=1, le=999_999_999)] = 1
    instance: Number = 0
    queue: str = ""
    annotator: Annotated[str, Field(max_length=NAME_LIMIT)] = ""
    reads: tuple[LanguageCode, ...] = ()
    others: bool = False
    item: Number = 0
    showing: Annotated[int, Field(ge=1, le=2)] = 1

    @property
    def listed(self) -> InspectState:
        """What says which instances are listed, and how: without page, view or person."""
        return InspectState(**{name: getattr(self, name) for name in LISTED})

    @property
    def query(self) -> str:
        """The URL's part that says which instances are listed."""
        return urlencode(self.listed.to_params(), doseq=True)

    def after(self, path: str) -> Self:
        """What was open under other filters is closed; another queue begins with the person's next item."""
        if path in ("queue", "others"):
            return self.with_(item=0, showing=1)
        if path == "view":
            return self
        return self.with_(page=1, instance=0, **({"within": ""} if path == "metric" else {}))


SESSION = PageSession(InspectState)


def restore() -> InspectState:
    """The state before any control is drawn: from the URL where it is new, else as it last was."""
    # Who annotates is kept where a link does not say.
    state = SESSION.restore(keep=("annotator", "reads"))
    if (name := state.annotator) and (worker := permitted.worker(name, "labels.save")) != name:
        SESSION.set(state.with_(annotator=worker))
    return SESSION.current
