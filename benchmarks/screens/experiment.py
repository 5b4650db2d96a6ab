"""The small experiment over the sample that the screenshots of Runs and the Dashboard show."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.screens.running import ROOT, environment
from workbench.experiments.experiment import experiment_to_yaml, make_experiment
from workbench.experiments.results.result_store import ResultStore
from workbench.workspace.settings import load

EXPERIMENT = make_experiment(
    {
        "name": "Scopes on the sample",
        "languages": ["en", "ar", "zh", "th", "fi", "ko"],
        "modes": ["multirag", "crossrag"],
        "scopes": ["en", "ul", "en+ul", "all"],
        "prompts": ["reply-short-en", "reply-short-in-ul-ul"],
        "questions": 20,
    }
)
"""Table 1 of Chirkova et al. (2024) in small: 1,920 answers."""


def run(home: Path, folder: Path) -> str:
    """Runs it in the workspace `home`, unless that has it already; its id. Its file is written into `folder`."""
    if not (experiment_id := _experiment_id(home)):
        file = folder / "experiment.yaml"
        file.write_text(experiment_to_yaml(EXPERIMENT), encoding="utf-8")
        command = [sys.executable, "-m", "workbench", "run", str(file)]
        subprocess.run(command, cwd=ROOT, env=environment(home), check=True)
        experiment_id = _experiment_id(home)
    return experiment_id


def _experiment_id(home: Path) -> str:
    experiments = ResultStore.at(load(home).database_url).experiment_names()
    return next((item.id for item in experiments if item.name == EXPERIMENT.name), "")
