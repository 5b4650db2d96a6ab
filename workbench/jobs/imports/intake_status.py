"""How some uploaded files stand on their way into a corpus, and what becomes of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Self, get_args

from workbench.data import DEFAULT, OcrRequest, ReadingOptions
from workbench.jobs.job_folder import JobFolder, WorkStatus

IntakeState = Literal["staged", "waiting", "reading", "previewed", "adding", "done", "stopped", "failed", "interrupted"]
"""`staged`: files are there and nothing was begun; `waiting`: a process starts; `reading`: for the preview."""
Verb = Literal["preview", "add"]
OcrPages = Literal["missing", "all", "off"]


@dataclass(frozen=True, slots=True)
class IntakeChoices:
    """What becomes of the files: the corpus, which is new or takes them, and how they are read.

    `languages` are those of single documents by name, `language` that of all others ("": detected by passage).
    `replaces`: documents of the same name are replaced in a corpus that has them with another text.
    """

    corpus: str = ""
    replaces: bool = False
    chunking: str = DEFAULT
    with_title: bool = True
    drop_duplicates: bool = False
    ocr: OcrPages = "missing"
    language: str = ""
    languages: Mapping[str, str] = field(default_factory=dict)

    @property
    def reading(self) -> ReadingOptions:
        """How the files are read. Pages are recognised in the documents' languages, where these are stated."""
        stated = dict.fromkeys(filter(None, [self.language, *self.languages.values()]))
        return ReadingOptions(
            chunking=self.chunking,
            language=self.language,
            languages=dict(self.languages),
            ocr=OcrRequest(self.ocr, tuple(stated)),
            with_title=self.with_title,
            drop_duplicates=self.drop_duplicates,
        )

    def reads_as(self, other: IntakeChoices) -> bool:
        """Whether both read the files alike, into whatever corpus."""
        return replace(self, corpus="", replaces=False) == replace(other, corpus="", replaces=False)


@dataclass(frozen=True, slots=True)
class IntakeStatus(WorkStatus):
    """How uploaded files stand: passages are read for the preview or indexed.

    `corpus`, `documents`, `passages` and `refused` (sentences by file) are the result once it is done.
    """

    states = get_args(IntakeState)
    at_work = ("waiting", "reading", "adding")

    verb: Verb = "preview"
    choices: IntakeChoices = field(default_factory=IntakeChoices)
    corpus: str = ""
    documents: int = 0
    passages: int = 0
    refused: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """The status of values as they were written. Raises ValueError, TypeError, KeyError for others."""
        choices = IntakeChoices(**values["choices"])
        # In full: a dataclass with slots is a class made anew, which the short form does not know.
        return super(IntakeStatus, cls).from_json({**values, "choices": choices})


@dataclass(frozen=True, slots=True)
class IntakeFiles(JobFolder[IntakeStatus]):
    """The folder of one upload: with the preview."""

    @property
    def preview(self) -> Path:
        """The preview as JSON."""
        return self.folder / "preview.json"

    def paths(self) -> list[Path]:
        """The staged files by name."""
        return sorted(self.staged.iterdir()) if self.staged.is_dir() else []
