"""A small experiment over the sample, for somebody who has no results yet: started by one click, done in a minute.

It uses the built-in models alone, so it needs no download and sends nothing anywhere.
"""

from __future__ import annotations

from workbench.app import Workbench
from workbench.experiments.experiment import Experiment, make_experiment
from workbench.experiments.jobs.control import ExperimentJobs
from workbench.experiments.results.answer_scoring import DEFAULT_METRICS
from workbench.workspace import verb

NAME = "Demonstration"
LANGUAGES = ("en", "fi", "ar", "zh")
MODES = ("baseline", "monorag", "trag", "multirag", "crossrag", "drag")
QUESTIONS = 24
METRICS = (*DEFAULT_METRICS, "f1", "hit@1", "hit@3", "hit@10", "mrr")
"""The usual ones, and Hit@k at several depths, so that every view of the Dashboard has something to show."""


def demonstration() -> Experiment:
    """Six modes in their papers' scopes, over the same questions in four languages."""
    return make_experiment(
        {
            "name": NAME,
            "datasets": ["sample"],
            "languages": LANGUAGES,
            "questions": QUESTIONS,
            "modes": MODES,
            "metrics": METRICS,
        }
    )


@verb("runs.start")
def start_demonstration(workbench: Workbench) -> str:
    """Creates the experiment and starts it in a process of its own; returns its id.

    Raises UsageError where the sample cannot be read, or where the process cannot be started.
    """
    jobs = ExperimentJobs(workbench.settings)
    experiment_id = jobs.create(workbench, demonstration())
    jobs.start(experiment_id)
    return experiment_id
