"""`jobs`: work of every kind in the background, listed, started by its parameters, stopped and resumed."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from workbench.cli.shared import Json, open_workbench, print_json, say
from workbench.core import UsageError

JobId = Annotated[str, typer.Argument(metavar="ID", help="A job's id, from: jobs list")]


def register(jobs: typer.Typer) -> None:
    """Adds the verbs to their group."""
    jobs.command("list")(list_jobs)
    jobs.command("start")(start)
    jobs.command("stop")(stop)
    jobs.command("resume")(resume)
    jobs.command("log")(log)


def list_jobs(
    active: Annotated[bool, typer.Option("--active", help="Only those at work.")] = False, as_json: Json = False
) -> None:
    """List every job, the latest start first, with its kind and state."""
    from dataclasses import asdict

    from workbench.workspace import KINDS, STATE_TITLES, Jobs

    jobs = Jobs(open_workbench().settings).all(active=active)
    if as_json:
        print_json([asdict(job) for job in jobs])
        return
    if not jobs:
        say("No job is at work." if active else "There are no jobs yet.")
    for job in jobs:
        share = f", {100 * job.share:.0f} %" if job.active and job.total else ""
        error = f"\t{job.error}" if job.error else ""
        print(f"{job.id}\t{KINDS[job.kind].title}\t{STATE_TITLES[job.state]}{share}\t{job.title}{error}")


def start(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="A kind of job, such as download.")],
    parameters: Annotated[str, typer.Argument(metavar="JSON", help='What it takes, such as \'{"model": "bge-m3"}\'.')],
) -> None:
    """Start a job of a kind that needs no more than its parameters."""
    from workbench.workspace import Jobs

    try:
        values = json.loads(parameters)
    except ValueError as error:
        raise UsageError(f'The parameters are not JSON: {error}. For example: \'{{"model": "bge-m3"}}\'') from error
    job_id = Jobs(open_workbench().settings).start_new(kind, values)
    say(f"Job {job_id}. It continues when this program ends. Stop it: mrag jobs stop {job_id}")


def stop(job_id: JobId) -> None:
    """Stop a job; what is finished is kept."""
    from workbench.workspace import Jobs

    if Jobs(open_workbench().settings).stop(job_id):
        say(f"Stop requested. Resume it later: mrag jobs resume {job_id}")
    else:
        say("It is not running.")


def resume(job_id: JobId) -> None:
    """Resume a job where it was stopped or killed."""
    from workbench.workspace import Jobs

    if not Jobs(open_workbench().settings).resume(job_id):
        say("It is running already.")


def log(job_id: JobId) -> None:
    """Print the end of what a job's last process printed."""
    from workbench.workspace import Jobs

    print(Jobs(open_workbench().settings).log(job_id), end="")
