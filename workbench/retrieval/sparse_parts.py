"""The encoded parts of a sparse index: what a killed build left for the next attempt.

A part's file name is a fingerprint of the encoder and of the part's texts, so a changed passage is encoded again.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core import DIGITS, Passage

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class SparseParts:
    """Encoded parts in `folder`, one `.npz` file each (arrays only, no pickle); `encoder` is an identity."""

    def __init__(self, folder: Path, encoder: str) -> None:
        """Reads nothing; `folder` is made with the first part."""
        self._folder = folder
        self._encoder = encoder

    def get(
        self, number: int, passages: Sequence[Passage], encode: Callable[[Sequence[Passage]], csr_matrix]
    ) -> csr_matrix:
        """The weights of the `number`-th part, shape (passages, vocabulary): stored ones, else encoded and stored."""
        from scipy.sparse import load_npz, save_npz

        path = self._folder / f"{number:06d}-{self._fingerprint(passages)}.npz"
        if path.is_file():
            return load_npz(path)
        weights = encode(passages)
        self._folder.mkdir(parents=True, exist_ok=True)
        half = path.with_suffix(".half.npz")
        save_npz(half, weights, compressed=False)
        half.replace(path)
        return weights

    def discard(self) -> None:
        """Removes all parts, once the index is complete."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _fingerprint(self, passages: Sequence[Passage]) -> str:
        digest = hashlib.sha256(self._encoder.encode())
        for passage in passages:
            digest.update(f"\x1e{passage.language}\x1f{passage.searchable}".encode(errors="surrogatepass"))
        return digest.hexdigest()[:DIGITS]
