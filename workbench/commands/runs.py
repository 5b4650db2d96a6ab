"""`run` and `runs`: experiments from files, in processes of their own, and what came of them."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.commands.shared import Json, check_writable, open_workbench, print_json, say
from workbench.errors import UsageError, WorkbenchError, unknown

if TYPE_CHECKING:
    from workbench.experiments.jobs.control import Status
    from workbench.workspace.workbench import Workbench

Identity = Annotated[str, typer.Argument(metavar="ID", help="An experiment's id, from: runs list")]
Follow = Annotated[bool, typer.Option("--follow/--detach", help="Show progress until it ends, or return at once.")]


def register(app: typer.Typer, runs: typer.Typer) -> None:
    """Adds the verb `run` to the program, and the verbs on runs to their group."""
    app.command()(run)
    runs.command("list")(show_all)
    runs.command("show")(show)
    runs.command("resume")(resume)
    runs.command("stop")(stop)
    runs.command("export")(export)
    runs.command("import")(take_in)


def run(
    file: Annotated[Path, typer.Argument(help="An experiment as YAML.")],
    plan_only: Annotated[bool, typer.Option("--plan", help="Say what it would take, and run nothing.")] = False,
    pilot: Annotated[int, typer.Option(min=0, help="Run so many questions a language and estimate the whole.")] = 0,
    follow: Follow = True,
    as_json: Json = False,
) -> None:
    """Run an experiment in a process of its own; ending this program does not stop it."""
    from workbench.experiments.experiment import experiment_from_file
    from workbench.experiments.jobs import control
    from workbench.experiments.pilot import estimate, measure, pilot_experiment
    from workbench.experiments.plan import hosts_of, plan

    experiment = experiment_from_file(file)
    bench = open_workbench()
    hosts = hosts_of(experiment, bench.settings.home)
    planned = plan(bench, experiment)
    say(f"{planned.cells:,} cells of {planned.runs:,} runs; steps, at most:")
    for name, count in planned.steps.items():
        say(f"  {name:20} {count:>10,} of {planned.unshared[name]:,}")
    for reason, count in planned.impossible.items():
        say(f"  {count:,} cells cannot run: {reason}")
    if not plan_only:
        for host in hosts:
            say(f"Texts are sent to {host}.")
    if pilot:
        measured = measure(bench, pilot_experiment(experiment, pilot), on_batch=_say_batch)
        estimated = estimate(planned, measured)
        say(f"Pilot of {estimated.cells:,} cells: the whole takes about {estimated.seconds:,.0f} s.")
        if estimated.unmet:
            say(f"  not counted, since the pilot never got there: {', '.join(estimated.unmet)}")
        for reason, count in estimated.reasons.items():
            say(f"  {count:,} of its cells failed: {reason}")
        if as_json:
            print_json({"plan": asdict(planned), "estimate": asdict(estimated)})
        return
    if plan_only:
        if as_json:
            print_json({"plan": asdict(planned)})
        return
    identity = control.create(bench, experiment)
    control.start(bench.settings, identity)
    say(f"Experiment {identity}. It goes on when this program ends. Stop it: runs stop {identity}")
    _tell(bench, identity, follow=follow, as_json=as_json)


def show_all(as_json: Json = False) -> None:
    """Every experiment, the newest first, with its state."""
    from workbench.experiments.jobs import control
    from workbench.results import result_store
    from workbench.storage.database import opened_store

    bench = open_workbench()
    found = result_store.experiments(opened_store(bench.settings.database_url))
    states = {row.id: control.status(bench.settings, row.id) for row in found}
    if as_json:
        print_json([{**asdict(row), "state": _state(states[row.id])} for row in found])
        return
    if not found:
        say("There is no experiment yet. Start one: python -m workbench run FILE")
    for row in found:
        done = f"{row.answered:,} of {row.cells:,} cells, {row.failed:,} failed"
        print(f"{row.id}\t{_state(states[row.id])}\t{done}\t{row.name}")


def show(
    identity: Identity,
    metrics: Annotated[str, typer.Option(help="Metrics, parted by commas; all where left out.")] = "",
    as_json: Json = False,
) -> None:
    """How an experiment stands and the means of its runs."""
    from workbench.experiments.jobs import control
    from workbench.results import result_store
    from workbench.results.filters import Filter
    from workbench.results.mean_intervals import means_with_intervals
    from workbench.storage.database import opened_store

    bench = open_workbench()
    engine = opened_store(bench.settings.database_url)
    row = result_store.experiment(engine, identity)
    now = control.status(bench.settings, identity)
    chosen = Filter(experiments=(identity,))
    names = [name.strip() for name in metrics.split(",") if name.strip()] or result_store.metrics(engine, chosen)
    runs = result_store.runs(engine, chosen)
    titles = {run.id: run.title for run in runs}
    if missing := [name for name in names if name not in result_store.metrics(engine, chosen)]:
        raise unknown("metric", missing[0], result_store.metrics(engine, chosen))
    means = [item for name in names for item in means_with_intervals(engine, chosen, name)]
    if as_json:
        summary = [
            {
                "run": titles[item.key[0]],
                "metric": item.metric,
                "mean": item.mean,
                "low": item.low,
                "high": item.high,
                "n": item.n,
                "unscored": item.unscored,
            }
            for item in means
        ]
        failed = [{"reason": reason, "cells": count} for reason, count in result_store.failures(engine, chosen)]
        print_json(
            {
                **asdict(row),
                "state": _state(now),
                "job": asdict(now) if now else None,
                "means": summary,
                "failures": failed,
            }
        )
        return
    print(f"{row.name}: {_state(now)}, {row.answered:,} of {row.cells:,} cells, {row.failed:,} failed")
    for reason, count in result_store.failures(engine, chosen):
        print(f"  {count:,} failed: {reason}")
    for item in means:
        between = "" if item.low is None else f" [{item.low:.4f}, {item.high:.4f}]"
        mean = "unscored" if item.mean is None else f"{item.mean:.4f}{between}"
        print(f"{item.metric}\t{mean}\tn {item.n:,}\tunscored {item.unscored:,}\t{titles[item.key[0]]}")


def resume(
    identity: Identity,
    failed: Annotated[bool, typer.Option("--failed", help="Try failed cells again too.")] = False,
    follow: Follow = True,
    as_json: Json = False,
) -> None:
    """Go on where an experiment was stopped or killed."""
    from workbench.experiments.jobs import control

    bench = open_workbench()
    if not (failed and control.retry_failed(bench.settings, identity)):
        control.start(bench.settings, identity)
    _tell(bench, identity, follow=follow, as_json=as_json)


def stop(identity: Identity) -> None:
    """Stop an experiment; what is finished is kept."""
    from workbench.experiments.jobs import control

    if control.stop(open_workbench().settings, identity):
        say(f"Asked to stop. Go on later: runs resume {identity}")
    else:
        say("It is not running.")


def export(
    identity: Identity,
    out: Annotated[Path, typer.Option(help="The file to write.")],
    kind: Annotated[
        str, typer.Option("--format", help="csv, jsonl, parquet, trec-run, trec-qrels, inspectorraget or html.")
    ] = "",
) -> None:
    """Write an experiment's results to a file; its format is told by its name where it is not given."""
    from workbench.exports import tables
    from workbench.results import result_store
    from workbench.results.filters import Filter
    from workbench.storage.database import opened_store

    check_writable(out, "results.csv")
    bench = open_workbench()
    engine = opened_store(bench.settings.database_url)
    result_store.experiment(engine, identity)
    by_name = {suffix: name for name, suffix in tables.SUFFIXES.items()}
    chosen = kind or by_name.get(out.suffix, "")
    if not chosen:
        raise UsageError(f"“{out.name}” does not tell its format. For example: --format csv")
    count = tables.export(bench, engine, Filter(experiments=(identity,)), chosen, out)
    say(f"{count:,} cells written to {out}.")


def take_in(
    file: Annotated[Path, typer.Argument(help="Predictions: .jsonl, .csv, .tsv or .xlsx with id, answer, passages.")],
    dataset: Annotated[str, typer.Option(help="The dataset whose questions they answer.")],
    name: Annotated[str, typer.Option(help="What to call the run.")],
    lang: Annotated[str, typer.Option("--lang", help="Their language, where no column “language” says it.")] = "",
    metrics: Annotated[str, typer.Option(help="Metrics, parted by commas.")] = "",
    judge: Annotated[str, typer.Option(help="The generator that judges g_eval, correctness …")] = "",
    as_json: Json = False,
) -> None:
    """Bring your own run: score predictions made elsewhere."""
    from workbench.experiments.plan import judge_hosts
    from workbench.results.answer_scoring import DEFAULT_METRICS, checked_metrics
    from workbench.results.judging import checked_judge
    from workbench.results.predictions import import_predictions

    chosen = tuple(item.strip() for item in metrics.split(",") if item.strip()) or DEFAULT_METRICS
    bench = open_workbench()
    checked_metrics(chosen, checked_judge(judge))
    for host in judge_hosts(judge.strip(), bench.settings.home):
        say(f"Texts are sent to {host}.")
    taken = import_predictions(bench, file, dataset, title=name, code=lang, metrics=chosen, judge=judge)
    if as_json:
        print_json(asdict(taken))
        return
    print(f"{taken.experiment}\t{taken.predictions:,} predictions, {taken.missing:,} questions without one")


def _state(now: Status | None) -> str:
    return now.state if now else "complete"


def _say_batch(stage: str, done: int, total: int, _tally: object) -> None:
    say(f"{stage} {done:,}/{total:,}")


def _tell(bench: Workbench, identity: str, *, follow: bool, as_json: bool) -> None:
    """Follows a job to its end where asked to. Raises WorkbenchError where it failed."""
    from workbench.experiments.jobs import control

    now = control.status(bench.settings, identity)
    said = ""
    for now in control.watch(bench.settings, identity) if follow else ():
        if said != (said := f"{now.stage} {now.done:,}/{now.total:,}" if now.total else now.stage):
            say(said)
    if follow and now is not None and now.state in ("done", "stopped"):
        _say_outcome(bench, identity)
    if as_json:
        print_json({"experiment": identity, "state": _state(now)})
    if now is not None and now.state in ("failed", "interrupted"):
        raise WorkbenchError(f"The job {now.state}. {now.error} Go on: runs resume {identity}")


def _say_outcome(bench: Workbench, identity: str) -> None:
    """How many cells have an answer, and why others have none."""
    from workbench.results import result_store
    from workbench.results.filters import Filter
    from workbench.storage.database import opened_store

    engine = opened_store(bench.settings.database_url)
    row = result_store.experiment(engine, identity)
    for reason, count in result_store.failures(engine, Filter(experiments=(identity,))):
        say(f"  {count:,} cells failed: {reason}")
    say(f"{row.answered:,} of {row.cells:,} cells have an answer. See more: runs show {identity}")
