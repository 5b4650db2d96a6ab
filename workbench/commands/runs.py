"""`run` and `runs`: experiments from files, in processes of their own, and what came of them."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.commands.shared import Json, check_writable, open_workbench, print_json, say
from workbench.errors import UsageError, WorkbenchError, unknown_name

if TYPE_CHECKING:
    from workbench.experiments.jobs.job_status import Status
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
    from workbench.experiments.jobs.control import Jobs
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
    jobs = Jobs(bench.settings)
    identity = jobs.create(bench, experiment)
    jobs.start(identity)
    say(f"Experiment {identity}. It goes on when this program ends. Stop it: runs stop {identity}")
    _tell(bench, identity, follow=follow, as_json=as_json)


def show_all(as_json: Json = False) -> None:
    """Every experiment, the newest first, with its state."""
    from workbench.experiments.jobs.control import Jobs

    rows = Jobs(open_workbench().settings).statuses()
    if as_json:
        print_json([{**asdict(row.experiment), "state": _state(row.job)} for row in rows])
        return
    if not rows:
        say("There is no experiment yet. Start one: python -m workbench run FILE")
    for row in rows:
        item = row.experiment
        done = f"{item.answered:,} of {item.cells:,} cells, {item.failed:,} failed"
        print(f"{item.id}\t{_state(row.job)}\t{done}\t{item.name}")


def show(
    identity: Identity,
    metrics: Annotated[str, typer.Option(help="Metrics, parted by commas; all where left out.")] = "",
    as_json: Json = False,
) -> None:
    """How an experiment stands and the means of its runs."""
    from workbench.experiments.jobs.control import Jobs
    from workbench.results.result_store import ResultStore

    bench = open_workbench()
    status = Jobs(bench.settings).experiment_status(identity)
    row, now = status.experiment, status.job
    view = ResultStore.at(bench.settings.database_url).of(identity)
    known = view.metrics()
    names = [name.strip() for name in metrics.split(",") if name.strip()] or known
    titles = {run.id: run.title for run in view.runs()}
    if missing := [name for name in names if name not in known]:
        raise unknown_name("metric", missing[0], known)
    means = [item for name in names for item in view.means_with_intervals(name)]
    failures = view.failures()
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
        failed = [{"reason": reason, "cells": count} for reason, count in failures]
        print_json(
            {
                **asdict(row),
                "state": _state(now),
                "job": now.to_json() if now else None,
                "means": summary,
                "failures": failed,
            }
        )
        return
    print(f"{row.name}: {_state(now)}, {row.answered:,} of {row.cells:,} cells, {row.failed:,} failed")
    for reason, count in failures:
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
    from workbench.experiments.jobs.control import Jobs

    bench = open_workbench()
    jobs = Jobs(bench.settings)
    if not (failed and jobs.retry_failed(identity)):
        jobs.start(identity)
    _tell(bench, identity, follow=follow, as_json=as_json)


def stop(identity: Identity) -> None:
    """Stop an experiment; what is finished is kept."""
    from workbench.experiments.jobs.control import Jobs

    if Jobs(open_workbench().settings).stop(identity):
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
    from workbench.results.result_store import ResultStore

    check_writable(out, "results.csv")
    bench = open_workbench()
    store = ResultStore.at(bench.settings.database_url)
    store.experiment(identity)
    by_name = {suffix: name for name, suffix in tables.SUFFIXES.items()}
    chosen = kind or by_name.get(out.suffix, "")
    if not chosen:
        raise UsageError(f"“{out.name}” does not tell its format. For example: --format csv")
    count = tables.export(bench, store.of(identity), chosen, out)
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
    taken = import_predictions(bench, file, dataset, title=name, language=lang, metrics=chosen, judge=judge)
    if as_json:
        print_json({"experiment": taken.experiment_id, "predictions": taken.predictions, "missing": taken.missing})
        return
    print(f"{taken.experiment_id}\t{taken.predictions:,} predictions, {taken.missing:,} questions without one")


def _state(now: Status | None) -> str:
    return now.state if now else "complete"


def _say_batch(stage: str, done: int, total: int, _tally: object) -> None:
    say(f"{stage} {done:,}/{total:,}")


def _tell(bench: Workbench, identity: str, *, follow: bool, as_json: bool) -> None:
    """Follows a job to its end where asked to. Raises WorkbenchError where it failed."""
    from workbench.experiments.jobs.control import Jobs

    jobs = Jobs(bench.settings)
    now = jobs.status(identity)
    said = ""
    for now in jobs.watch(identity) if follow else ():
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
    from workbench.results.result_store import ResultStore

    store = ResultStore.at(bench.settings.database_url)
    row = store.experiment(identity)
    for reason, count in store.of(identity).failures():
        say(f"  {count:,} cells failed: {reason}")
    say(f"{row.answered:,} of {row.cells:,} cells have an answer. See more: runs show {identity}")
