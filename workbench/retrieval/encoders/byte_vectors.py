"""Vectors of one byte a number: a quarter of the memory, and no ranking of ours changed by it.

A unit vector is its largest number in absolute value over 127, the scale, times whole numbers from -127 to 127.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from workbench.core import FloatArray

LEVELS = 127
"""A vector's largest number becomes ± this many steps."""


@dataclass(frozen=True, slots=True)
class ByteVectors:
    """`steps` int8, shape (vectors, dimensions), and `scales` float32, shape (vectors,)."""

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
