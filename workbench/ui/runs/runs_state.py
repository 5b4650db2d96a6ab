"""The Runs screen's state: in the session, and in the URL that shows the same experiment."""

from __future__ import annotations

from typing import ClassVar

from workbench.ui.parts.page_state import PageSession, PageState


class RunsState(PageState):
    """The experiment that is shown, "" for the newest."""

    PAGE: ClassVar[str] = "runs"

    experiment: str = ""


SESSION = PageSession(RunsState)
