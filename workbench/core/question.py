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
        """The fields by name, as files have them and fingerprints are of them."""
        # Not `asdict`: it copies every value, and takes as long as everything else that is done with a question.
        return {name: getattr(self, name) for name in FIELDS}

    @classmethod
    def from_stored(cls, values: Mapping[str, Any]) -> Question:
        """The question of such fields. Raises KeyError and TypeError where one is missing or unknown."""
        return cls(**{**values, **{name: tuple(values[name]) for name in LISTS}})


LISTS = ("answers", "gold", "gold_sections")
FIELDS = tuple(field.name for field in fields(Question))


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
