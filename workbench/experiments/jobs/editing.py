"""Renaming and deleting experiments, each in one transaction, and never while a process works on them."""

from __future__ import annotations

from workbench.core import UsageError, shorten
from workbench.experiments.experiment import EXPERIMENT_NAME_LIMIT, experiment_from_yaml, experiment_to_yaml
from workbench.experiments.jobs.control import Jobs
from workbench.experiments.results.queries.experiment_list import stored_experiment
from workbench.experiments.results.writer import rename as store_name
from workbench.workspace import verb


@verb("runs.rename", "{experiment_id}")
def rename(jobs: Jobs, experiment_id: str, name: str) -> str:
    """Gives an experiment another name, also in its YAML; returns the name without white space around it.

    Its id, its results and links to it stay. Raises UsageError for an experiment that does not exist or is being worked
    on, and for a name that is empty or too long.
    """
    new_name = " ".join(name.split())
    if not 0 < len(new_name) <= EXPERIMENT_NAME_LIMIT:
        raise UsageError(
            f"An experiment's name has 1 to {EXPERIMENT_NAME_LIMIT} characters, not {len(new_name):,}.",
            command=f'For example: runs rename {shorten(experiment_id)} "My experiment"',
        )
    with jobs.undisturbed(experiment_id):
        with jobs.engine.connect() as connection:
            stored = stored_experiment(connection, experiment_id)
        # Predictions from elsewhere have no YAML.
        spec = stored.spec and experiment_to_yaml(
            experiment_from_yaml(stored.spec).model_copy(update={"name": new_name})
        )
        store_name(jobs.engine, experiment_id, new_name, spec)
    return new_name


@verb("runs.delete", "{experiment_id}")
def delete(jobs: Jobs, experiment_id: str) -> None:
    """Deletes an experiment with its answers, its scores and its jobs' files; cached steps stay.

    Raises UsageError for an experiment that does not exist or is being worked on.
    """
    with jobs.undisturbed(experiment_id):
        jobs.discard(experiment_id)
