"""A toy format of datasets: all that a new one needs is a module as this one among the formats."""

from __future__ import annotations

from pathlib import Path

from workbench.core.records import Question
from workbench.data.datasets.dataset_format import LANGUAGE, Collection, DatasetFormat, Files, ImportOption


def read_lines(path: Path, language: str, *, separator: str = "=", loud: bool = False) -> Collection:
    """A question and its answer on each line."""
    rows = [line.split(separator) for line in path.read_text(encoding="utf-8").splitlines()]
    questions = (
        Question(str(number), text.upper() if loud else text, language, (answer,))
        for number, (text, answer) in enumerate(rows)
    )
    return Collection("toy-lines", "Toy lines", (path.name,), tuple(questions))


FORMAT = DatasetFormat(
    name="toy-lines",
    title="Toy lines",
    description="A question and its answer on each line.",
    source=Files(("txt",)),
    options=(
        LANGUAGE,
        ImportOption(name="separator", kind="text", title="Sign", help="What separates the two.", default="="),
        ImportOption(name="loud", kind="switch", title="Loud", help="Questions in capitals.", default=False),
    ),
    read=read_lines,
)
