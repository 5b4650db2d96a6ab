"""Small experiments over the sample, and all that came of one."""

from __future__ import annotations

from typing import Any

from workbench.experiments.experiment import Experiment, experiment_to_yaml, make_experiment, row_of
from workbench.experiments.inputs import ExperimentInputs
from workbench.experiments.runner import Runner
from workbench.results.filters import Filter
from workbench.results.instances import instances
from workbench.results.writer import Writer, add_experiment
from workbench.settings import Settings
from workbench.storage.database import opened_store
from workbench.workspace.workbench import Workbench

Row = tuple[object, ...]


def small(**choices: Any) -> Experiment:
    """Two modes and two prompts over two English and two Finnish questions, unless told otherwise. The prompts ask for
    no language, so that no gloss has to be learnt."""
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
    material = ExperimentInputs(workbench, experiment)
    engine = opened_store(workbench.settings.database_url)
    rows = [row_of(run) for run in material.runs]
    spec = experiment_to_yaml(experiment)
    identity = add_experiment(engine, experiment.name, "matrix", spec, material.cells, material.fingerprint, rows)
    return identity, Runner(workbench, material, Writer(engine, identity, material.metrics))


def found(chosen: Settings, experiment: str) -> list[Row]:
    """All that an experiment found but for how long it took, in an order of its own."""
    cells = instances(opened_store(chosen.database_url), Filter(experiments=(experiment,)), limit=10_000)
    return sorted(
        (cell.run.number, cell.language, cell.question, cell.output, cell.answer_language, cell.passages, cell.error,
         tuple(sorted(cell.scores.items(), key=str)))
        for cell in cells
    )  # fmt: skip
