"""Is the confidence in a passage calibrated? python -m benchmarks.reader.confidence --xquad DIR [--home DIR]

The five documents of each question of the settings *one* and *gone* of `benchmarks.reader`; right is the question's own
paragraph. Slope and offset are learnt on every second article and printed; all other figures are of the others. The
expected calibration error has ten bins of equally many documents; its interval is of 1,000 draws of paragraphs, each
with all its questions.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from benchmarks.reader.__main__ import Case, Settings, is_learnt_from
from workbench.components.factory import late_interaction
from workbench.pipeline.reader.likeness_reranker import likenesses_of

BINS, DRAWS = 10, 1000
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Row:
    """A document of a question: the log-odds of its best sentence, and whether it is the question's paragraph."""

    case: Case
    rank: int
    log_odds: float
    is_right: bool


def rows_of(cases: Sequence[Case], home: Path) -> list[Row]:
    """The documents of each question."""
    meaning = late_interaction(home)
    assert meaning is not None, "the package of e5-small is needed"
    rows: list[Row] = []
    for case in cases:
        task = case.answer.prompt.task
        for item, log_odds in zip(task.evidence, likenesses_of(task, meaning), strict=True):
            is_right = item.passage.id == f"{case.gold_language}-{case.question.paragraph}"
            rows.append(Row(case, item.rank, log_odds, is_right))
    return rows


def fit(rows: Sequence[Row]) -> tuple[float, float]:
    """Slope and offset, by logistic regression."""
    log_odds, right = np.array([row.log_odds for row in rows]), np.array([row.is_right for row in rows])

    def loss(values: Floats) -> float:
        return float(np.logaddexp(0, -np.where(right, 1, -1) * (values[0] * log_odds + values[1])).sum())

    slope, offset = minimize(loss, [1.0, 0.0], method="Nelder-Mead").x
    return float(slope), float(offset)


def bins_of(chances: Floats, right: Floats) -> list[tuple[int, float, float]]:
    """How many, the mean chance and the share that is right, by bin."""
    parts = np.array_split(np.argsort(chances, kind="stable"), BINS)
    return [(len(part), float(chances[part].mean()), float(right[part].mean())) for part in parts if len(part)]


def calibration_error(chances: Floats, right: Floats) -> float:
    """The mean distance of chance and share, by bin, weighted by its size."""
    return sum(count * abs(chance - share) for count, chance, share in bins_of(chances, right)) / len(chances)


def report(rows: Sequence[Row], slope: float, offset: float) -> None:
    """Prints the error of all and of each language, and the bins."""
    chances = 1 / (1 + np.exp(-(slope * np.array([row.log_odds for row in rows]) + offset)))
    right = np.array([float(row.is_right) for row in rows])
    paragraphs = np.array([row.case.question.paragraph for row in rows])
    members = [np.flatnonzero(paragraphs == number) for number in np.unique(paragraphs)]
    random = np.random.default_rng(7)
    draws = [
        np.concatenate([members[at] for at in random.integers(0, len(members), len(members))]) for _ in range(DRAWS)
    ]
    low, high = np.quantile([calibration_error(chances[draw], right[draw]) for draw in draws], [0.025, 0.975])
    print(f"error {calibration_error(chances, right):.3f} ({low:.3f}-{high:.3f}) of {len(rows)} documents")
    print("bins", " ".join(f"{chance:.2f}:{share:.2f}" for _, chance, share in bins_of(chances, right)))
    questions, documents = np.array([row.case.language for row in rows]), np.array([_written(row) for row in rows])
    for name, languages in (("question", questions), ("document", documents)):
        print(name, *(_of_language(code, languages == code, chances, right) for code in sorted(set(languages))))
    print(
        _of_language("within", questions == documents, chances, right),
        _of_language("across", questions != documents, chances, right),
    )


def _written(row: Row) -> str:
    return next(item.language for item in row.case.answer.evidence if item.rank == row.rank)


def _of_language(name: str, mask: npt.NDArray[np.bool_], chances: Floats, right: Floats) -> str:
    error = calibration_error(chances[mask], right[mask])
    return f"{name} {error:.3f} (mean {chances[mask].mean():.2f}, right {right[mask].mean():.2f}, n {mask.sum()});"


def main() -> None:
    """Asks, learns, reports."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--xquad", type=Path, required=True)
    parser.add_argument("--home", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = arguments.home or Path(folder)
        settings = Settings(arguments.xquad, home).cases()
        cases = [case for name, of_setting in settings if name.startswith(("one", "gone")) for case in of_setting]
        rows = rows_of(cases, home)
    slope, offset = fit([row for row in rows if is_learnt_from(row.case)])
    print(f"slope {slope:.3f} offset {offset:.3f}")
    report([row for row in rows if not is_learnt_from(row.case)], slope, offset)


if __name__ == "__main__":
    main()
