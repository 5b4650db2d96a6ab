"""`tune` and `tuned`: tuning a language model on demonstrations, and the models that came of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.shared import (
    Assignments,
    Confirmed,
    Follow,
    Json,
    assigned,
    open_workbench,
    print_json,
    print_result,
    say,
)
from workbench.core import UsageError, WorkbenchError, shorten

ModelName = Annotated[str, typer.Argument(metavar="NAME", help="A tuned model's name, from: tuned list")]


def register(app: typer.Typer, tuned: typer.Typer) -> None:
    """Adds the verb `tune` to the program, and those on tuned models to their group."""
    app.command()(tune)
    tuned.command("list")(list_tuned)
    tuned.command("show")(show)
    tuned.command("export")(export)
    tuned.command("delete")(delete)
    tuned.command("fields")(fields)


def tune(
    file: Annotated[Path, typer.Argument(metavar="SPEC", help="A tuning as YAML; its keys: mrag tuned fields")],
    changes: Assignments = None,
    plan_only: Annotated[bool, typer.Option("--plan", help="Show what it would take, and tune nothing.")] = False,
    follow: Follow = True,
    as_json: Json = False,
) -> None:
    """Tune a language model on demonstrations, in a process of its own; ending this program does not stop it."""
    from workbench.jobs import TuningJobs, TuningSpec, demonstrations_at, foresee, spec_from_file, tuning_words

    spec = spec_from_file(file, assigned(changes, TuningSpec.model_fields))
    bench = open_workbench()
    jobs = TuningJobs(bench.settings)
    with demonstrations_at(bench.settings, spec) as path:
        foreseen = foresee(spec, bench.registry.tuned.base(spec.base).files, path)
        for sentence in (*foreseen.sentences, *spec.departures(foreseen.data.count)):
            say(sentence)
        if plan_only:
            return
        job_id = jobs.start(spec, path)
    job, line = jobs.job(job_id), ""
    for job in jobs.watch(job_id) if follow else ():
        if line != (line := tuning_words(job)):
            say(line)
    state = job.state if job else "waiting"
    if as_json:
        print_json({"job": job_id, "model": f"tuned:{spec.name}", "state": state})
    if job is not None and state in ("failed", "interrupted"):
        ending = "failed" if state == "failed" else "was interrupted"
        raise WorkbenchError(f"The tuning {ending}. {job.error} Resume it: mrag jobs resume {job_id}")
    say(str(job.result["summary"]) if job and state == "done" else f"Stop it: mrag jobs stop {job_id}")


def list_tuned(as_json: Json = False) -> None:
    """List the tuned models, the newest first."""
    cards = open_workbench().registry.tuned.cards()
    if not cards and not as_json:
        say("There are no tuned models yet. Make one: mrag tune SPEC.yaml")
    print_result(
        [{"model": card.reference, "summary": card.summary, "created": card.created} for card in cards],
        (f"{card.reference}\t{card.created[:10]}\t{card.summary}" for card in cards),
        as_json=as_json,
    )


def show(name: ModelName) -> None:
    """Print a model's card as JSON: base, data by hash, settings with departures, curves, author and machine."""
    print_json(open_workbench().registry.tuned.card(name).model_dump(mode="json"))


def export(
    name: ModelName,
    folder: Annotated[Path, typer.Argument(help="A new folder.")],
    merged: Annotated[bool, typer.Option("--merged", help="Base and adapter as one checkpoint.")] = False,
) -> None:
    """Copy a model with its card: the adapter alone, or one checkpoint for any program that reads safetensors."""
    open_workbench().registry.tuned.export(name, folder, merged=merged)
    say(f"Written to {folder}.")


def delete(name: ModelName, confirmed: Confirmed = False) -> None:
    """Delete a tuned model with its card."""
    tuned = open_workbench().registry.tuned
    if not confirmed:
        raise UsageError(
            f"The tuned model “{shorten(name)}” would be deleted; recipes that name it can then not run.",
            command="Add --yes to delete it.",
        )
    tuned.delete(name)
    say(f"The tuned model “{name}” was deleted.")


def fields() -> None:
    """Print every field of a tuning as a Markdown table: what it is, its default, and the paper's value."""
    from workbench.jobs import tuning_table

    print(tuning_table(), end="")
