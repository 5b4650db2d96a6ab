"""One job as a folder: its files, how it stands, its log and its lock.

The status is a small file that only the process at work writes, and anyone reads. The lock next to it alone tells a
process at work from one that was killed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from workbench.workspace import atomic, lock


@dataclass(frozen=True, slots=True)
class WorkStatus:
    """How a job stands. `done` of `total` (0: not known) are through in the present `phase`.

    `state` is one of `states`; in those `at_work` a process is at work or about to be. `staged`: files are there and
    nothing was begun; `stopped`: somebody asked for
    it; `interrupted`: the process was killed. Times are seconds since 1970. Kinds of jobs add what was asked for and
    what came of it.
    """

    states: ClassVar[tuple[str, ...]] = ("staged", "waiting", "running", "done", "stopped", "failed", "interrupted")
    at_work: ClassVar[tuple[str, ...]] = ("waiting", "running")

    job: str
    state: str = "staged"
    phase: str = ""
    done: int = 0
    total: int = 0
    started: float = 0.0
    updated: float = 0.0
    pid: int | None = None
    error: str = ""

    @property
    def active(self) -> bool:
        """Whether a process is at work or about to be."""
        return self.state in self.at_work

    @property
    def share(self) -> float:
        """How much of the present phase is done, 0 to 1; 0 while that is not known."""
        return min(1.0, self.done / self.total) if self.total else 0.0

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """The status of values as they were written. Raises ValueError, TypeError, KeyError for others."""
        if values["state"] not in cls.states:
            raise ValueError(values["state"])
        names = {item.name for item in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in names})


S = TypeVar("S", bound=WorkStatus)


class Ending(Protocol):
    """A status that states whether it claims a process."""

    @property
    def active(self) -> bool:
        """Whether a process is at work or about to be."""


E = TypeVar("E", bound=Ending)


def last_word(read: Callable[[], E | None], lock_file: Path, interrupted: Callable[[E], E]) -> E | None:
    """The status that `read` gives; `interrupted` of it where it claims a process that is gone. None for none."""
    status = read()
    if status is None or not status.active or lock.is_locked(lock_file):
        return status
    # A process records its end before it releases the lock: what it wrote last is its last word.
    last = read()
    return interrupted(last) if last is not None and last.active else last


@dataclass(frozen=True, slots=True)
class JobFolder(Generic[S]):
    """The folder of one job whose status is of a `kind`."""

    folder: Path
    kind: type[S]

    @property
    def staged(self) -> Path:
        """The folder of the files that were uploaded for it."""
        return self.folder / "files"

    @property
    def lock(self) -> Path:
        """Acquired by the process at work, which loses it when it ends, however that happens."""
        return self.folder / "job.lock"

    @property
    def log(self) -> Path:
        """What the process printed."""
        return self.folder / "job.log"

    def read(self) -> S | None:
        """The status; `interrupted` where it claims a process that is gone. None where there is none."""
        return last_word(self._stored, self.lock, lambda status: replace(status, state="interrupted"))

    def write(self, status: S) -> None:
        """Stores a status, atomically."""
        atomic.write_text(self.folder / "status.json", json.dumps(asdict(status), ensure_ascii=False) + "\n")

    def _stored(self) -> S | None:
        try:
            return self.kind.from_json(json.loads((self.folder / "status.json").read_bytes()))
        except (OSError, ValueError, TypeError, KeyError):
            return None


def now() -> float:
    """Seconds since 1970."""
    return time.time()
