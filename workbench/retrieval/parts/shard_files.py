"""The files of an index's parts: arrays, and which passages of the corpus a part holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from workbench.core import Hit

BATCH = 512
"""Passages encoded at once."""
DECIMALS = 5
"""Scores are rounded to this many decimals: below that, the order of float additions shows."""
ROWS, IDS = "rows.npy", "ids.npy"

Numbers = npt.NDArray[np.int64]
NONE: Numbers = np.zeros(0, dtype=np.int64)
"""No rows, no places."""


def save_array(directory: Path, part: str, ending: str, array: npt.NDArray[Any]) -> None:
    """Writes `<part>.<ending>`, without pickles."""
    np.save(directory / f"{part}.{ending}", array, allow_pickle=False)


def load_arrays(directory: Path, part: str, endings: Iterable[str]) -> list[npt.NDArray[Any]]:
    """The arrays `<part>.<ending>`, memory-mapped and without pickles."""
    return [mapped(directory / f"{part}.{ending}") for ending in endings]


def mapped(path: Path) -> npt.NDArray[Any]:
    """The array in a file, memory-mapped and without pickles."""
    # As a plain array: the class memmap takes ten times as long for each passage that is looked up.
    return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))


@dataclass(frozen=True, slots=True)
class ShardPassages:
    """Which passages a part holds, by their place in it: rows in the corpus, ascending, and ids.

    `removed` are the places, ascending, of passages that were removed from the corpus since.
    """

    rows: Numbers
    ids: npt.NDArray[np.bytes_]
    removed: Numbers = field(default_factory=lambda: NONE)

    @classmethod
    def open(cls, directory: Path, part: str, removed: Numbers = NONE) -> ShardPassages:
        """Memory-mapped; `removed` are rows, ascending. Raises ValueError where the two files do not match."""
        rows, ids = load_arrays(directory, part, (ROWS, IDS))
        if len(rows) != len(ids):
            raise ValueError("as many rows as ids")
        if not len(removed) or not len(rows):
            return cls(rows, ids)
        places = np.searchsorted(rows, removed)
        within = places < len(rows)
        places = places[within][rows[places[within]] == removed[within]]
        return cls(rows, ids, places.astype(np.int64))

    def __len__(self) -> int:
        """The number of passages, with those that were removed."""
        return len(self.rows)

    @property
    def live(self) -> int:
        """The number of passages without those that were removed."""
        return len(self.rows) - len(self.removed)

    def live_places(self) -> Numbers:
        """The places of the passages that were not removed, ascending."""
        return self.without_removed(np.arange(len(self.rows), dtype=np.int64))

    def without_removed(self, places: Numbers) -> Numbers:
        """`places` but those of passages that were removed, in the same order."""
        return places[~np.isin(places, self.removed)] if len(self.removed) else places

    def place_of(self, row: int) -> int:
        """The place of the passage in `row` of the corpus, which this part holds."""
        return int(np.searchsorted(self.rows, row))

    def hit(self, place: int, language: str, score: float, kind: str) -> Hit:
        """The passage at `place`, in `language`, with its score in an index of this kind."""
        rounded = round(score, DECIMALS)
        return Hit(self.id(place), int(self.rows[place]), language, rounded, {kind: rounded})

    def id(self, place: int) -> str:
        """The id of the passage at `place`."""
        return bytes(self.ids[place]).decode(errors="surrogatepass")


class ShardWriter(Protocol):
    """Collects what the encoder computed for the passages of one part, batch by batch, and writes it at the end."""

    def add(self, encoded: Any) -> None:
        """Takes the rows of further passages, in order."""
        ...

    def write(self, directory: Path, part: str) -> None:
        """Writes the part's files, `<part>.<ending>`, into `directory`."""
        ...


class IndexPart(Protocol):
    """An opened part."""

    @property
    def members(self) -> ShardPassages:
        """Its passages."""
        ...

    def encoded(self, places: Numbers) -> Any:
        """What the encoder computed for the passages at `places`, as a `ShardWriter` takes it."""
        ...


@dataclass(slots=True)
class PartWriter:
    """Writes a part: what the encoder computed, by `encoded`, and which passages it is of."""

    encoded: ShardWriter
    rows: list[int] = field(default_factory=list)
    ids: list[bytes] = field(default_factory=list)

    def add(self, rows: Sequence[int], ids: Iterable[str], encoded: Any) -> None:
        """Takes further passages: their rows in the corpus, ascending, their ids and what was computed for each."""
        self.rows += rows
        self.ids += [passage_id.encode(errors="surrogatepass") for passage_id in ids]
        self.encoded.add(encoded)

    def take(self, part: IndexPart) -> None:
        """Takes the passages of an opened part that were not removed, BATCH of them at a time."""
        places = part.members.live_places()
        for start in range(0, len(places), BATCH):
            some = places[start : start + BATCH]
            ids = [part.members.id(int(place)) for place in some]
            self.add(part.members.rows[some].tolist(), ids, part.encoded(some))

    def write(self, directory: Path, part: str) -> None:
        """Writes all files of the part."""
        self.encoded.write(directory, part)
        save_array(directory, part, ROWS, np.array(self.rows, dtype=np.int64))
        save_array(directory, part, IDS, np.array(self.ids, dtype=np.bytes_))
