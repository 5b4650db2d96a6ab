"""How some uploaded files stand on their way into a corpus: a small file that the process at work writes.

It is next to the job's lock, which alone tells a process at work from one that was killed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args

from workbench.documents.chunking.chunk_method import DEFAULT
from workbench.documents.document_parts import OcrRequest
from workbench.documents.reading import ReadingOptions
from workbench.processes import lock
from workbench.storage import atomic

IntakeState = Literal["staged", "waiting", "reading", "previewed", "adding", "done", "stopped", "failed", "interrupted"]
"""`staged`: files are there and nothing was begun; `waiting`: a process starts; `reading`: for the preview."""
Verb = Literal["preview", "add"]
OcrPages = Literal["missing", "all", "off"]
AT_WORK = ("waiting", "reading", "adding")


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
class IntakeStatus:
    """How a job stands. `done` passages were read or indexed of `total` (0: not known) in the present `phase`.

    `corpus`, `documents`, `passages` and `refused` (sentences by file) are the result once it is done. Times are
    seconds since 1970.
    """

    job: str
    state: IntakeState = "staged"
    verb: Verb = "preview"
    choices: IntakeChoices = field(default_factory=IntakeChoices)
    phase: str = ""
    done: int = 0
    total: int = 0
    started: float = 0.0
    updated: float = 0.0
    pid: int | None = None
    error: str = ""
    corpus: str = ""
    documents: int = 0
    passages: int = 0
    refused: Mapping[str, str] = field(default_factory=dict)

    @property
    def active(self) -> bool:
        """Whether a process is at work or about to be."""
        return self.state in AT_WORK

    @property
    def share(self) -> float:
        """How much of the present phase is done, 0 to 1; 0 while that is not known."""
        return min(1.0, self.done / self.total) if self.total else 0.0


@dataclass(frozen=True, slots=True)
class IntakeFiles:
    """The folder of one job: the staged files, the status, the preview, the lock and the log."""

    folder: Path

    @property
    def staged(self) -> Path:
        """The folder of the uploaded files."""
        return self.folder / "files"

    @property
    def lock(self) -> Path:
        """Acquired by the process at work, which loses it when it ends, however that happens."""
        return self.folder / "job.lock"

    @property
    def log(self) -> Path:
        """What the process printed."""
        return self.folder / "job.log"

    @property
    def preview(self) -> Path:
        """The preview as JSON."""
        return self.folder / "preview.json"

    def paths(self) -> list[Path]:
        """The staged files by name."""
        return sorted(self.staged.iterdir()) if self.staged.is_dir() else []

    def read(self) -> IntakeStatus | None:
        """The status; `interrupted` where it claims a process that is gone. None where there is none."""
        status = self._stored()
        if status is None or not status.active or lock.is_locked(self.lock):
            return status
        # A process records its end before it releases the lock: what it wrote last is its last word.
        last = self._stored()
        return replace(last, state="interrupted") if last is not None and last.active else last

    def write(self, status: IntakeStatus) -> None:
        """Stores a status, atomically."""
        atomic.write_text(self.folder / "status.json", json.dumps(asdict(status), ensure_ascii=False) + "\n")

    def _stored(self) -> IntakeStatus | None:
        try:
            values: dict[str, Any] = json.loads((self.folder / "status.json").read_bytes())
            if values["state"] not in get_args(IntakeState):
                return None
            values["choices"] = IntakeChoices(**values["choices"])
            names = {item.name for item in fields(IntakeStatus)}
            return IntakeStatus(**{name: value for name, value in values.items() if name in names})
        except (OSError, ValueError, TypeError, KeyError):
            return None


def now() -> float:
    """Seconds since 1970."""
    return time.time()
