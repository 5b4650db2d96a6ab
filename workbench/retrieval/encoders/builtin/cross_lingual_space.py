"""The meaning of a text as far as translations teach it: by its similarity to texts known in several languages.

Each group of translations is one anchor: the sum of its texts' rows, with separate n-grams for each language. A text
in any of those languages is then described by the anchors that it resembles (Dumais et al. (1997); Potthast et al.
(2008); character n-grams did better than words). A question is short, and most of its similarities are chance;
sharpened, it is represented by the few anchors nearest to it, which is what carries it into the other languages
(decision 0003).
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
    row_sums,
    sublinear,
    unit_dense,
    unit_rows,
)
from workbench.retrieval.encoders.builtin.ngrams import count_ngrams, native_form

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

WIDTH = 1 << 20
LENGTHS = (1, 2, 3, 4)
NAME = "meaning"
"""How the files begin."""
Group = Sequence[tuple[str, str]]
"""(language, text) of texts that are translations of each other."""


def _counts(texts: Sequence[str], languages: Sequence[str]) -> csr_matrix:
    return count_ngrams([native_form(text) for text in texts], LENGTHS, WIDTH, languages)


@dataclass(frozen=True, slots=True)
class CrossLingualSpace:
    """The space and the n-gram weights.

    `idf` has shape (WIDTH,), 0 for an n-gram that no group holds; `groups` is the number that was learnt from.
    """

    idf: FloatArray
    space: LatentSpace
    groups: int

    @classmethod
    def fit(cls, groups: Sequence[Group], dimensions: int) -> CrossLingualSpace:
        """Learns from `groups`, at least one; `dimensions` is the most that the space may have."""
        from scipy.sparse import csr_matrix

        texts = [text for group in groups for _, text in group]
        languages = [language for group in groups for language, _ in group]
        sizes = [len(group) for group in groups]
        counts = _counts(texts, languages)
        idf = inverse_document_frequency(np.bincount(counts.indices, minlength=WIDTH), len(groups))
        rows = unit_rows(sublinear(counts, idf))
        starts = np.concatenate([[0], np.cumsum(sizes)])
        members = csr_matrix((np.ones(len(texts), np.float32), np.arange(len(texts)), starts))
        return cls(idf, LatentSpace.fit((members @ rows).tocsr(), dimensions, "esa"), len(groups))

    def encode(
        self, texts: Sequence[str], languages: Sequence[str], sharpness: int = 1, *, row_by_row: bool = False
    ) -> tuple[FloatArray, FloatArray]:
        """Unit vectors, shape (texts, dimensions), and how much of each text is known, in [0, 1], shape (texts,).

        `sharpness`, `row_by_row`: see `LatentSpace.project`.
        """
        counts = _counts(texts, languages)
        unseen = np.float32(np.log(2 * (1 + self.groups)))
        rows = sublinear(counts, self.idf)
        # An n-gram that no group holds weighs nothing in a row; in the share it counts as the rarest possible.
        weights = np.where(rows.data > 0, rows.data, (1.0 + np.log(counts.data)) * unseen)
        known = row_sums(counts, rows.data**2) / np.maximum(row_sums(counts, weights**2), 1e-9)
        vectors = self.space.project(unit_rows(rows), sharpness, row_by_row=row_by_row)
        return unit_dense(vectors), known.astype(np.float32)

    def likeness(self, texts: Sequence[str], languages: Sequence[str]) -> FloatArray:
        """The cosine, in [0, 1], of each text's n-grams to those of the group's text nearest to it in its language."""
        rows = unit_rows(sublinear(_counts(texts, languages), self.idf))
        # The texts of a group have n-grams of their own by language, so a product with their sum is one with that text.
        similarity = rows @ self.space.anchors_transposed
        return np.asarray(similarity.max(axis=1).toarray(), dtype=np.float32)[:, 0]

    def save(self, directory: Path) -> None:
        """Writes `meaning.*.npy` into an existing directory."""
        np.save(directory / f"{NAME}.idf.npy", self.idf, allow_pickle=False)
        np.save(directory / f"{NAME}.groups.npy", np.array([self.groups]), allow_pickle=False)
        self.space.save(directory, NAME)

    @classmethod
    def open(cls, directory: Path) -> CrossLingualSpace:
        """The space that `save` wrote, memory-mapped. Raises DataError where the files are damaged."""
        groups = int(load_array(directory / f"{NAME}.groups.npy")[0])
        return cls(load_array(directory / f"{NAME}.idf.npy"), LatentSpace.open(directory, NAME), groups)
