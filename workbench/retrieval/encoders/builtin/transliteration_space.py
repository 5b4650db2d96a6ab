"""What a text sounds like: latent vectors of its transliteration, fitted on the corpus's passages.

Names, loan words and numbers look alike across scripts once transliterated; consonant skeletons match more of them.
Fitting on unaligned passages of several languages still links them, by the names that they share.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from workbench.core import FloatArray
from workbench.retrieval.encoders.builtin.latent_space import (
    LatentSpace,
    inverse_document_frequency,
    load_array,
    sublinear,
    unit_dense,
    unit_rows,
)
from workbench.retrieval.encoders.builtin.ngrams import count_ngrams, latin_form, skeleton

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

WIDTH = 1 << 19
LATIN_LENGTHS = (3, 4, 5)
SKELETON_LENGTHS = (3, 4, 5)
SKELETON_WEIGHT = 0.75
NAME = "sounds"
"""How the files begin."""


def _counts(texts: Sequence[str]) -> tuple[csr_matrix, csr_matrix]:
    latin = [latin_form(text) for text in texts]
    skeletons = [skeleton(text) for text in latin]
    return (
        count_ngrams(latin, LATIN_LENGTHS, WIDTH, ["latin"] * len(texts), within_words=True),
        count_ngrams(skeletons, SKELETON_LENGTHS, WIDTH, ["skeleton"] * len(texts), within_words=True),
    )


def _rows(counts: tuple[csr_matrix, csr_matrix], idf: FloatArray) -> csr_matrix:
    from scipy.sparse import hstack

    latin, skeletons = (unit_rows(sublinear(part, idf[i])) for i, part in enumerate(counts))
    return unit_rows(hstack([latin, skeletons * np.float32(SKELETON_WEIGHT)]).tocsr())


@dataclass(frozen=True, slots=True)
class TransliterationSpace:
    """The space and the n-gram weights: `idf` has shape (2, WIDTH), transliteration and skeleton."""

    idf: FloatArray
    space: LatentSpace

    @classmethod
    def fit(cls, texts: Sequence[str], dimensions: int) -> TransliterationSpace:
        """Learns from `texts`, a sample of the corpus that is small enough to compare all with all."""
        counts = _counts(texts)
        idf = np.stack(
            [inverse_document_frequency(np.bincount(part.indices, minlength=WIDTH), len(texts)) for part in counts]
        )
        return cls(idf, LatentSpace.fit(_rows(counts, idf), dimensions))

    def encode(self, texts: Sequence[str], *, row_by_row: bool = False) -> FloatArray:
        """Unit vectors, shape (texts, dimensions); a zero row where no n-gram is known.

        `row_by_row`: see `LatentSpace.project`.
        """
        return unit_dense(self.space.project(_rows(_counts(texts), self.idf), row_by_row=row_by_row))

    def save(self, directory: Path) -> None:
        """Writes `sounds.*.npy` into an existing directory."""
        np.save(directory / f"{NAME}.idf.npy", self.idf, allow_pickle=False)
        self.space.save(directory, NAME)

    @classmethod
    def open(cls, directory: Path) -> TransliterationSpace:
        """The space that `save` wrote, memory-mapped. Raises DataError where the files are damaged."""
        return cls(load_array(directory / f"{NAME}.idf.npy"), LatentSpace.open(directory, NAME))
