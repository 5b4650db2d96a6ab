"""The files of an index: its manifest, which passages each part holds, and what was opened of them.

The manifest is a small JSON file, written last and atomically. While there is none, the folder holds no index: so a
half-built one is never mistaken for a complete one. It has the checksums of the index's files, which opening the index
compares.

A service opens a corpus's indexes for each question. Reading manifests, comparing checksums and mapping files took two
thirds of the time of an answer from the cache; looking whether the files are still the same takes a fraction of a
millisecond. So what was opened is kept as long as the folder stays as it was (`OpenedOnce`).
"""

from __future__ import annotations

import json
import os
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, Protocol, TypeVar, cast

import numpy as np
import numpy.typing as npt

from workbench.core import DataError, Hit, MissingError, shorten
from workbench.workspace import FILES, DamagedFile, check_files, checksums, sealed, unsealed, write_text

HINT = "Build it again: python -m workbench corpora index"

Manifest = TypeVar("Manifest")


def manifest_path(directory: Path, kind: str) -> Path:
    """The manifest of the index of this `kind` (`lexical`, `dense`, `sparse`) in `directory`."""
    return directory / f"{kind}.json"


def write_manifest(
    directory: Path, kind: str, facts: Mapping[str, Any], files: Iterable[Path] = (), without: Iterable[Path] = ()
) -> None:
    """Makes the index in `directory`, which consists of `files`, complete, atomically.

    Where `facts` were read from a manifest, its files stay part of the index, except `files`, which are new, and those
    it is now `without`: only the new ones are read.
    """
    gone = {path.relative_to(directory).as_posix() for path in without}
    former = {name: value for name, value in facts.get(FILES, {}).items() if name not in gone}
    stored = sealed({**facts, FILES: {**former, **checksums(directory, files)}})
    write_text(manifest_path(directory, kind), json.dumps(stored, indent=1))


def read_facts(directory: Path, kind: str) -> Mapping[str, Any]:
    """All that the manifest states, with the checksums of the index's files. Raises as `read_manifest` does."""
    facts: Mapping[str, Any] = read_manifest(directory, kind, dict)
    return facts


def read_manifest(directory: Path, kind: str, parse: Callable[[Any], Manifest], *, deep: bool = False) -> Manifest:
    """The manifest, parsed, of files that are as they were written; `deep`: all bytes of long files are compared.

    `parse` may raise ValueError, KeyError, TypeError, AttributeError. Raises MissingError where there is no index,
    DataError where it is damaged.
    """
    path = manifest_path(directory, kind)
    if not path.is_file():
        raise MissingError(f"There is no {kind} index in {shorten(directory)}. {HINT}")
    try:
        facts = unsealed(json.loads(path.read_text(encoding="utf-8")))
        manifest = parse(facts)
        check_files(directory, facts[FILES], deep=deep)
        return manifest
    except DamagedFile as error:
        raise DataError(f"The {kind} index in {shorten(directory)} is damaged ({error}). {HINT}") from error
    except (ValueError, KeyError, TypeError, AttributeError, OSError, RecursionError) as error:
        raise DataError(f"The {kind} index's manifest {shorten(path)} cannot be read. {HINT}") from error


KEPT = 8
"""Folders, by kind of index, those used last. Files are mapped, but the bits of large dense indexes are in memory:
136 MB for a million vectors of 1,024 numbers."""

Value = TypeVar("Value")


class OpenedOnce:
    """The latest value by key, each valid for one state. Safe to share between threads."""

    def __init__(self, limit: int = KEPT) -> None:
        """`limit` is how many values are kept, those used last."""
        self._limit = limit
        self._lock = Lock()
        self._values: OrderedDict[Hashable, tuple[Hashable, object]] = OrderedDict()

    def get(self, key: Hashable, state: Hashable, make: Callable[[], Value]) -> Value:
        """The value under `key` if it is of `state`; else `make` returns it, and it replaces the former one.

        Threads that come at the same time may each make it. What `make` raises is raised, and nothing is kept. Of the
        state (), that of a folder which is not there, each value is made, and none is kept.
        """
        if state == ():
            with self._lock:
                self._values.pop(key, None)
            return make()
        with self._lock:
            stored = self._values.pop(key, None)
            if stored is not None and stored[0] == state:
                self._values[key] = stored
                return cast("Value", stored[1])
        value = make()
        with self._lock:
            self._values[key] = (state, value)
            self._values.move_to_end(key)
            while len(self._values) > self._limit:
                self._values.popitem(last=False)
        return value


OPENED = OpenedOnce()
"""That of this process."""


def folder_state(directory: Path) -> Hashable:
    """Changes whenever a file of `directory` is written, replaced, added or removed; () where there is no folder."""
    try:
        with os.scandir(directory) as entries:
            files = [(entry.name, entry.stat()) for entry in entries]
    except OSError:
        return ()
    return tuple(sorted((name, stat.st_ino, stat.st_size, stat.st_mtime_ns) for name, stat in files))


BATCH = 512
"""Passages encoded at once."""
DECIMALS = 5
"""Scores are rounded to this many decimals: below that, the order of float additions shows."""
ROWS, IDS = "rows.npy", "ids.npy"

Numbers = npt.NDArray[np.int64]
NONE: Numbers = np.zeros(0, dtype=np.int64)
"""No rows, no positions."""


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
    """Which passages a part holds, by their position in it: rows in the corpus, ascending, and ids.

    `removed` are the positions, ascending, of passages that were removed from the corpus since.
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
        positions = np.searchsorted(rows, removed)
        within = positions < len(rows)
        positions = positions[within][rows[positions[within]] == removed[within]]
        return cls(rows, ids, positions.astype(np.int64))

    def __len__(self) -> int:
        """The number of passages, with those that were removed."""
        return len(self.rows)

    @property
    def live(self) -> int:
        """The number of passages without those that were removed."""
        return len(self.rows) - len(self.removed)

    def live_positions(self) -> Numbers:
        """The positions of the passages that were not removed, ascending."""
        return self.without_removed(np.arange(len(self.rows), dtype=np.int64))

    def without_removed(self, positions: Numbers) -> Numbers:
        """`positions` but those of passages that were removed, in the same order."""
        return positions[~np.isin(positions, self.removed)] if len(self.removed) else positions

    def position_of(self, row: int) -> int:
        """The position of the passage in `row` of the corpus, which this part holds."""
        return int(self.rows.searchsorted(row))

    def hit(self, position: int, language: str, score: float, kind: str) -> Hit:
        """The passage at `position`, in `language`, with its score in an index of this kind."""
        rounded = round(score, DECIMALS)
        return Hit(self.id(position), int(self.rows[position]), language, rounded, {kind: rounded})

    def id(self, position: int) -> str:
        """The id of the passage at `position`."""
        return bytes(self.ids[position]).decode(errors="surrogatepass")


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

    def encoded(self, positions: Numbers) -> Any:
        """What the encoder computed for the passages at `positions`, as a `ShardWriter` takes it."""
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
        positions = part.members.live_positions()
        for start in range(0, len(positions), BATCH):
            some = positions[start : start + BATCH]
            ids = [part.members.id(int(position)) for position in some]
            self.add(part.members.rows[some].tolist(), ids, part.encoded(some))

    def write(self, directory: Path, part: str) -> None:
        """Writes all files of the part."""
        self.encoded.write(directory, part)
        save_array(directory, part, ROWS, np.array(self.rows, dtype=np.int64))
        save_array(directory, part, IDS, np.array(self.ids, dtype=np.bytes_))
