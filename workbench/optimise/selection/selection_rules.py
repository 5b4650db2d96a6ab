"""The rules by which several metrics choose one variant of a node: mean, reciprocal rank, normalised mean.

Source: Kim et al. (2024, AutoRAG) and its code.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from workbench.optimise.measurement import FloatArray
from workbench.optimise.space.search_space import Selection


def selection_values(means: FloatArray, rule: Selection) -> FloatArray:
    """The value of each variant, higher is better, from its metrics' means, shape (variants, metrics), none NaN.

    >>> selection_values(np.array([[0.5, 0.2], [0.3, 0.6]]), "rank")
    array([1.5, 1.5])
    """
    if rule == "mean":
        return np.asarray(means.mean(axis=1), dtype=np.float64)
    if rule == "rank":
        return np.asarray((1.0 / rankdata(-means, axis=0)).sum(axis=1), dtype=np.float64)
    low, high = means.min(axis=0), means.max(axis=0)
    spread = np.where(high > low, high - low, 1.0)
    return np.asarray(((means - low) / spread).mean(axis=1), dtype=np.float64)
