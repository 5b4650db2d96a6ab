"""What is known of a recipe, question by question: measured in pieces, put together, read again.

A piece is about some questions and one part of the pipeline: the candidates ("ranking"), those as reranked
("reranked") or the complete answer ("answer"). Seconds and tokens are those of the part, so the figures of a part stay
what they were when more of the pipeline is measured later: a resumed search decides as it did.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from workbench.experiments import RERANKED
from workbench.metrics import RANKING_MEASURES as RANKINGS
from workbench.optimise.recipe_trial import FloatArray, RecipeTrial
from workbench.pipeline import Recipe

Part = Literal["ranking", "reranked", "answer"]
FIELDS: Mapping[Part, frozenset[str]] = {
    "ranking": frozenset({"ranking"}),
    "reranked": frozenset({"ranking", "reranked"}),
    "answer": frozenset(),
}
"""The fields of the state that a part's metrics look at; none: the complete chain is run."""


def part_of(metrics: Iterable[str]) -> Part:
    """The part of the pipeline that must be run for these metrics.

    >>> part_of(["mrr", "hit@5"]), part_of(["mrr", "mrr_reranked"]), part_of(["mrr", "char3_recall"])
    ('ranking', 'reranked', 'answer')
    """
    names = set(metrics)
    if names <= RANKINGS.keys():
        return "ranking"
    return "reranked" if names <= {*RANKINGS, *RERANKED} else "answer"


@dataclass(frozen=True, slots=True)
class Measurement:
    """A piece: `rows` of the questions with one value each; None where there is none. `failed`: which of them failed.

    `recipe` is a fingerprint.
    """

    recipe: str
    part: Part
    rows: tuple[int, ...]
    scores: Mapping[str, tuple[float | None, ...]]
    seconds: tuple[float | None, ...]
    tokens: tuple[float | None, ...]
    failed: tuple[bool, ...]

    def pack(self) -> bytes:
        """Everything but the recipe and the part, compressed."""
        content = {
            "rows": self.rows,
            "scores": self.scores,
            "seconds": self.seconds,
            "tokens": self.tokens,
            "failed": [int(item) for item in self.failed],
        }
        return zlib.compress(json.dumps(content, separators=(",", ":")).encode(), 1)


def unpack_measurement(recipe: str, part: Part, content: bytes) -> Measurement:
    """The measurement whose `pack` gave `content`."""
    values = json.loads(zlib.decompress(content))
    return Measurement(
        recipe,
        part,
        tuple(values["rows"]),
        {name: tuple(column) for name, column in values["scores"].items()},
        tuple(values["seconds"]),
        tuple(values["tokens"]),
        tuple(bool(item) for item in values["failed"]),
    )


@dataclass(slots=True)
class _Figures:
    """A recipe's arrays for one part, shape (questions,)."""

    size: int
    scores: dict[str, FloatArray] = field(default_factory=dict)
    measured: dict[str, NDArray[np.bool_]] = field(default_factory=dict)
    seconds: FloatArray = field(init=False)
    tokens: FloatArray = field(init=False)
    failed: NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        self.seconds, self.tokens = np.full(self.size, np.nan), np.full(self.size, np.nan)
        self.failed = np.zeros(self.size, dtype=bool)

    def add(self, piece: Measurement) -> None:
        rows = list(piece.rows)
        for name, values in piece.scores.items():
            column = self.scores.setdefault(name, np.full(self.size, np.nan))
            column[rows] = [np.nan if value is None else value for value in values]
            self.measured.setdefault(name, np.zeros(self.size, dtype=bool))[rows] = True
        # Whoever looked at seconds before must see the same ones afterwards: the first measurement counts.
        new = [place for place, row in enumerate(rows) if np.isnan(self.seconds[row]) and not self.failed[row]]
        for place in new:
            seconds, tokens = piece.seconds[place], piece.tokens[place]
            self.seconds[rows[place]] = np.nan if seconds is None else seconds
            self.tokens[rows[place]] = np.nan if tokens is None else tokens
            self.failed[rows[place]] = piece.failed[place]


class KnownFigures:
    """All that was measured in a search, by recipe and part; `size` is the number of questions."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._figures: dict[tuple[str, Part], _Figures] = {}

    def add(self, piece: Measurement) -> None:
        """Takes in a piece."""
        self._figures.setdefault((piece.recipe, piece.part), _Figures(self._size)).add(piece)

    def missing(self, recipe: str, part: Part, metrics: Sequence[str], rows: Sequence[int]) -> tuple[int, ...]:
        """Those of some rows on which one of the metrics was not measured."""
        figures = self._figures.get((recipe, part))
        if figures is None or any(name not in figures.measured for name in metrics):
            return tuple(rows)
        columns = [figures.measured[name] for name in metrics]
        return tuple(row for row in rows if not all(column[row] for column in columns))

    def trial(self, recipe: Recipe, part: Part, metrics: Sequence[str], rows: Sequence[int]) -> RecipeTrial:
        """A recipe's trial by some metrics on some rows, NaN on all others."""
        figures = self._figures.get((recipe.fingerprint, part)) or _Figures(self._size)
        outside = np.ones(self._size, dtype=bool)
        outside[list(rows)] = False
        empty = np.full(self._size, np.nan)
        scores = {name: np.where(outside, np.nan, figures.scores.get(name, empty)) for name in metrics}
        return RecipeTrial(
            recipe,
            scores,
            np.where(outside, np.nan, figures.seconds),
            np.where(outside, np.nan, figures.tokens),
            int(np.count_nonzero(figures.failed & ~outside)),
        )
