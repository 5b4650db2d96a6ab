"""`runs rename` and `runs delete`: what changes or ends an experiment for good."""

from __future__ import annotations

from typing import Annotated

import typer

from workbench.cli.shared import Json, open_workbench, print_json, say
from workbench.core import UsageError, shorten

ExperimentId = Annotated[str, typer.Argument(metavar="ID", help="An experiment's id, from: runs list")]


def register(runs: typer.Typer) -> None:
    """Adds the verbs to the group of runs."""
    runs.command("rename")(rename_experiment)
    runs.command("delete")(delete_experiment)


def rename_experiment(
    experiment_id: ExperimentId,
    name: Annotated[str, typer.Argument(help="The new name, 1 to 200 characters.")],
    as_json: Json = False,
) -> None:
    """Rename an experiment that is not running; its id and its results stay."""
    from workbench.experiments import ExperimentJobs

    new_name = ExperimentJobs(open_workbench().settings).rename(experiment_id, name)
    if as_json:
        print_json({"experiment": experiment_id, "name": new_name})
        return
    say(f"The experiment {experiment_id} is now called “{new_name}”.")


def delete_experiment(
    experiment_id: ExperimentId,
    confirmed: Annotated[bool, typer.Option("--yes", help="Delete it for good.")] = False,
    as_json: Json = False,
) -> None:
    """Delete an experiment that is not running, with its answers and scores; cached steps stay."""
    from workbench.experiments import ExperimentJobs

    jobs = ExperimentJobs(open_workbench().settings)
    row = jobs.experiment_status(experiment_id).experiment
    if not confirmed:
        raise UsageError(
            f"This deletes “{shorten(row.name)}” with {row.answered:,} answers for good. To confirm, type: "
            f"runs delete {experiment_id} --yes"
        )
    jobs.discard(experiment_id)
    if as_json:
        print_json({"experiment": experiment_id, "deleted": True})
        return
    say(f"The experiment {experiment_id} (“{shorten(row.name)}”) is deleted.")
