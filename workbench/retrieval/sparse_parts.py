"""The parts of a sparse index that were encoded already: what a killed build left for the next try.

A part is kept under a name made of the encoder and of the texts in it, so a changed passage is encoded anew.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.identity import DIGITS
from workbench.records import Passage

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class SparseParts:
    """Encoded parts in `folder`, one `.npz` file each (arrays only, no pickle)."""

    def __init__(self, folder: Path, encoder: str) -> None:
        self._folder = folder
        self._encoder = encoder

    def get(
        self, number: int, passages: Sequence[Passage], encode: Callable[[Sequence[Passage]], csr_matrix]
    ) -> csr_matrix:
        """The weights of the `number`-th part: kept ones where they are whole, else encoded and kept."""
        from scipy.sparse import load_npz, save_npz

        path = self._folder / f"{number:06d}-{self._mark(passages)}.npz"
        if path.is_file():
            return load_npz(path)
        weights = encode(passages)
        self._folder.mkdir(parents=True, exist_ok=True)
        half = path.with_suffix(".half.npz")
        save_npz(half, weights, compressed=False)
        half.replace(path)
        return weights

    def discard(self) -> None:
        """Removes all parts, once the index is whole."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _mark(self, passages: Sequence[Passage]) -> str:
        digest = hashlib.sha256(self._encoder.encode())
        for passage in passages:
            digest.update(f"\x1e{passage.language}\x1f{passage.searchable}".encode(errors="surrogatepass"))
        return digest.hexdigest()[:DIGITS]
