"""What the Data screen shows as a URL and back: a link opened elsewhere shows the same.

No Streamlit in here. Reading never fails: for each value that is not available there is a sentence, and another one is
used instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from workbench.corpora.sample import SAMPLE
from workbench.errors import shorten

View = Literal["datasets", "corpora"]
VIEWS: Mapping[View, str] = {"datasets": "Datasets", "corpora": "Corpora"}
LANGUAGES = Mapping[str, Sequence[str]]
"""The languages of datasets or corpora by name."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What is shown: a dataset's questions, or a corpus's passages or `documents`.

    `language` and `search` limit them ("": they do not); `document` limits passages to one document, `passage` to
    those whose ids are its lines. `page` counts from 1.
    """

    view: View = "datasets"
    name: str = SAMPLE
    language: str = ""
    search: str = ""
    page: int = 1
    documents: bool = False
    document: str = ""
    passage: str = ""


def to_params(selection: Selection) -> dict[str, str]:
    """The selection as query parameters; {} for what is shown first."""
    corpora = selection.view == "corpora"
    if selection == Selection():
        return {}
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
    params: Mapping[str, str], datasets: LANGUAGES, corpora: LANGUAGES
) -> tuple[Selection, tuple[str, ...]]:
    """The selection that a URL names, and a sentence for each value in it that is not available.

    Unknown parameters, such as those of trackers, are ignored.
    """
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
    inside = {key: params.get(key, "") if view == "corpora" and known else "" for key in ("document", "passage")}
    return Selection(view, name, language, params.get("search", ""), int(page), documents, **inside), tuple(problems)
