"""What the Data screen shows: in the session, in the URL that shows the same, and in the controls that select it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal, Self

import streamlit as st
from pydantic import Field

from workbench.core import shorten
from workbench.data import SAMPLE
from workbench.ui.parts import safe_html
from workbench.ui.parts.badges import language_words
from workbench.ui.parts.page_state import Allowed, Number, PageSession, PageState, Params

View = Literal["datasets", "corpora", "review", "demonstrations"]
VIEWS: Mapping[View, str] = {
    "datasets": "Datasets",
    "corpora": "Corpora",
    "review": "Questions to review",
    "demonstrations": "Demonstrations to review",
}
NAMED: Mapping[View, str] = {
    "datasets": "dataset",
    "corpora": "corpus",
    "review": "review",
    "demonstrations": "demonstrations",
}
"""The parameter of the URL that names what a view shows, and by that the view."""
NOUNS: Mapping[View, str] = {
    "datasets": "dataset",
    "corpora": "corpus",
    "review": "set of questions",
    "demonstrations": "set of demonstrations",
}
Decision = Literal["waiting", "filtered", "accepted", "rejected"]
DECISIONS: Mapping[Decision, str] = {
    "waiting": "To review",
    "filtered": "Held back by a filter",
    "accepted": "Accepted",
    "rejected": "Rejected",
}
"""Which drafts of a set are shown, and their titles."""
LANGUAGES = Mapping[str, Sequence[str]]
"""The languages of datasets or corpora by name."""
PER_PAGE = 10
EXAMPLES = {"datasets": "Words of questions, answers or ids, in any script", "corpora": "Words or an id, in any script"}


class Selection(PageState):
    """What is shown: a dataset's questions, a corpus's passages or documents, or a set's drafts to review.

    `language` and `search` limit them ("": they do not); `document` limits passages to one document, `passage` to
    those whose ids are its lines. `page` counts from 1. `draft` is the number of the draft that is reviewed, 0 for the
    first of those with the `decision`.
    """

    PAGE: ClassVar[str] = "data"

    view: View = "datasets"
    name: str = SAMPLE
    language: str = ""
    search: str = ""
    page: Annotated[int, Field(ge=1, le=999_999_999)] = 1
    show: Literal["passages", "documents"] = "passages"
    document: str = ""
    passage: str = ""
    draft: Number = 0
    decision: Decision = "waiting"

    @classmethod
    def parameters(cls) -> tuple[str, ...]:
        """The names of the URL's parameters."""
        return (*NAMED.values(), *(name for name in super().parameters() if name not in ("view", "name")))

    def to_params(self) -> dict[str, list[str]]:
        """The selection as parameters: its name stands under that of its view."""
        params = super().to_params()
        params.pop("view", None), params.pop("name", None)
        return {NAMED[self.view]: [self.name], **params} if self != Selection() else {}

    @classmethod
    def from_params(cls, params: Params, allowed: Allowed | None = None) -> tuple[Self, tuple[str, ...]]:
        """The selection that a URL names, and a sentence for each value in it that is not allowed."""
        rest = {name: values for name, values in params.items() if name not in ("view", "name")}
        view = next((view for view, name in NAMED.items() if name in params), next(iter(NAMED)))
        return super().from_params({**rest, "view": [view], "name": params.get(NAMED[view], [SAMPLE])}, allowed)

    def after(self, path: str) -> Self:
        """Another view or list begins at its first page; what was one passage of another list is none of this one."""
        if path == "view":
            return type(self)(view=self.view)
        document = self.document if path == "language" or (path == "search" and self.show == "passages") else ""
        return self.with_(page=1, document=document, passage="", draft=0)


SESSION = PageSession(Selection)


def restore(named: Mapping[View, LANGUAGES]) -> None:
    """The selection before any control is drawn, with a sentence for what a new URL names in vain.

    `named` has what each view can show, with its languages.
    """
    selection = SESSION.restore()
    languages = named[selection.view]
    noun, problem = NOUNS[selection.view], ""
    if selection.name not in languages:
        if selection.name:  # it is empty where there is nothing to show yet
            problem = f"The link names the {noun} “{shorten(selection.name)}”, which is not in this workspace."
        known = SAMPLE if SAMPLE in languages else next(iter(languages), "")
        selection = selection.with_(name=known, document="", passage="", draft=0)
    elif selection.language and selection.language not in languages[selection.name]:
        language = shorten(selection.language)
        problem = f"The link names the language “{language}”, which the {noun} “{selection.name}” lacks."
    if selection.language not in languages.get(selection.name, ()):
        selection = selection.with_(language="")
    SESSION.set(selection)
    if problem and SESSION.is_fresh:
        SESSION.note_problems((*SESSION.problems, problem))
        SESSION.accept()
    for sentence in SESSION.problems:
        safe_html.message(f"{sentence} Something else is shown instead.", "error")


def draw(available: LANGUAGES) -> Selection:
    """The controls for one dataset or corpus and what of it; returns the selection."""
    selection = SESSION.current
    left, middle, right = st.columns([1, 1, 1.4], gap="medium")
    left.selectbox(NOUNS[selection.view].capitalize(), list(available), **SESSION.control("name"))
    middle.selectbox(
        "Language",
        ["", *available[selection.name]],
        format_func=lambda code: language_words(code) if code else "All languages",
        **SESSION.control("language"),
    )
    right.text_input("Search", placeholder=EXAMPLES[selection.view], max_chars=200, **SESSION.control("search"))
    if selection.view == "corpora":
        st.segmented_control(
            "Show",
            ["passages", "documents"],
            format_func=str.capitalize,
            required=True,
            label_visibility="collapsed",
            **SESSION.control("show"),
        )
    return selection.with_(search=selection.search.strip())


def show(selection: Selection) -> None:
    """Shows a selection from the next run on: for callbacks, and before a run begins again."""
    SESSION.set(selection)
    SESSION.change()


def everything() -> None:
    """A callback: all passages again, instead of one or those of a document."""
    SESSION.change(document="", passage="", page=1)
