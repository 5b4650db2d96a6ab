"""A question of a dataset, with what is known to be right."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any

from workbench.core.passage import Passage

NO_EVIDENCE = "none"
"""What `Question.evidence_in` is where the corpus has no answer."""
BY_PASSAGE, BY_PAGE = "passage", "page"
"""What the gold of a dataset names: passages, or groups of them in translation; or pages with all their passages."""
PAGE = "page::"
"""What the name of a gold page begins with, so that it is never taken for a passage's id."""


@dataclass(frozen=True, slots=True)
class Question:
    """`answers` are the gold answer and its aliases, in `language`. `gold` are ids of passages that answer it.

    Where a dataset's gold is by page, they are names of pages (`page_name`), and `gold_sections` the headings under
    which its source saw the answer there, "" for a page's beginning; none where the source does not say.
    `evidence_in` says in which languages there is evidence for the answer: `en`, `ul`, `both`, `conflict`, `other`
    (another language only), `none` (the corpus has no answer), or "" where the dataset does not say. `phenomenon` marks
    teaching examples.
    """

    id: str
    text: str
    language: str
    answers: tuple[str, ...] = ()
    gold: tuple[str, ...] = ()
    evidence_in: str = ""
    phenomenon: str = ""
    gold_sections: tuple[str, ...] = ()

    @property
    def unanswerable(self) -> bool:
        """Whether the dataset says that the corpus has no answer, so that abstaining is right."""
        return self.evidence_in == NO_EVIDENCE

    def to_stored(self) -> dict[str, Any]:
        """The fields under the names that files and fingerprints know them by."""
        # Not `asdict`: it copies every value, and takes as long as everything else that is done with a question.
        values = {stored: getattr(self, name) for name, stored in STORED_NAMES.items()}
        if self.gold_sections:
            values[SECTIONS] = self.gold_sections
        return values

    @classmethod
    def from_stored(cls, values: Mapping[str, Any]) -> Question:
        """The question of such fields; raises KeyError for a field that is unknown or missing."""
        named = {FIELD_NAMES[stored]: value for stored, value in values.items()}
        lists = {name: tuple(named.get(name, ())) for name in (*REQUIRED_LISTS, SECTIONS)}
        if missing := [name for name in REQUIRED_LISTS if name not in named]:
            raise KeyError(missing[0])
        return cls(**{**named, **lists})


SECTIONS = "gold_sections"
"""The field that came later: it is stored, and part of a fingerprint, only where it is not empty."""
REQUIRED_LISTS = ("answers", "gold")
STORED_NAMES = {
    field.name: "found_in" if field.name == "evidence_in" else field.name
    for field in fields(Question)
    if field.name != SECTIONS
}
"""The name of each field in datasets' files, in exports and in fingerprints."""
FIELD_NAMES = {**{stored: name for name, stored in STORED_NAMES.items()}, SECTIONS: SECTIONS}


def page_name(key: str) -> str:
    """The name of a gold page by its key: the id of a document, or the group of an article in several languages.

    >>> page_name("en:12")
    'page::en:12'
    """
    return f"{PAGE}{key}"


def page_key(name: str) -> str:
    """The key of a gold page by its name, "" for a passage's id.

    >>> page_key("page::en:12"), page_key("en:12#0")
    ('en:12', '')
    """
    return name.removeprefix(PAGE) if name.startswith(PAGE) else ""


def is_gold(passage: Passage, golds: Collection[str]) -> bool:
    """Whether a passage is among some golds: by its id, or as part of a gold page."""
    pages = (passage.group, passage.document)
    return passage.id in golds or any(page_name(key) in golds for key in pages if key)
