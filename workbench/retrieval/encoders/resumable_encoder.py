"""Encoding that survives a kill: vectors go to a file as they are computed, and the next attempt reads them there.

`CheckpointedEncoder` is an `Encoder` around another one, so an index is built from it as from any encoder. Its folder
holds `vectors.npy` (float32, shape (passages, dimensions)), `texts.npy` (uint64, shape (passages,): which text each row
was computed from, 0 for none) and `vectors.json` (whose vectors they are). A row counts only where its text is still
the same, so a changed passage is encoded again. One build at a time may use a folder.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from workbench.core import DataError, Encoder, FloatArray, Passage, Query
from workbench.workspace import write_text

FORMAT = 1
VECTORS, TEXTS, MANIFEST = "vectors.npy", "texts.npy", "vectors.json"
FIRST_PIECE = 16
"""Passages encoded before the speed is known, and the fewest that are encoded at once."""
SECONDS = 4.0
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
        self._piece = max(FIRST_PIECE, int(len(places) * SECONDS / max(seconds, 1e-6)))


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
