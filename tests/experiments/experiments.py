"""Small experiments over the sample, and the answers of one."""

from __future__ import annotations

from typing import Any

from workbench.app.workbench import Workbench
from workbench.experiments.experiment import Experiment, experiment_to_yaml, make_experiment, row_of
from workbench.experiments.inputs import ExperimentInputs
from workbench.experiments.results.result_store import ResultStore
from workbench.experiments.results.writer import Writer, add_experiment
from workbench.experiments.runner import Runner
from workbench.workspace.database import opened_store
from workbench.workspace.settings import Settings

Row = tuple[object, ...]


def small(**choices: Any) -> Experiment:
    """Two modes and two prompts over two English and two Finnish questions, unless the choices say otherwise.

    The prompts name no language, so that no gloss has to be learnt.
    """
    return make_experiment(
        {
            "modes": ["multirag", "crossrag"],
            "prompts": ["reply-short-en", "reply-short-ul"],
            "languages": ["en", "fi"],
            "questions": 2,
            **choices,
        }
    )


def stored(workbench: Workbench, experiment: Experiment) -> tuple[str, Runner]:
    """An experiment in the database, and the runner that would run it in this process."""
    inputs = ExperimentInputs(workbench, experiment)
    engine = opened_store(workbench.settings.database_url)
    rows = [row_of(run) for run in inputs.runs]
    spec = experiment_to_yaml(experiment)
    experiment_id = add_experiment(engine, experiment.name, "matrix", spec, inputs.cells, inputs.fingerprint, rows)
    return experiment_id, Runner(workbench, inputs, Writer(engine, experiment_id, inputs.metrics))


def answer_rows(settings: Settings, experiment_id: str) -> list[Row]:
    """Everything about the answers of an experiment but their seconds, sorted."""
    cells = ResultStore.at(settings.database_url).of(experiment_id).all_instances()
    return sorted(
        (cell.run.number, cell.language, cell.question, cell.output, cell.answer_language, cell.passages, cell.error,
         tuple(sorted(cell.scores.items(), key=str)))
        for cell in cells
    )  # fmt: skip
