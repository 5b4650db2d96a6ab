"""A question of a dataset, with what is known to be right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

NO_EVIDENCE = "none"
"""What `Question.evidence_in` is where the corpus has no answer."""


@dataclass(frozen=True, slots=True)
class Question:
    """`answers` are the gold answer and its aliases, in `language`. `gold` are ids of passages that answer it.

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

    @property
    def unanswerable(self) -> bool:
        """Whether the dataset says that the corpus has no answer, so that abstaining is right."""
        return self.evidence_in == NO_EVIDENCE

    def to_stored(self) -> dict[str, Any]:
        """The fields under the names that files and fingerprints know them by."""
        # Not `asdict`: it copies every value, and takes as long as everything else that is done with a question.
        return {stored: getattr(self, name) for name, stored in STORED_NAMES.items()}

    @classmethod
    def from_stored(cls, values: Mapping[str, Any]) -> Question:
        """The question of such fields; raises KeyError for a field that is unknown or missing."""
        named = {FIELD_NAMES[stored]: value for stored, value in values.items()}
        return cls(**{**named, "answers": tuple(named["answers"]), "gold": tuple(named["gold"])})


STORED_NAMES = {field.name: "found_in" if field.name == "evidence_in" else field.name for field in fields(Question)}
"""The name of each field in datasets' files, in exports and in fingerprints."""
FIELD_NAMES = {stored: name for name, stored in STORED_NAMES.items()}
