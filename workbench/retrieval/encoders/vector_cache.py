"""Vectors that are not computed twice: kept by text for any corpus, and kept of a build that was killed.

`VectorCache` is a SQLite file of a workspace, one for each encoder; `ShippedVectors` are read from a file that comes
with the workbench. `CachedEncoder` is an `Encoder` around another one that looks for a text in both first. All its
vectors are rounded to one byte a number (`ByteVectors`), so that it makes no difference whether one was kept or
computed. A cache is never needed: a damaged one is removed, and where nothing can be written the vectors are merely
computed again. Both are logged, since they cost time. It holds hashes of texts, not the texts.

`CheckpointedEncoder`, too, is an `Encoder` around another one. Its folder holds `vectors.npy` (float32, shape
(passages, dimensions)), `texts.npy` (uint64, shape (passages,): which text each row was computed from, 0 for none) and
`vectors.json` (whose vectors they are). A row counts only where its text is still the same, so a changed passage is
encoded again. One build at a time may use a folder.
"""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
import shutil
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol, TypeVar
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from workbench.core import DataError, Encoder, FloatArray, Passage, Query, component, fingerprint
from workbench.workspace import batched, to_wal, write_text

LEVELS = 127
"""A vector's largest number becomes ± this many steps."""


@dataclass(frozen=True, slots=True)
class ByteVectors:
    """Vectors of one byte a number: a quarter of the memory, and no ranking of ours changed by it.

    `steps` int8, shape (vectors, dimensions), and `scales` float32, shape (vectors,). A unit vector is its scale, its
    largest number in absolute value over 127, times whole numbers from -127 to 127.
    """

    steps: npt.NDArray[np.int8]
    scales: FloatArray

    @classmethod
    def of(cls, vectors: FloatArray) -> ByteVectors:
        """`vectors` rounded, shape (vectors, dimensions); a zero row stays zero."""
        scales = np.abs(vectors).max(axis=1, initial=0).astype(np.float32) / np.float32(LEVELS)
        steps = np.divide(vectors, scales[:, None], out=np.zeros_like(vectors), where=scales[:, None] > 0)
        return cls(np.rint(steps).astype(np.int8), scales)

    @property
    def vectors(self) -> FloatArray:
        """The vectors, float32; rounding them again gives the same."""
        return self.steps.astype(np.float32) * self.scales[:, None]

    def __len__(self) -> int:
        """The number of vectors."""
        return len(self.scales)


log = logging.getLogger("workbench.vectors")

FOLDER = "vectors"
"""The folder of a workspace that holds the caches."""
VERSION = 1
LOOKUPS = 500
"""Texts looked up by one query."""
SCALE_BYTES = 4
USED = (
    "SELECT (a.page_count - b.freelist_count) * c.page_size FROM pragma_page_count a, pragma_freelist_count b, "
    "pragma_page_size c"
)
"""The bytes of a file that hold something."""
DROP = "DELETE FROM vectors WHERE digest IN (SELECT digest FROM vectors WHERE digest >= ? LIMIT 64)"
LOCK_SECONDS = 5.0
"""How long another process may hold the file."""

Text = TypeVar("Text", Passage, Query)
Digests = npt.NDArray[np.int64]
Kept = Mapping[int, FloatArray]
"""Vectors by the digest of their text."""


def text_digest(text: Passage | Query | str) -> int:
    """64 bits of a text: a passage's title and text, or a question's; signed, as SQLite's integers are."""
    if not isinstance(text, str):
        text = text.searchable if isinstance(text, Passage) else f"\x1f{text.text}"
    digest = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


class VectorSource(Protocol):
    """Where vectors may be kept."""

    def get(self, digests: Sequence[int]) -> Kept:
        """Those vectors that it has."""
        ...


class ShippedVectors:
    """Implements `VectorSource` over a file that `save` wrote; read when first used."""

    def __init__(self, path: Path, encoder: str) -> None:
        """`encoder` is the identity of the encoder that they must be of; a file of another one has none."""
        self._path = path
        self._encoder = encoder

    @staticmethod
    def save(path: Path, encoder: Encoder, passages: Sequence[Passage], queries: Sequence[Query] = ()) -> None:
        """Writes the vectors of `passages` and `queries`, each text once."""
        texts = {text_digest(passage): passage for passage in passages}
        questions = {text_digest(query): query for query in queries}
        vectors = [encoder.encode_passages(list(texts.values())), encoder.encode_queries(list(questions.values()))]
        kept = ByteVectors.of(np.concatenate([part.reshape(-1, encoder.dimensions) for part in vectors]))
        digests = np.array([*texts, *questions], dtype=np.int64)
        order = np.argsort(digests)
        np.savez(
            path,
            encoder=np.array(encoder.identity),
            digests=digests[order],
            steps=kept.steps[order],
            scales=kept.scales[order],
        )

    @cached_property
    def _table(self) -> tuple[Digests, ByteVectors]:
        try:
            with np.load(self._path, allow_pickle=False) as file:
                if str(file["encoder"]) == self._encoder:
                    return file["digests"], ByteVectors(file["steps"], file["scales"])
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            log.warning("%s cannot be read (%s): its texts are encoded, which takes minutes.", self._path, error)
        return np.zeros(0, np.int64), ByteVectors.of(np.zeros((0, 1), np.float32))

    def get(self, digests: Sequence[int]) -> Kept:
        """Those vectors that the file has."""
        known, kept = self._table
        places = np.searchsorted(known, np.array(digests, dtype=np.int64))
        rows = [
            (digest, int(place))
            for digest, place in zip(digests, places, strict=True)
            if place < len(known) and known[place] == digest
        ]
        vectors = ByteVectors(kept.steps[[row for _, row in rows]], kept.scales[[row for _, row in rows]]).vectors
        return {digest: vector for (digest, _), vector in zip(rows, vectors, strict=True)}


class BlobFile:
    """Blobs by the digest of their text in a SQLite file of a workspace. Safe to share by threads and processes.

    What was damaged counts as missing; a file that cannot be used is logged, once.
    """

    def __init__(self, path: Path, most: int | None = None) -> None:
        """`path` is made when the first are kept. Once they take more than `most` bytes, some of them are dropped."""
        self._path = path
        self._most = most
        self._is_logged = False

    def get(self, digests: Sequence[int]) -> dict[int, bytes]:
        """Those that it has."""
        blobs: dict[int, bytes] = {}

        def look_up(database: sqlite3.Connection) -> None:
            for part in batched(digests, LOOKUPS):
                marks = ",".join("?" * len(part))
                query = f"SELECT digest, vector FROM vectors WHERE digest IN ({marks})"  # noqa: S608 (marks only)
                blobs.update(
                    (digest, data) for digest, blob in database.execute(query, part) if (data := _unsealed(blob))
                )

        if self._path.is_file():
            self._with_file(look_up)
        return blobs

    def put(self, blobs: Iterable[tuple[int, bytes]]) -> None:
        """Keeps blobs, where that can be done."""
        rows = [(digest, _sealed(data)) for digest, data in blobs]

        def keep(database: sqlite3.Connection) -> None:
            to_wal(database.cursor())
            database.execute("CREATE TABLE IF NOT EXISTS vectors (digest INTEGER PRIMARY KEY, vector BLOB NOT NULL)")
            with database:
                database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
                while self._most is not None and database.execute(USED).fetchone()[0] > self._most:
                    # Digests are spread evenly, so any of them.
                    database.execute(DROP, (secrets.randbits(64) - (1 << 63),))

        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
        self._with_file(keep)

    def _with_file(self, work: Callable[[sqlite3.Connection], None]) -> None:
        try:
            with closing(sqlite3.connect(self._path, timeout=LOCK_SECONDS)) as database:
                work(database)
        except sqlite3.OperationalError as error:  # a full disk, a folder that cannot be written, a long lock
            if not self._is_logged:
                self._is_logged = True
                log.warning("The cache %s cannot be used (%s): texts are encoded again.", self._path, error)
        except sqlite3.DatabaseError as error:
            self._path.unlink(missing_ok=True)
            log.warning("The cache %s was damaged (%s) and is removed: texts are encoded again.", self._path, error)


class VectorCache:
    """Implements `VectorSource` over a file that grows. Safe to share between threads and processes."""

    def __init__(self, folder: Path, encoder: Encoder) -> None:
        """`folder` is made when the first vectors are kept."""
        self._file = BlobFile(folder / f"{fingerprint('vectors', [encoder.identity, VERSION])}.db")
        self._size = encoder.dimensions + SCALE_BYTES

    def get(self, digests: Sequence[int]) -> Kept:
        """Those vectors that it has; one of another length counts as missing."""
        return {
            digest: np.frombuffer(data, np.int8, len(data) - SCALE_BYTES).astype(np.float32)
            * np.frombuffer(data[-SCALE_BYTES:], np.float32)
            for digest, data in self._file.get(digests).items()
            if len(data) == self._size
        }

    def put(self, digests: Sequence[int], vectors: ByteVectors) -> None:
        """Keeps vectors, where that can be done."""
        blobs = (steps.tobytes() + scale.tobytes() for steps, scale in zip(vectors.steps, vectors.scales, strict=True))
        self._file.put(zip(digests, blobs, strict=True))


class CachedEncoder:
    """Implements `Encoder` around another one; looks for each text in the sources first, the cache last."""

    def __init__(self, encoder: Encoder, cache: VectorCache, *shipped: VectorSource) -> None:
        """What is computed is kept in `cache`."""
        self._encoder = encoder
        self._cache = cache
        self._sources = (*shipped, cache)

    @cached_property
    def identity(self) -> str:
        """Names the inner encoder and the rounding."""
        return component("bytes", encoder=self._encoder.identity, version=VERSION)

    @property
    def dimensions(self) -> int:
        """The inner encoder's."""
        return self._encoder.dimensions

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
        """The inner encoder's vectors, rounded to one byte a number."""
        return self._encode(passages, self._encoder.encode_passages)

    def encode_queries(self, queries: Sequence[Query]) -> FloatArray:
        """The same for questions."""
        return self._encode(queries, self._encoder.encode_queries)

    def _encode(self, texts: Sequence[Text], compute: Callable[[Sequence[Text]], FloatArray]) -> FloatArray:
        digests = [text_digest(text) for text in texts]
        unique = dict(zip(digests, texts, strict=True))
        kept: dict[int, FloatArray] = {}
        for source in self._sources:
            missing = [digest for digest in unique if digest not in kept]
            if missing:
                kept.update(source.get(missing))
        if missing := [digest for digest in unique if digest not in kept]:
            computed = ByteVectors.of(compute([unique[digest] for digest in missing]))
            self._cache.put(missing, computed)
            kept.update(zip(missing, computed.vectors, strict=True))
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for place, digest in enumerate(digests):
            vectors[place] = kept[digest]
        return vectors


def _sealed(data: bytes) -> bytes:
    return data + zlib.crc32(data).to_bytes(4, "little")


def _unsealed(blob: object) -> bytes:
    """What `_sealed` was given; b"" for anything else."""
    if not isinstance(blob, bytes) or len(blob) < 4:
        return b""
    data, check = blob[:-4], blob[-4:]
    return data if zlib.crc32(data).to_bytes(4, "little") == check else b""


FORMAT = 1
VECTORS, TEXTS, MANIFEST = "vectors.npy", "texts.npy", "vectors.json"
FIRST_PIECE = 16
"""Passages encoded before the speed is known, and the fewest that are encoded at once."""
PIECE_SECONDS = 4.0
"""How much work a kill may cost: pieces are sized to take about that long. Progress and Stop wait for them, too."""


class CheckpointedEncoder:
    """Implements `Encoder`. `encode_passages` is called with the corpus's passages in order, a part at a time.

    `progress` is given the number of passages done, more often than once per part.
    """

    def __init__(
        self, encoder: Encoder, folder: Path, passages: int, progress: Callable[[int], None] | None = None
    ) -> None:
        """`passages` is the corpus's number of them; `folder` is made or reset where it does not match."""
        self._encoder = encoder
        self._progress = progress
        self._next = 0
        self._piece = FIRST_PIECE
        self._vectors, self._texts = _open(folder, encoder.identity, passages, encoder.dimensions)

    @property
    def identity(self) -> str:
        """The inner encoder's: the vectors are the same."""
        return self._encoder.identity

    @property
    def dimensions(self) -> int:
        """The inner encoder's."""
        return self._encoder.dimensions

    def encode_queries(self, queries: Sequence[Query]) -> FloatArray:
        """The inner encoder's vectors; questions are not stored."""
        return self._encoder.encode_queries(queries)

    def encode_passages(self, passages: Sequence[Passage]) -> FloatArray:
        """The vectors of the next `len(passages)` rows. Raises DataError for more passages than were announced."""
        first, end = self._next, self._next + len(passages)
        if end > len(self._texts):
            raise DataError(f"The corpus has more than the {len(self._texts)} passages announced; index it again.")
        start = 0
        while start < len(passages):
            part = passages[start : start + self._piece]
            self._fill(first + start, part)
            start += len(part)
            self._next = first + start
            if self._progress:
                self._progress(self._next)
        return np.array(self._vectors[first:end])

    def _fill(self, row: int, passages: Sequence[Passage]) -> None:
        digests = np.array([_digest(passage) for passage in passages], dtype=np.uint64)
        places = np.flatnonzero(self._texts[row : row + len(passages)] != digests)
        if not places.size:
            return
        began = time.perf_counter()
        vectors = self._encoder.encode_passages([passages[int(place)] for place in places])
        seconds = time.perf_counter() - began
        # Vectors first: a kill in between leaves rows that are encoded again, never digests without vectors.
        self._vectors[row + places] = vectors
        self._vectors.flush()
        self._texts[row + places] = digests[places]
        self._texts.flush()
        self._piece = max(FIRST_PIECE, int(len(places) * PIECE_SECONDS / max(seconds, 1e-6)))


def discard(folder: Path) -> None:
    """Removes what `CheckpointedEncoder` left in `folder`, once the index is complete."""
    shutil.rmtree(folder, ignore_errors=True)


def _digest(passage: Passage) -> int:
    text = f"{passage.language}\x1f{passage.searchable}".encode(errors="surrogatepass")
    # 0 means that a row has not been computed.
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little") or 1


def _open(
    folder: Path, identity: str, passages: int, dimensions: int
) -> tuple[np.memmap[tuple[int, int], np.dtype[np.float32]], np.memmap[tuple[int], np.dtype[np.uint64]]]:
    """The two files, reused where they belong to this encoder and this number of passages, else new and empty."""
    facts = json.dumps({"format": FORMAT, "encoder": identity, "passages": passages, "dimensions": dimensions})
    vectors, texts = folder / VECTORS, folder / TEXTS
    if not _matches(folder, facts):
        discard(folder)
        folder.mkdir(parents=True)
        _create(vectors, np.float32, (passages, dimensions))
        _create(texts, np.uint64, (passages,))
        write_text(folder / MANIFEST, facts)
    return np.lib.format.open_memmap(vectors, mode="r+"), np.lib.format.open_memmap(texts, mode="r+")


def _matches(folder: Path, facts: str) -> bool:
    try:
        return (folder / MANIFEST).read_text(encoding="utf-8") == facts
    except (OSError, ValueError):
        return False


def _create(path: Path, kind: npt.DTypeLike, shape: tuple[int, ...]) -> None:
    np.lib.format.open_memmap(path, mode="w+", dtype=kind, shape=shape).flush()
