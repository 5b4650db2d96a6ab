"""Answers to one question belong together: intervals count whole questions, not single answers.

One question in several languages or under several recipes gives answers that tend to be right or wrong together. An
interval that takes them for independent is too narrow.  Sources: Miller 2024, section 2.2 (clustered errors of
evaluations, arXiv:2411.00640); Davison and Hinkley 1997, section 2.7 (the influence of one draw on a ratio).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def influences(sums: Floats, sizes: Floats) -> Floats:
    """One value a question, shape of `sums`: their mean is the mean of all answers, and to draw them is, to first
    order, to draw the questions with all their answers.

    `sums` are the questions' added values, `sizes` (each at least 1) how many values that were. Questions of one answer
    each are their own influence; with equal sizes it is each question's mean.

    >>> influences(np.array([2.0, 0.0]), np.array([2.0, 2.0])).tolist()
    [1.0, 0.0]
    """
    mean = sums.sum() / sizes.sum()
    return np.asarray(mean + (sums - mean * sizes) / sizes.mean(), dtype=np.float64)
