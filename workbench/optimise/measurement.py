"""What is known of a recipe, question by question: measured in pieces, put together, stored, read again.

A trial is one recipe measured question by question, which is what strategies and statistics are about. A measurement is
about some questions and one part of the pipeline: the candidates ("ranking"), those as reranked ("reranked") or the
complete answer ("answer"). Seconds and tokens are those of the part, so the figures of a part stay what they were when
more of the pipeline is measured later: a resumed search decides as it did. A batch of measurements is stored in the
database completely or not at all.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, cast

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Engine, func, insert, select

from workbench.experiments import RERANKED
from workbench.metrics import OF_CANDIDATES, RANKING_MEASURES as RANKINGS, metric_in
from workbench.pipeline import Recipe
from workbench.workspace import alone, tables as t

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The questions of a search, one row each: equally long tuples.

    `groups` names what a question is a translation of (its id in a parallel dataset, with the dataset's name):
    questions of one group are never split, and are one draw of a bootstrap or a permutation.
    """

    ids: tuple[str, ...]
    languages: tuple[str, ...]
    groups: tuple[str, ...]
    datasets: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.ids)

    def rows(self, languages: frozenset[str]) -> tuple[int, ...]:
        """The rows of the questions in some languages, in order."""
        return tuple(row for row, code in enumerate(self.languages) if code in languages)


@dataclass(frozen=True, slots=True)
class RecipeTrial:
    """A recipe's figures, each an array of one value per row of the questions, shape (questions,).

    `scores` are by metric, NaN where a question was not measured or cannot be scored (unscored is not 0). `seconds` is
    the time that the answer's steps take when none is shared, `tokens` what a language model read and wrote (0 where
    none was called), both NaN where not measured. `errors` counts the questions that failed.
    """

    recipe: Recipe
    scores: Mapping[str, FloatArray]
    seconds: FloatArray
    tokens: FloatArray
    errors: int = 0


class Evaluator(Protocol):
    """Measures recipes; what was measured before is not measured again."""

    @property
    def questions(self) -> QuestionSet:
        """The questions that recipes are measured on."""

    def evaluate(
        self, recipes: Sequence[Recipe], metrics: Sequence[str], rows: Sequence[int] | None = None
    ) -> list[RecipeTrial]:
        """One trial per recipe, in order, on some rows of the questions (all for None).

        Arrays are as long as `questions` all the same: NaN where a row was not measured. Raises JobStopped when the
        search is stopped. Metrics of retrieval alone (`metrics.ranking`) need no generator: the stages after the
        ranking are then not run.
        """


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
    # A judge of candidates reads what was retrieved, not an answer.
    names = {metric_in(name) or name for name in metrics} - OF_CANDIDATES.keys()
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
        tuple(bool(value) for value in values["failed"]),
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

    def add(self, measurement: Measurement) -> None:
        rows = list(measurement.rows)
        for name, values in measurement.scores.items():
            column = self.scores.setdefault(name, np.full(self.size, np.nan))
            column[rows] = [np.nan if value is None else value for value in values]
            self.measured.setdefault(name, np.zeros(self.size, dtype=bool))[rows] = True
        # Whoever looked at seconds before must see the same ones afterwards: the first measurement counts.
        new = [index for index, row in enumerate(rows) if np.isnan(self.seconds[row]) and not self.failed[row]]
        for place in new:
            seconds, tokens = measurement.seconds[place], measurement.tokens[place]
            self.seconds[rows[place]] = np.nan if seconds is None else seconds
            self.tokens[rows[place]] = np.nan if tokens is None else tokens
            self.failed[rows[place]] = measurement.failed[place]


class KnownFigures:
    """All that was measured in a search, by recipe and part; `size` is the number of questions."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._figures: dict[tuple[str, Part], _Figures] = {}

    def add(self, measurement: Measurement) -> None:
        """Adds a measurement."""
        self._figures.setdefault((measurement.recipe, measurement.part), _Figures(self._size)).add(measurement)

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


class StoredTrials:
    """Implements `recipe_evaluator.TrialLog` for one search."""

    def __init__(self, engine: Engine, search_id: str) -> None:
        self._engine, self._search_id = engine, search_id

    def load(self) -> Iterator[Measurement]:
        """Everything that was measured, in the order measured."""
        table = t.search_measurements
        statement = select(table.c.fingerprint, table.c.part, table.c.content)
        with self._engine.connect() as connection:
            rows = connection.execute(statement.where(table.c.search_id == self._search_id).order_by(table.c.id))
            for recipe, part, content in rows:
                yield unpack_measurement(recipe, cast(Part, part), content)

    def add(self, measurements: Sequence[Measurement], recipes: Mapping[str, Recipe]) -> None:
        """Stores measurements, and the recipes that are new, in one transaction."""
        measured = t.search_recipes
        rows = [
            {
                "search_id": self._search_id,
                "fingerprint": measurement.recipe,
                "part": measurement.part,
                "content": measurement.pack(),
            }
            for measurement in measurements
        ]
        with alone(self._engine) as connection:
            here = measured.c.search_id == self._search_id
            known = set(connection.execute(select(measured.c.fingerprint).where(here)).scalars())
            count = connection.execute(select(func.count()).where(here)).scalar_one()
            new = [
                name for name in dict.fromkeys(measurement.recipe for measurement in measurements) if name not in known
            ]
            if new:
                connection.execute(
                    insert(measured),
                    [
                        {
                            "search_id": self._search_id,
                            "fingerprint": name,
                            "number": count + number,
                            "recipe": recipes[name].model_dump_json(),
                        }
                        for number, name in enumerate(new)
                    ],
                )
            connection.execute(insert(t.search_measurements), rows)
