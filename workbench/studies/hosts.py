"""Where texts go when an experiment is run: said, and agreed to, before anything is sent."""

from __future__ import annotations

from pathlib import Path

from workbench.pipeline.inventory import check
from workbench.pipeline.models import sends_to
from workbench.studies.experiment import Experiment, runs_of


def hosts_of(experiment: Experiment, home: Path) -> tuple[str, ...]:
    """The hosts that questions, documents and, for a judge, answers are sent to; () where all stays on this machine.

    Raises UsageError for a component or a judge whose name means nothing.
    """
    # Which corpus is searched changes no component, and of the components only the generator differs between runs.
    recipes = {run.recipe.generator: run.recipe for run in runs_of(experiment, lambda dataset: dataset)}
    found = [host for recipe in recipes.values() for host in check(recipe, home)]
    return tuple(dict.fromkeys([*found, *judge_hosts(experiment.judge, home)]))


def judge_hosts(judge: str, home: Path) -> tuple[str, ...]:
    """The host that questions, passages, answers and gold answers are sent to by a judge; () where they stay here."""
    host = sends_to(judge, home)
    return (host,) if host else ()
