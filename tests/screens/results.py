"""Invented results in a workspace, stored as a job stores them: four cells of two runs, one of them failed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from workbench.app.workbench import Workbench
from workbench.core.records import Question
from workbench.experiments.experiment import experiment_to_yaml, make_experiment
from workbench.experiments.results.writer import CellResult, RunRow, Writer, add_experiment
from workbench.metrics.measure import Score
from workbench.workspace.database import opened_store

METRICS = ("char3_recall", "clr")
QUESTIONS = (
    Question("q01", "Who is named as the inventor of radio?", "en", ("Marconi",), ("radio.en.1",)),
    Question("q01", "Kuka mainitaan radion keksijänä?", "fi", ("Marconi",), ("radio.en.1",)),
)
PAYLOAD = "![x](https://stranger.example/a.png) <b>bold</b>"
"""An answer that would do harm if it were not shown as plain text."""


def add_results(
    workbench: Workbench,
    name: str = "Made up",
    modes: tuple[str, str] = ("multirag", "crossrag"),
    scope: str = "all",
    further: Mapping[str, float] = MappingProxyType({}),
    dataset: str = "sample",
) -> str:
    """Stores the experiment, `further` metrics with the same score of every answer; returns its id."""
    engine = opened_store(workbench.settings.database_url)
    rows = [_run(number, mode, scope, dataset) for number, mode in enumerate(modes)]
    spec = experiment_to_yaml(make_experiment({"modes": ["multirag", "crossrag"]}))
    experiment_id = add_experiment(engine, name, "matrix", spec, 4, "none", rows)
    writer = Writer(engine, experiment_id, (*METRICS, *further))
    cells = [_result(run, question, further) for run in range(2) for question in QUESTIONS]
    writer.write("detect language", 0, dataset, cells)
    return experiment_id


def _run(number: int, mode: str, scope: str, dataset: str) -> RunRow:
    return RunRow(
        number, f"{mode} run", dataset, "sample", mode, scope, "reply-short-en", "extractive", 5, "none", "", mode
    )


def _result(run: int, question: Question, further: Mapping[str, float]) -> CellResult:
    if run == 1 and question.language == "fi":
        return CellResult(run, question, error="The model did not answer.")
    scores = {"char3_recall": Score(1.0 if run else 0.5), "clr": Score(None, "Too short to tell.")}
    scores |= {name: Score(value) for name, value in further.items()}
    passages = (("radio.en.1", "en", 0.9), ("radio.fr.1", "fr", 0.4))
    return CellResult(run, question, PAYLOAD, "en", passages, 0.25, 100, 5, scores=scores)
