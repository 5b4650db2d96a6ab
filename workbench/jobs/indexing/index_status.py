"""How the indexing of a corpus by an encoder stands: a small file that the process at work writes, and anyone reads.

It is next to the job's lock, which alone tells a process at work from one that was killed.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, Self, get_args

from workbench.workspace import atomic, duration_words

IndexState = Literal["waiting", "running", "done", "stopped", "failed", "interrupted"]
"""`waiting`: starting, or for its turn; `interrupted`: its process was killed, and resuming goes on where it was."""
UNDER_WAY = ("waiting", "running")


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """How an index stands. `version` is that of the corpus; `done` of `total` passages are encoded.

    `rate` is the measured pace in passages per second, 0 until there is one; `seconds_left` what was left at `updated`,
    None while unknown. `stopping`: it was asked to stop. Times are seconds since 1970.
    """

    corpus: str
    version: str
    encoder: str
    state: IndexState
    done: int = 0
    total: int = 0
    rate: float = 0.0
    seconds_left: float | None = None
    started: float = 0.0
    updated: float = 0.0
    pid: int | None = None
    error: str = ""
    stopping: bool = False

    @property
    def active(self) -> bool:
        """Whether a process is at work or about to be."""
        return self.state in UNDER_WAY

    @property
    def share(self) -> float:
        """How much is done, 0 to 1."""
        return min(1.0, self.done / self.total) if self.total else 0.0

    def left_words(self, now: float) -> str:
        """What is left at `now`, such as “about 3 minutes”; "" while that is unknown."""
        if self.seconds_left is None:
            return ""
        return f"about {duration_words(max(1.0, self.seconds_left - max(0.0, now - self.updated)))}"

    def far_words(self, now: float) -> str:
        """How far it is at `now`, such as “40 % (about 3 minutes)”."""
        left = self.left_words(now)
        return f"{100 * self.share:.0f} %{f' ({left})' if left else ''}"

    def to_json(self) -> dict[str, Any]:
        """The status as plain values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class IndexFiles:
    """The files of one corpus version's indexing by one encoder: `base` with a suffix each."""

    base: Path

    @property
    def lock(self) -> Path:
        """Acquired by the process at work, which loses it when it ends, however that happens."""
        return self.base.with_suffix(".lock")

    @property
    def log(self) -> Path:
        """What the process printed."""
        return self.base.with_suffix(".log")

    @property
    def status(self) -> Path:
        """The status as JSON; only the process that has the lock writes it."""
        return self.base.with_suffix(".json")

    @property
    def wish(self) -> Path:
        """Exists where the process shall stop."""
        return self.base.with_suffix(".stop")

    def read(self) -> IndexStatus | None:
        """The status as it was written, None where there is none that can be read."""
        try:
            values = json.loads(self.status.read_bytes())
            if values["state"] not in get_args(IndexState):
                return None
            status = IndexStatus(
                **{item.name: values[item.name] for item in fields(IndexStatus) if item.name in values}
            )
        except (OSError, ValueError, TypeError, KeyError):
            return None
        return replace(status, stopping=status.active and self.wish.exists())

    def write(self, status: IndexStatus) -> None:
        """Stores a status, atomically."""
        atomic.write_text(self.status, json.dumps(status.to_json()) + "\n")

    def remove(self) -> None:
        """Removes all of them."""
        for path in (self.status, self.wish, self.log, self.lock):
            path.unlink(missing_ok=True)

    @classmethod
    def in_folder(cls, folder: Path, key: str) -> Self:
        """The files of the job called `key`."""
        return cls(folder / f"index-{key}")


def now() -> float:
    """Seconds since 1970."""
    return time.time()
