"""Small frames of measured figures, as the Dashboard hands them to charts."""

from __future__ import annotations

from collections.abc import Mapping
from math import nan

import pandas as pd


def measured(*rows: Mapping[str, object]) -> pd.DataFrame:
    """Rows with all columns of measured figures; a row needs only the values that matter."""
    defaults = {"metric": "clr", "mean": 0.5, "low": 0.4, "high": 0.6, "n": 10, "unscored": 2, "mark": "run=1"}
    return pd.DataFrame([{**defaults, **row} for row in rows])


def ranked(*rows: Mapping[str, object]) -> pd.DataFrame:
    """Rows of a leaderboard: runs that answered all questions and have the ranks 1, 2, … where none is given."""
    defaults = {"answered": 12, "questions": 12, "partial": False}
    return measured(*({"rank": place, **defaults, **row} for place, row in enumerate(rows, start=1)))


NOTHING = {"mean": nan, "low": nan, "high": nan, "n": 0, "unscored": 12}
"""A group without any scored answer."""
