"""What the Data screen shows as a URL and back: a link opened elsewhere shows the same.

No Streamlit in here. Reading never fails: for each value that is not available there is a sentence, and another one is
used instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from workbench.core import shorten
from workbench.data import SAMPLE

View = Literal["datasets", "corpora", "review"]
VIEWS: Mapping[View, str] = {"datasets": "Datasets", "corpora": "Corpora", "review": "Questions to review"}
Decision = Literal["waiting", "filtered", "accepted", "rejected"]
DECISIONS: Mapping[Decision, str] = {
    "waiting": "To review",
    "filtered": "Held back by a filter",
    "accepted": "Accepted",
    "rejected": "Rejected",
}
"""Which drafts of a set are shown, and the words for them."""
LANGUAGES = Mapping[str, Sequence[str]]
"""The languages of datasets or corpora by name."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What is shown: a dataset's questions, a corpus's passages or `documents`, or a set's drafts to review.

    `language` and `search` limit them ("": they do not); `document` limits passages to one document, `passage` to
    those whose ids are its lines. `page` counts from 1. `draft` is the number of the draft that is reviewed, 0 for the
    first of those with the `decision`.
    """

    view: View = "datasets"
    name: str = SAMPLE
    language: str = ""
    search: str = ""
    page: int = 1
    documents: bool = False
    document: str = ""
    passage: str = ""
    draft: int = 0
    decision: Decision = "waiting"


def to_params(selection: Selection) -> dict[str, str]:
    """The selection as query parameters; {} for what is shown first."""
    corpora = selection.view == "corpora"
    if selection == Selection():
        return {}
    if selection.view == "review":
        return {
            "review": selection.name,
            **({"draft": str(selection.draft)} if selection.draft else {}),
            **({"decision": selection.decision} if selection.decision != "waiting" else {}),
        }
    params = {
        "corpus" if corpora else "dataset": selection.name,
        "language": selection.language,
        "search": selection.search,
        "page": str(selection.page) if selection.page > 1 else "",
        "show": "documents" if corpora and selection.documents else "",
        "document": selection.document if corpora else "",
        "passage": selection.passage if corpora else "",
    }
    return {key: value for key, value in params.items() if value}


def from_params(
    params: Mapping[str, str], datasets: LANGUAGES, corpora: LANGUAGES, reviews: Sequence[str] = ()
) -> tuple[Selection, tuple[str, ...]]:
    """The selection that a URL names, and a sentence for each value in it that is not available.

    Unknown parameters, such as those of trackers, are ignored.
    """
    if "review" in params and not {"corpus", "dataset"} & set(params):
        return _review(params, reviews)
    problems: list[str] = []
    view: View = "corpora" if "corpus" in params and "dataset" not in params else "datasets"
    noun, available = ("corpus", corpora) if view == "corpora" else ("dataset", datasets)
    name = params.get(noun, SAMPLE)
    known = name in available
    if not known:
        problems.append(f"The link names the {noun} “{shorten(name)}”, which is not in this workspace.")
        name = SAMPLE
    language = params.get("language", "")
    if language and language not in available[name]:
        if known:
            problems.append(f"The link names the language “{shorten(language)}”, which the {noun} “{name}” lacks.")
        language = ""
    page = params.get("page", "1")
    if not (page.isdecimal() and page.isascii() and len(page) < 10 and int(page)):
        problems.append(f"The link names the page “{shorten(page)}”, which is not a number from 1.")
        page = "1"
    show = params.get("show", "passages")
    if show not in ("passages", "documents"):
        problems.append(f"The link asks to show “{shorten(show)}”. Allowed: passages, documents.")
    documents = show == "documents" and view == "corpora"
    document, passage = (params.get(key, "") if view == "corpora" and known else "" for key in ("document", "passage"))
    search = params.get("search", "")
    return Selection(view, name, language, search, int(page), documents, document, passage), tuple(problems)


def _review(params: Mapping[str, str], reviews: Sequence[str]) -> tuple[Selection, tuple[str, ...]]:
    """The drafts that a URL names; `reviews` are the names of the sets."""
    problems: list[str] = []
    name, draft, given = params["review"], params.get("draft", "0"), params.get("decision", "waiting")
    if name and name not in reviews:
        problems.append(f"The link names the questions “{shorten(name)}”, which are not in this workspace.")
        name = ""
    if not (draft.isdecimal() and draft.isascii() and len(draft) < 10):
        problems.append(f"The link names the draft “{shorten(draft)}”, which is not a number.")
        draft = "0"
    decision = next((item for item in DECISIONS if item == given), None)
    if decision is None:
        problems.append(f"The link asks to show “{shorten(given)}”. Allowed: {', '.join(DECISIONS)}.")
    name = name or next(iter(reviews), "")
    return Selection("review", name, draft=int(draft), decision=decision or "waiting"), tuple(problems)
